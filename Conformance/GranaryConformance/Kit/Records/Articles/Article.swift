public import GranaryCore

/// A record with words to search in texts of three kinds.
public struct Article: Record, Equatable {
    public var id: Int64
    public var title: String
    public var body: String?
    public var tags: JSON<[String]>
    public var writer: Ref<Writer>?
    public var reads: Int64

    public init(
        id: Int64, title: String = "", body: String? = nil, tags: [String] = [], writer: Int64? = nil, reads: Int64 = 0
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.tags = JSON(tags)
        self.writer = writer.map { Ref($0) }
        self.reads = reads
    }
}

extension Article {
    public static let entityName = "Article"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("title", String.self).searchable(weight: 3),
            Attribute("body", String?.self).searchable(),
            Attribute("tags", JSON<[String]>.self).searchable(),
            Attribute("writer", Ref<Writer>?.self, onDelete: .cascade),
            Attribute("reads", Int64.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        body = try row.decode(at: 2)
        tags = try row.decode(at: 3)
        writer = try row.decode(at: 4)
        reads = try row.decode(at: 5)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(body, at: 2)
        try row.encode(tags, at: 3)
        try row.encode(writer, at: 4)
        try row.encode(reads, at: 5)
    }

    public struct Fields: Sendable {
        public let id = Field<Article, Int64>("id")
        public let title = Field<Article, String>("title")
        public let body = Field<Article, String?>("body")
        public let tags = Field<Article, JSON<[String]>>("tags")
        public let writer = Field<Article, Ref<Writer>?>("writer")
        public let reads = Field<Article, Int64>("reads")
        public let search = RecordSearch<Article>()
    }
    public static let fields = Fields()
}
