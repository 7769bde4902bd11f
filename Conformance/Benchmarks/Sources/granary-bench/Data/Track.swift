import Foundation
import GranaryCore

/// The record of every benchmark: a key and ten columns of mixed types, about 130 bytes, with one index.
///
/// Written by hand as `@Record` would write it, so that the benchmarks build without swift-syntax.
struct Track: Record, Equatable {
    var id: Int64
    var title: String
    var artist: String
    var comment: String
    var length: Double
    var rating: Double?
    var plays: Int
    var isFavourite: Bool
    var added: Date
    var cover: Data
    var composer: String?

    init(
        id: Int64, title: String, artist: String, comment: String, length: Double, rating: Double?, plays: Int,
        isFavourite: Bool, added: Date, cover: Data, composer: String?
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.comment = comment
        self.length = length
        self.rating = rating
        self.plays = plays
        self.isFavourite = isFavourite
        self.added = added
        self.cover = cover
        self.composer = composer
    }

    static let entityName = "Track"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("artist", String.self),
            Attribute("comment", String.self), Attribute("length", Double.self), Attribute("rating", Double?.self),
            Attribute("plays", Int.self), Attribute("isFavourite", Bool.self), Attribute("added", Date.self),
            Attribute("cover", Data.self), Attribute("composer", String?.self),
        ], indexes: [.index("artist")])

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(at: 0), title: row.decode(at: 1), artist: row.decode(at: 2), comment: row.decode(at: 3),
            length: row.decode(at: 4), rating: row.decode(at: 5), plays: row.decode(at: 6),
            isFavourite: row.decode(at: 7), added: row.decode(at: 8), cover: row.decode(at: 9),
            composer: row.decode(at: 10))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(artist, at: 2)
        try row.encode(comment, at: 3)
        try row.encode(length, at: 4)
        try row.encode(rating, at: 5)
        try row.encode(plays, at: 6)
        try row.encode(isFavourite, at: 7)
        try row.encode(added, at: 8)
        try row.encode(cover, at: 9)
        try row.encode(composer, at: 10)
    }

    struct Fields: Sendable {
        let id = Field<Track, Int64>("id")
        let artist = Field<Track, String>("artist")
        let length = Field<Track, Double>("length")
        let plays = Field<Track, Int>("plays")
    }
    static let fields = Fields()
}
