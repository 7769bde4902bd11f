import Foundation
import GRDB

/// GRDB at its fastest: prepared statements kept, columns by position, no names.
final class GRDBSubject: Subject {
    /// The track and how GRDB reads it; laid out as the track is.
    struct Item: TrackHolder, FetchableRecord {
        var track: Track
        var plays: Int { track.plays }
        var length: Double { track.length }

        init(_ track: Track) { self.track = track }

        init(row: Row) {
            track = Track(
                id: row[0], title: row[1], artist: row[2], comment: row[3], length: row[4], rating: row[5],
                plays: row[6], isFavourite: row[7], added: Date(timeIntervalSinceReferenceDate: row[8]),
                cover: row[9], composer: row[10])
        }

        var arguments: StatementArguments {
            [
                track.id, track.title, track.artist, track.comment, track.length, track.rating, track.plays,
                track.isFavourite, track.added.timeIntervalSinceReferenceDate, track.cover, track.composer,
            ]
        }
    }

    private let pool: DatabasePool

    init(folder: String) throws { pool = try GRDBSubject.open(folder + "/grdb.sqlite") }

    /// With the table and the settings of the other subjects. GRDB itself sets `synchronous = NORMAL`, with which a
    /// loss of power loses commits.
    static func open(_ path: String, _ schema: String = SQLiteTrackTable.schema) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { try $0.execute(sql: SQLiteTrackTable.reading) }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: SQLiteTrackTable.writing)
            try database.execute(sql: schema)
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw BenchmarkError("GRDB's connection does not keep synchronous = FULL.")
            }
        }
        return pool
    }

    func insert(_ items: [Item]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: SQLiteTrackTable.insert)
            for item in items {
                statement.setUncheckedArguments(item.arguments)
                try statement.execute()
            }
        }
    }

    func fetch() throws -> [Item] {
        try pool.read { try Item.fetchAll(try $0.cachedStatement(sql: SQLiteTrackTable.all)) }
    }

    func find(_ keys: [Int64]) throws -> [Item] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: SQLiteTrackTable.byKey)
            return try keys.map { key in
                guard let item = try Item.fetchOne(statement, arguments: [key]) else {
                    throw BenchmarkError("There is no track \(key).")
                }
                return item
            }
        }
    }

    func filterSort(limit: Int?) throws -> [Item] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: SQLiteTrackTable.selection)
            return try Item.fetchAll(
                statement,
                arguments: [
                    TrackSelection.firstArtist, TrackSelection.endArtist, TrackSelection.fewestPlays, limit ?? -1,
                ])
        }
    }

    func stream(_ body: (Item) throws -> Void) throws {
        try pool.read { database in
            let items = try Item.fetchCursor(try database.cachedStatement(sql: SQLiteTrackTable.all))
            while let item = try items.next() { try body(item) }
        }
    }

    func close() throws { try pool.close() }
}
