public import GranaryCore

/// A record whose attributes are named as what a query asks of a field. Written by hand, as every record of the suite: no macro is needed.
public struct Tally: Record, Equatable {
    public var id: Int64
    public var count: Int64
    public var minimum: String
    public var untyped: Double?
    public var isEmpty: Bool
    public var first: Ref<Tally>
    public var next: Ref<Tally>?

    public init(
        id: Int64, count: Int64 = 0, minimum: String = "", untyped: Double? = nil, isEmpty: Bool = false,
        first: Ref<Tally>, next: Ref<Tally>? = nil
    ) {
        self.id = id
        self.count = count
        self.minimum = minimum
        self.untyped = untyped
        self.isEmpty = isEmpty
        self.first = first
        self.next = next
    }
}

extension Tally {
    public static let entityName = "Tally"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("count", Int64.self),
            Attribute("minimum", String.self),
            Attribute("untyped", Double?.self),
            Attribute("isEmpty", Bool.self),
            Attribute("first", Ref<Tally>.self, onDelete: .noAction),
            Attribute("next", Ref<Tally>?.self, onDelete: .noAction),
        ])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("sum", entity: "Tally", attribute: "first"))
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        count = try row.decode(at: 1)
        minimum = try row.decode(at: 2)
        untyped = try row.decode(at: 3)
        isEmpty = try row.decode(at: 4)
        first = try row.decode(at: 5)
        next = try row.decode(at: 6)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(count, at: 1)
        try row.encode(minimum, at: 2)
        try row.encode(untyped, at: 3)
        try row.encode(isEmpty, at: 4)
        try row.encode(first, at: 5)
        try row.encode(next, at: 6)
    }

    public struct Fields: Sendable {
        public let id = Field<Tally, Int64>("id")
        public let count = Field<Tally, Int64>("count")
        public let minimum = Field<Tally, String>("minimum")
        public let untyped = Field<Tally, Double?>("untyped")
        public let isEmpty = Field<Tally, Bool>("isEmpty")
        public let first = Field<Tally, Ref<Tally>>("first")
        public let next = Field<Tally, Ref<Tally>?>("next")
        public let sum = Related<Tally, Tally>("sum")
    }
    public static let fields = Fields()
}
