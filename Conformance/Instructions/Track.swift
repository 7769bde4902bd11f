import GranaryCore

/// A key and six columns of mixed types, with an index over one of them.
///
/// Written by hand as `@Record` would write it, so that this program builds without swift-syntax.
struct Track: Record {
    var id: Int64
    var title: String
    var artist: Int
    var length: Double
    var plays: Int
    var isFavourite: Bool
    var composer: String?

    /// The track of a key, the same in each run. A hundred tracks one after the other have one artist.
    init(id: Int64) {
        self.id = id
        title = "Track \(id) of the album"
        artist = Int(id - 1) / Track.anArtist
        length = Double(id) / 8
        plays = Int(id * 7919 % 1000)
        isFavourite = id % 8 == 0
        composer = id % 2 == 0 ? "Composer \(id % 100)" : nil
    }

    /// How many tracks an artist has.
    static let anArtist = 100

    static let entityName = "Track"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("artist", Int.self),
            Attribute("length", Double.self), Attribute("plays", Int.self), Attribute("isFavourite", Bool.self),
            Attribute("composer", String?.self),
        ], indexes: [.index("artist")])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        artist = try row.decode(at: 2)
        length = try row.decode(at: 3)
        plays = try row.decode(at: 4)
        isFavourite = try row.decode(at: 5)
        composer = try row.decode(at: 6)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(artist, at: 2)
        try row.encode(length, at: 3)
        try row.encode(plays, at: 4)
        try row.encode(isFavourite, at: 5)
        try row.encode(composer, at: 6)
    }

    struct Fields: Sendable {
        let id = Field<Track, Int64>("id")
        let artist = Field<Track, Int>("artist")
    }
    static let fields = Fields()
}
