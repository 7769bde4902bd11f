public import GranaryCore

/// A list of tracks whose links are the library's own: nobody declares a record for them. Written by hand, as every record
/// of the suite: no macro is needed.
public struct Mix: Record, Equatable {
    public var id: Int64
    public var name: String

    public init(id: Int64, name: String = "") {
        self.id = id
        self.name = name
    }
}

extension Mix {
    public static let entityName = "Mix"
    public static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)])

    package static let tracks = ManyToMany(Track.self, ordered: true)
    package static let favourites = ManyToMany(Track.self)
    package static let kept = ManyToMany(Track.self, onDelete: .deny)
    public static var relationships: [DeclaredRelationship] {
        [
            tracks.declared(as: "tracks"), favourites.declared(as: "favourites"), kept.declared(as: "kept"),
        ]
    }
    package var tracks: RelatedRecords<Mix, Track> { Self.tracks.records(of: id, as: "tracks") }
    package var favourites: RelatedRecords<Mix, Track> { Self.favourites.records(of: id, as: "favourites") }
    package var kept: RelatedRecords<Mix, Track> { Self.kept.records(of: id, as: "kept") }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Mix, Int64>("id")
        public let name = Field<Mix, String>("name")
        public let tracks = Related<Mix, Track>("tracks")
        public let favourites = Related<Mix, Track>("favourites")
        public let kept = Related<Mix, Track>("kept")
    }
    public static let fields = Fields()
}

/// What a ``Mix`` lists.
public struct Track: Record, Equatable {
    public var id: Int64
    public var title: String

    public init(id: Int64, title: String = "") {
        self.id = id
        self.title = title
    }
}

extension Track {
    public static let entityName = "Track"
    public static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("title", String.self)])

    package static let mixes = ManyToMany(\Mix.Fields.tracks)
    public static var relationships: [DeclaredRelationship] { [mixes.declared(as: "mixes")] }
    package var mixes: RelatedRecords<Track, Mix> { Self.mixes.records(of: id, as: "mixes") }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Track, Int64>("id")
        public let title = Field<Track, String>("title")
        public let mixes = Related<Track, Mix>("mixes")
    }
    public static let fields = Fields()
}
