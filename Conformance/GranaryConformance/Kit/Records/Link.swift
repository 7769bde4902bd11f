public import GranaryCore

/// A record that refers to itself with the rule `deny`, and to records with keys of text and UUID. Written by hand, as every record of the suite: no macro is needed.
public struct Link: Record, Equatable {
    public var id: Int64
    public var next: Ref<Link>?
    public var note: Ref<Note>?
    public var ticket: Ref<Ticket>?

    public init(id: Int64, next: Ref<Link>? = nil, note: Ref<Note>? = nil, ticket: Ref<Ticket>? = nil) {
        self.id = id
        self.next = next
        self.note = note
        self.ticket = ticket
    }
}

extension Link {
    public static let entityName = "Link"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("next", Ref<Link>?.self, onDelete: .deny),
            Attribute("note", Ref<Note>?.self, onDelete: .cascade),
            Attribute("ticket", Ref<Ticket>?.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        next = try row.decode(at: 1)
        note = try row.decode(at: 2)
        ticket = try row.decode(at: 3)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(next, at: 1)
        try row.encode(note, at: 2)
        try row.encode(ticket, at: 3)
    }

    public struct Fields: Sendable {
        public let id = Field<Link, Int64>("id")
        public let next = Field<Link, Ref<Link>?>("next")
        public let note = Field<Link, Ref<Note>?>("note")
        public let ticket = Field<Link, Ref<Ticket>?>("ticket")
    }
    public static let fields = Fields()
}
