import Foundation
import GRDB

/// GRDB as its documentation shows it: a `Codable` record, its methods, its query interface.
final class GRDBCodableSubject: Subject {
    struct Item: TrackHolder, Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "Track"
        // The default text keeps milliseconds only.
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
            .timeIntervalSinceReferenceDate
        }
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .timeIntervalSinceReferenceDate
        }

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

        init(_ track: Track) {
            id = track.id
            title = track.title
            artist = track.artist
            comment = track.comment
            length = track.length
            rating = track.rating
            plays = track.plays
            isFavourite = track.isFavourite
            added = track.added
            cover = track.cover
            composer = track.composer
        }

        var track: Track {
            Track(
                id: id, title: title, artist: artist, comment: comment, length: length, rating: rating, plays: plays,
                isFavourite: isFavourite, added: added, cover: cover, composer: composer)
        }
    }

    private let pool: DatabasePool

    init(folder: String) throws { pool = try GRDBSubject.open(folder + "/grdb-codable.sqlite") }

    func insert(_ items: [Item]) throws {
        try pool.write { database in
            for item in items { try item.insert(database) }
        }
    }

    func fetch() throws -> [Item] { try pool.read { try Item.order(Column("id")).fetchAll($0) } }

    func find(_ keys: [Int64]) throws -> [Item] {
        try pool.read { database in try keys.map { try Item.find(database, key: $0) } }
    }

    func filterSort(limit: Int?) throws -> [Item] {
        let artist = Column("artist")
        let request = Item.filter(artist >= TrackSelection.firstArtist && artist < TrackSelection.endArtist)
            .filter(Column("plays") >= TrackSelection.fewestPlays)
            .order(Column("length"), Column("id"))
        return try pool.read { try (limit.map { request.limit($0) } ?? request).fetchAll($0) }
    }

    func stream(_ body: (Item) throws -> Void) throws {
        try pool.read { database in
            let items = try Item.order(Column("id")).fetchCursor(database)
            while let item = try items.next() { try body(item) }
        }
    }

    func close() throws { try pool.close() }
}
