public import GranaryCore

/// Songs in an order of somebody's choice. Written by hand, as every record of the suite: no macro is needed.
public struct Playlist: Record, Equatable {
    public var id: Int64
    public var label: String

    public init(id: Int64, label: String = "") {
        self.id = id
        self.label = label
    }
}

extension Playlist {
    public static let entityName = "Playlist"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
        ])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(
            Relationship(
                "songs", entity: "Playlist_songs", attribute: "source", through: "target", orderedBy: "position"))
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
        public let id = Field<Playlist, Int64>("id")
        public let label = Field<Playlist, String>("label")
        public let songs = Related<Playlist, Song>("songs")
    }
    public static let fields = Fields()
}
