public import GranaryCore

/// A text with tags, whose names are unique: once in any order, once in an order of its own. Written by hand, as every
/// record of the suite: no macro is needed.
public struct Story: Record, Equatable {
    public var id: Int64
    public var title: String

    public init(id: Int64, title: String = "") {
        self.id = id
        self.title = title
    }
}

extension Story {
    public static let entityName = "Story"
    public static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("title", String.self)])
    public static let schema = Schema(Story.self, Tag.self)

    package static let tags = ManyToMany(Tag.self)
    package static let listed = ManyToMany(Tag.self, ordered: true)
    public static var relationships: [DeclaredRelationship] {
        [tags.declared(as: "tags"), listed.declared(as: "listed")]
    }
    package var tags: RelatedRecords<Story, Tag> { Self.tags.records(of: id, as: "tags") }
    package var listed: RelatedRecords<Story, Tag> { Self.listed.records(of: id, as: "listed") }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Story, Int64>("id")
        public let title = Field<Story, String>("title")
        public let tags = Related<Story, Tag>("tags")
        public let listed = Related<Story, Tag>("listed")
    }
    public static let fields = Fields()
}
