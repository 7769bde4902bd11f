public import GranaryCore

/// What music is called. Written by hand, as every record of the suite: no macro is needed.
public struct Genre: Record, Equatable {
    public var id: Int64
    public var name: String

    public init(id: Int64, name: String = "") {
        self.id = id
        self.name = name
    }
}

extension Genre {
    public static let entityName = "Genre"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("name", String.self),
        ], indexes: [.unique("name")])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("artists", entity: "Artist", attribute: "genre")),
        DeclaredRelationship(Relationship("songs", entity: "Song", attribute: "genre")),
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Genre, Int64>("id")
        public let name = Field<Genre, String>("name")
        public let artists = Related<Genre, Artist>("artists")
        public let songs = Related<Genre, Song>("songs")
    }
    public static let fields = Fields()
}
