public import GranaryCore

/// What music is called. Written by hand, as every record of the suite: no macro is needed.
public struct Genre: Record, Equatable {
    public var id: Int64
    public var label: String

    public init(id: Int64, label: String = "") {
        self.id = id
        self.label = label
    }
}

extension Genre {
    public static let entityName = "Genre"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
        ], indexes: [.unique("label")])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("artists", entity: "Artist", attribute: "genre")),
        DeclaredRelationship(Relationship("songs", entity: "Song", attribute: "genre")),
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Genre, Int64>("id")
        public let label = Field<Genre, String>("label")
        public let artists = Related<Genre, Artist>("artists")
        public let songs = Related<Genre, Song>("songs")
    }
    public static let fields = Fields()
}
