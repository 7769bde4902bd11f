import GranaryCore

/// What contexts insert and save: about 60 bytes, with a reference and an index beside it.
struct Review: Record, Equatable {
    var id: Int64
    var song: Ref<Song>
    var author: String
    var text: String
    var stars: Int

    init(id: Int64, song: Ref<Song>, author: String, text: String, stars: Int) {
        self.id = id
        self.song = song
        self.author = author
        self.text = text
        self.stars = stars
    }

    static let entityName = "Review"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("song", Ref<Song>.self), Attribute("author", String.self),
            Attribute("text", String.self), Attribute("stars", Int.self),
        ], indexes: [.index("author")])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        song = try row.decode(at: 1)
        author = try row.decode(at: 2)
        text = try row.decode(at: 3)
        stars = try row.decode(at: 4)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(song, at: 1)
        try row.encode(author, at: 2)
        try row.encode(text, at: 3)
        try row.encode(stars, at: 4)
    }

    struct Fields: Sendable {
        let id = Field<Review, Int64>("id")
        let song = Field<Review, Ref<Song>>("song")
        let author = Field<Review, String>("author")
        let text = Field<Review, String>("text")
        let stars = Field<Review, Int>("stars")
    }
    static let fields = Fields()

    /// The same on every run, each of another song.
    static func made(_ count: Int, songCount: Int) -> [Review] {
        var random = SplitMix(seed: 0x4EF)
        return (1...count).map { number in
            Review(
                id: Int64(number), song: Ref(Int64(number * 7919 % songCount + 1)),
                author: "author \(random.next(below: 1000))", text: "what there is to say of it \(number)",
                stars: Int(random.next(below: 5)) + 1)
        }
    }
}
