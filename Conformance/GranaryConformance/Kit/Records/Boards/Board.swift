public import GranaryCore

/// Something that cards are put on: it gives each of a card's references the delete rule, and most of them an order.
/// Written by hand, as every record of the suite: no macro is needed.
public struct Board: Record, Equatable {
    public var id: Int64

    public init(id: Int64) { self.id = id }
}

extension Board {
    public static let entityName = "Board"
    public static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])

    package static let cards = ToMany(\Card.Fields.board, onDelete: .nullify, orderedBy: \.place)
    package static let archived = ToMany(\Card.Fields.archive, onDelete: .cascade, orderedBy: \.weight)
    package static let pinned = ToMany(\Card.Fields.pin, onDelete: .deny, orderedBy: \.label)
    package static let seen = ToMany(\Card.Fields.last, onDelete: .noAction)
    public static var relationships: [DeclaredRelationship] {
        [
            cards.declared(as: "cards"), archived.declared(as: "archived"), pinned.declared(as: "pinned"),
            seen.declared(as: "seen"),
        ]
    }
    package var cards: RelatedRecords<Board, Card> { Self.cards.records(of: id, as: "cards") }
    package var archived: RelatedRecords<Board, Card> { Self.archived.records(of: id, as: "archived") }
    package var pinned: RelatedRecords<Board, Card> { Self.pinned.records(of: id, as: "pinned") }
    package var seen: RelatedRecords<Board, Card> { Self.seen.records(of: id, as: "seen") }

    public init(row: borrowing Row) throws { id = try row.decode(at: 0) }

    public func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    public struct Fields: Sendable {
        public let id = Field<Board, Int64>("id")
        public let cards = Related<Board, Card>("cards")
        public let archived = Related<Board, Card>("archived")
        public let pinned = Related<Board, Card>("pinned")
        public let seen = Related<Board, Card>("seen")
    }
    public static let fields = Fields()
}
