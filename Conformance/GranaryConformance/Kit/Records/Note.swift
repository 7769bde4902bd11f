public import GranaryCore

/// A record with a text key and an index over a text that may be long. Written by hand, as every record of the suite: no macro is needed.
public struct Note: Record, Equatable {
    public var slug: String
    public var body: String
    public var topic: String?

    public var id: String { slug }

    public init(slug: String, body: String = "", topic: String? = nil) {
        self.slug = slug
        self.body = body
        self.topic = topic
    }
}

extension Note {
    public static let entityName = "Note"
    public static let entity = Entity(
        entityName, key: "slug",
        attributes: [
            Attribute("slug", String.self),
            Attribute("body", String.self),
            Attribute("topic", String?.self),
        ], indexes: [.index("topic")])

    public init(row: borrowing Row) throws {
        slug = try row.decode(at: 0)
        body = try row.decode(at: 1)
        topic = try row.decode(at: 2)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(slug, at: 0)
        try row.encode(body, at: 1)
        try row.encode(topic, at: 2)
    }

    public struct Fields: Sendable {
        public let slug = Field<Note, String>("slug")
        public let body = Field<Note, String>("body")
        public let topic = Field<Note, String?>("topic")
    }
    public static let fields = Fields()
}
