public import GranaryCore
import Foundation

/// A song, with an attribute of each kind that queries compute with. Written by hand, as every record of the suite: no macro is needed.
public struct Song: Record {
    public var id: Int64
    public var title: String
    public var album: Ref<Album>
    public var genre: Ref<Genre>?
    public var seconds: Int64?
    public var score: Double?
    public var isLive: Bool?
    public var released: Date?
    public var price: Decimal?
    public var cents: ScaledDecimal<2>?
    public var info: JSON<SongInfo>?

    public init(
        id: Int64, title: String = "", album: Ref<Album>, genre: Ref<Genre>? = nil, seconds: Int64? = nil,
        score: Double? = nil, isLive: Bool? = nil, released: Date? = nil, price: Decimal? = nil,
        cents: ScaledDecimal<2>? = nil, info: JSON<SongInfo>? = nil
    ) {
        self.id = id
        self.title = title
        self.album = album
        self.genre = genre
        self.seconds = seconds
        self.score = score
        self.isLive = isLive
        self.released = released
        self.price = price
        self.cents = cents
        self.info = info
    }
}

extension Song {
    public static let entityName = "Song"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("title", String.self),
            Attribute("album", Ref<Album>.self, onDelete: .cascade),
            Attribute("genre", Ref<Genre>?.self),
            Attribute("seconds", Int64?.self),
            Attribute("score", Double?.self),
            Attribute("isLive", Bool?.self),
            Attribute("released", Date?.self),
            Attribute("price", Decimal?.self),
            Attribute("cents", ScaledDecimal<2>?.self),
            Attribute("info", JSON<SongInfo>?.self),
        ])
    public static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(
            Relationship("playlists", entity: "Playlist_songs", attribute: "target", through: "source"))
    ]

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        album = try row.decode(at: 2)
        genre = try row.decode(at: 3)
        seconds = try row.decode(at: 4)
        score = try row.decode(at: 5)
        isLive = try row.decode(at: 6)
        released = try row.decode(at: 7)
        price = try row.decode(at: 8)
        cents = try row.decode(at: 9)
        info = try row.decode(at: 10)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(album, at: 2)
        try row.encode(genre, at: 3)
        try row.encode(seconds, at: 4)
        try row.encode(score, at: 5)
        try row.encode(isLive, at: 6)
        try row.encode(released, at: 7)
        try row.encode(price, at: 8)
        try row.encode(cents, at: 9)
        try row.encode(info, at: 10)
    }

    public struct Fields: Sendable {
        public let id = Field<Song, Int64>("id")
        public let title = Field<Song, String>("title")
        public let album = Field<Song, Ref<Album>>("album")
        public let genre = Field<Song, Ref<Genre>?>("genre")
        public let seconds = Field<Song, Int64?>("seconds")
        public let score = Field<Song, Double?>("score")
        public let isLive = Field<Song, Bool?>("isLive")
        public let released = Field<Song, Date?>("released")
        public let price = Field<Song, Decimal?>("price")
        public let cents = Field<Song, ScaledDecimal<2>?>("cents")
        public let info = Field<Song, JSON<SongInfo>?>("info")
        public let playlists = Related<Song, Playlist>("playlists")
    }
    public static let fields = Fields()
}

/// What is known of a song beside.
public struct SongInfo: Codable, Sendable, Hashable {
    public var tempo: Int?
    public var gain: Double?
    public var isLoud: Bool?
    public var mood: String?
    public var tags: [String]?

    public init(
        tempo: Int? = nil, gain: Double? = nil, isLoud: Bool? = nil, mood: String? = nil, tags: [String]? = nil
    ) {
        self.tempo = tempo
        self.gain = gain
        self.isLoud = isLoud
        self.mood = mood
        self.tags = tags
    }
}
