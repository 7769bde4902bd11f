public import GranaryCore

/// A record whose name is searched, also from its articles.
public struct Writer: Record, Equatable {
    public var id: Int64
    public var name: String

    public init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

extension Writer {
    public static let entityName = "Writer"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self).searchable()])
    public static let articles = ToMany(\Article.Fields.writer)
    public static var relationships: [DeclaredRelationship] { [articles.declared(as: "articles")] }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Writer, Int64>("id")
        public let name = Field<Writer, String>("name")
        public let search = RecordSearch<Writer>()
        public var articles: Related<Writer, Article> { Related("articles") }
    }
    public static let fields = Fields()
}
