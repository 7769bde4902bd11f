public import GranaryCore

/// A song on a playlist: the link of a many-to-many relationship. Written by hand, as every record of the suite: no macro is needed.
public struct PlaylistSong: Record, Equatable {
    public var id: Int64
    public var source: Ref<Playlist>
    public var target: Ref<Song>
    public var position: Int64

    public init(id: Int64 = 0, source: Ref<Playlist>, target: Ref<Song>, position: Int64 = 0) {
        self.id = id
        self.source = source
        self.target = target
        self.position = position
    }
}

extension PlaylistSong {
    public static let entityName = "Playlist_songs"
    public static let entity = Entity(
        entityName, key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("source", Ref<Playlist>.self, onDelete: .cascade),
            Attribute("target", Ref<Song>.self, onDelete: .cascade),
            Attribute("position", Int64.self),
        ], indexes: [.unique("source", "target")])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        source = try row.decode(at: 1)
        target = try row.decode(at: 2)
        position = try row.decode(at: 3)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(source, at: 1)
        try row.encode(target, at: 2)
        try row.encode(position, at: 3)
    }

    public mutating func take(assignedKey: Int64) { id = assignedKey }

    public struct Fields: Sendable {
        public let id = Field<PlaylistSong, Int64>("id")
        public let source = Field<PlaylistSong, Ref<Playlist>>("source")
        public let target = Field<PlaylistSong, Ref<Song>>("target")
        public let position = Field<PlaylistSong, Int64>("position")
    }
    public static let fields = Fields()
}
