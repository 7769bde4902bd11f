import CSQLiteRaw
import Foundation
import GRDB
import GranaryCore
import GranaryImport
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// One way of bringing the cities of a file into a store.
protocol ImportSubject {
    /// Opens an empty store in a folder.
    init(folder: String) throws
    /// Nil if the subject has no way to read the workload's file.
    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool
    /// What the store has after a workload.
    func content(after workload: ImportWorkload) throws -> ImportedContent
    func close() throws
}

final class GranaryImportSubject<Choice: StoreChoice>: ImportSubject {
    private let stack: Stack

    init(folder: String) throws {
        let schema = Schema(
            ImportedCity.self, ImportedLabel.self, ImportedGenre.self, ImportedRelease.self, ReleasedSong.self)
        stack = try Choice.open(schema, folder: URL(fileURLWithPath: folder))
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        let lines = JSONOptions(layout: .lines)
        let source: ImportInput =
            switch workload {
            case .insert, .again: .json(.file(files.lines), lines)
            case .changed: .json(.file(files.changed), lines)
            case .nested: .json(.file(files.nested), lines)
            case .csv: .csv(.file(files.csv))
            }
        let report = try stack.blocking.import(source, as: workload == .nested ? "Release" : "City")
        let written = report.inserted + report.updated
        guard written == workload.writes(files) else {
            throw BenchmarkError("\(workload.rawValue): \(written) records were written.")
        }
        return true
    }

    func content(after workload: ImportWorkload) throws -> ImportedContent {
        try stack.blocking.read { snapshot in
            var content = ImportedContent()
            if workload == .nested {
                try ReleasedSong.all.forEach(in: snapshot) { song in
                    content.count += 1
                    content.sum += song.seconds
                }
            } else {
                try ImportedCity.all.forEach(in: snapshot) { city in
                    content.count += 1
                    content.sum += city.population
                }
            }
            return content
        }
    }

    func close() throws { try stack.blocking.close() }
}

/// SQLite through C, without reading a file: rows that lie in memory are inserted in one transaction. Unchanged ones and CSV are
/// nothing that it has a form of.
final class RawImportSubject: ImportSubject {
    fileprivate let connection: RawSQLiteConnection
    fileprivate let insertion: OpaquePointer
    fileprivate let releases: RawReleaseInsertion

    init(folder: String) throws {
        connection = try RawSQLiteConnection(folder + "/raw.sqlite")
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute(SQLiteTrackTable.writing)
        try connection.execute(SQLiteCityTable.schema)
        try connection.execute(SQLiteReleaseTables.schema)
        insertion = try connection.prepare(SQLiteCityTable.upsert)
        releases = try RawReleaseInsertion(connection)
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        guard workload == .insert || workload == .nested else { return false }
        try connection.execute("BEGIN IMMEDIATE")
        if workload == .nested {
            for release in files.releases { try releases.insert(release) }
        } else {
            for city in files.cities { try connection.check(city.insert(insertion), SQLITE_DONE) }
        }
        try connection.execute("COMMIT")
        return true
    }

    func content(after workload: ImportWorkload) throws -> ImportedContent {
        try SQLiteCityTable.content(connection, workload == .nested ? SQLiteReleaseTables.sums : SQLiteCityTable.sums)
    }

    func close() throws {
        sqlite3_finalize(insertion)
        releases.end()
        try connection.close()
    }
}

/// `JSONSerialization` of each line, and SQLite through C: `INSERT ... ON CONFLICT DO UPDATE` in one transaction.
final class SerializationImportSubject: ImportSubject {
    private let raw: RawImportSubject

    init(folder: String) throws { raw = try RawImportSubject(folder: folder) }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        guard let path = workload.lines(files) else { return false }
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A)
        try raw.connection.execute("BEGIN IMMEDIATE")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
            if workload == .nested {
                guard let release = object.flatMap(NestedRelease.init) else {
                    throw BenchmarkError("A line is no release.")
                }
                try raw.releases.insert(release)
                continue
            }
            guard let city = object.flatMap(ImportedCity.init) else { throw BenchmarkError("A line is no city.") }
            try raw.connection.check(city.insert(raw.insertion), SQLITE_DONE)
        }
        try raw.connection.execute("COMMIT")
        return true
    }

    func content(after workload: ImportWorkload) throws -> ImportedContent { try raw.content(after: workload) }
    func close() throws { try raw.close() }
}

/// `JSONDecoder` for each line into a `Codable` record, and GRDB's `upsert` in one transaction: what its documentation shows.
final class GRDBImportSubject: ImportSubject {
    private struct City: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "City"
        var geonameid: Int64
        var name: String
        var latitude: Double
        var longitude: Double
        var countrycode: String
        var population: Int
        var timezone: String
        var admin1code: String
    }

    private struct Label: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "Label"
        var id: Int64
        var name: String
    }

    private struct Genre: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "Genre"
        var id: Int64
        var name: String
    }

    private struct Release: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "Release"
        var id: Int64
        var title: String
        var label: Int64
        var genre: Int64
    }

    private struct ReleasedSong: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "ReleasedSong"
        var id: Int64
        var title: String
        var seconds: Int
        var release: Int64
    }

    private let pool: DatabasePool

    init(folder: String) throws {
        pool = try GRDBSubject.open(
            folder + "/grdb.sqlite", SQLiteCityTable.schema + SQLiteReleaseTables.schema)
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        guard let path = workload.lines(files) else { return false }
        try pool.write { database in
            let decoder = JSONDecoder()
            for line in try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A) {
                if workload == .nested {
                    try upsert(try decoder.decode(NestedRelease.self, from: line), database)
                } else {
                    try decoder.decode(City.self, from: line).upsert(database)
                }
            }
        }
        return true
    }

    private func upsert(_ release: NestedRelease, _ database: Database) throws {
        try Label(id: release.label.id, name: release.label.name).upsert(database)
        try Genre(id: release.genre.id, name: release.genre.name).upsert(database)
        try Release(id: release.id, title: release.title, label: release.label.id, genre: release.genre.id)
            .upsert(database)
        for song in release.songs {
            try ReleasedSong(id: song.id, title: song.title, seconds: song.seconds, release: release.id)
                .upsert(database)
        }
    }

    func content(after workload: ImportWorkload) throws -> ImportedContent {
        try pool.read { database in
            let sums = workload == .nested ? SQLiteReleaseTables.sums : SQLiteCityTable.sums
            let row = try GRDB.Row.fetchOne(database, sql: sums)
            return ImportedContent(count: row?[0] ?? 0, sum: row?[1] ?? 0)
        }
    }

    func close() throws { try pool.close() }
}
