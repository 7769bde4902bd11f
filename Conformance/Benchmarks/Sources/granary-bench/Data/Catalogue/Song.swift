import GranaryCore

/// The many side of the catalogue: about 70 bytes, with indexes on the artist, the genre and the score, and none on the
/// mood, the plays and the length.
struct Song: Record, Equatable {
    var id: Int64
    var title: String
    var artist: Ref<Artist>
    /// One of a hundred.
    var genre: String
    /// One of a hundred.
    var mood: String
    var plays: Int
    var length: Double
    /// Spread evenly over ten times as many numbers as there are songs.
    var score: Int

    init(
        id: Int64, title: String, artist: Ref<Artist>, genre: String, mood: String, plays: Int, length: Double,
        score: Int
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.genre = genre
        self.mood = mood
        self.plays = plays
        self.length = length
        self.score = score
    }

    static let entityName = "Song"
    // A reference has an index without being asked.
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("artist", Ref<Artist>.self),
            Attribute("genre", String.self), Attribute("mood", String.self), Attribute("plays", Int.self),
            Attribute("length", Double.self), Attribute("score", Int.self),
        ], indexes: [.index("genre"), .index("score")])

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(at: 0), title: row.decode(at: 1), artist: row.decode(at: 2), genre: row.decode(at: 3),
            mood: row.decode(at: 4), plays: row.decode(at: 5), length: row.decode(at: 6), score: row.decode(at: 7))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(artist, at: 2)
        try row.encode(genre, at: 3)
        try row.encode(mood, at: 4)
        try row.encode(plays, at: 5)
        try row.encode(length, at: 6)
        try row.encode(score, at: 7)
    }

    struct Fields: Sendable {
        let id = Field<Song, Int64>("id")
        let title = Field<Song, String>("title")
        let artist = Field<Song, Ref<Artist>>("artist")
        let genre = Field<Song, String>("genre")
        let mood = Field<Song, String>("mood")
        let plays = Field<Song, Int>("plays")
        let length = Field<Song, Double>("length")
        let score = Field<Song, Int>("score")
    }
    static let fields = Fields()
}
