public import GranaryCore

/// A card with references whose delete rules are the board's to say, and numbers that hold its place among others. Written
/// by hand, as every record of the suite: no macro is needed.
public struct Card: Record, Equatable {
    public var id: Int64
    public var label: String
    public var board: Ref<Board>?
    public var place: Int64?
    public var archive: Ref<Board>?
    public var weight: Double
    public var pin: Ref<Board>?
    public var last: Ref<Board>?

    public init(
        id: Int64, label: String = "", board: Ref<Board>? = nil, place: Int64? = nil, archive: Ref<Board>? = nil,
        weight: Double = 0, pin: Ref<Board>? = nil, last: Ref<Board>? = nil
    ) {
        self.id = id
        self.label = label
        self.board = board
        self.place = place
        self.archive = archive
        self.weight = weight
        self.pin = pin
        self.last = last
    }
}

extension Card {
    public static let entityName = "Card"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
            Attribute("board", Ref<Board>?.self),
            Attribute("place", Int64?.self),
            Attribute("archive", Ref<Board>?.self),
            Attribute("weight", Double.self),
            Attribute("pin", Ref<Board>?.self),
            Attribute("last", Ref<Board>?.self),
        ], indexes: [.index("board", "place")])

    package static let steps = ToMany(\Step.Fields.card, onDelete: .cascade, orderedBy: \.place)
    public static var relationships: [DeclaredRelationship] { [steps.declared(as: "steps")] }
    package var steps: RelatedRecords<Card, Step> { Self.steps.records(of: id, as: "steps") }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
        board = try row.decode(at: 2)
        place = try row.decode(at: 3)
        archive = try row.decode(at: 4)
        weight = try row.decode(at: 5)
        pin = try row.decode(at: 6)
        last = try row.decode(at: 7)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
        try row.encode(board, at: 2)
        try row.encode(place, at: 3)
        try row.encode(archive, at: 4)
        try row.encode(weight, at: 5)
        try row.encode(pin, at: 6)
        try row.encode(last, at: 7)
    }

    public struct Fields: Sendable {
        public let id = Field<Card, Int64>("id")
        public let label = Field<Card, String>("label")
        public let board = Field<Card, Ref<Board>?>("board")
        public let place = Field<Card, Int64?>("place")
        public let archive = Field<Card, Ref<Board>?>("archive")
        public let weight = Field<Card, Double>("weight")
        public let pin = Field<Card, Ref<Board>?>("pin")
        public let last = Field<Card, Ref<Board>?>("last")
        public let steps = Related<Card, Step>("steps")
    }
    public static let fields = Fields()
}
