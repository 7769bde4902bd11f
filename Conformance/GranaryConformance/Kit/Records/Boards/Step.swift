public import GranaryCore

/// What is to be done for a card, in an order kept in a small number. Written by hand, as every record of the suite: no
/// macro is needed.
public struct Step: Record, Equatable {
    public var id: String
    public var card: Ref<Card>
    public var place: Int8

    public init(id: String, card: Ref<Card>, place: Int8 = 0) {
        self.id = id
        self.card = card
        self.place = place
    }
}

extension Step {
    public static let entityName = "Step"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", String.self),
            Attribute("card", Ref<Card>.self),
            Attribute("place", Int8.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        card = try row.decode(at: 1)
        place = try row.decode(at: 2)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(card, at: 1)
        try row.encode(place, at: 2)
    }

    public struct Fields: Sendable {
        public let id = Field<Step, String>("id")
        public let card = Field<Step, Ref<Card>>("card")
        public let place = Field<Step, Int8>("place")
    }
    public static let fields = Fields()
}
