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
    /// How many cities the store has, and all of their inhabitants.
    func content() throws -> (cities: Int, population: Int)
    func close() throws
}

final class GranaryImportSubject<Choice: StoreChoice>: ImportSubject {
    private let stack: Stack

    init(folder: String) throws {
        stack = try Choice.open(Schema(ImportedCity.self), folder: URL(fileURLWithPath: folder))
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        let lines = JSONOptions(layout: .lines)
        let source: ImportInput =
            switch workload {
            case .insert, .again: .json(.file(files.lines), lines)
            case .changed: .json(.file(files.changed), lines)
            case .csv: .csv(.file(files.csv))
            }
        let report = try stack.importNow(source, as: ImportedCity.self)
        let written = report.inserted + report.updated
        guard written == workload.writes(of: files.cities.count) else {
            throw BenchmarkError("\(workload.rawValue): \(written) cities were written.")
        }
        return true
    }

    func content() throws -> (cities: Int, population: Int) {
        try stack.read { snapshot in
            var content = (cities: 0, population: 0)
            try snapshot.forEach(ImportedCity.all) { city in
                content.cities += 1
                content.population += city.population
            }
            return content
        }
    }

    func close() throws { try stack.close() }
}

/// SQLite through C, without reading a file: rows that lie in memory are inserted in one transaction. Unchanged ones and CSV are
/// nothing that it has a form of.
final class RawImportSubject: ImportSubject {
    fileprivate let connection: RawSQLiteConnection
    fileprivate let insertion: OpaquePointer

    init(folder: String) throws {
        connection = try RawSQLiteConnection(folder + "/raw.sqlite")
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute(SQLiteTrackTable.writing)
        try connection.execute(SQLiteCityTable.schema)
        insertion = try connection.prepare(SQLiteCityTable.upsert)
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        guard workload == .insert else { return false }
        try connection.execute("BEGIN IMMEDIATE")
        for city in files.cities { try connection.check(city.insert(insertion), SQLITE_DONE) }
        try connection.execute("COMMIT")
        return true
    }

    func content() throws -> (cities: Int, population: Int) { try SQLiteCityTable.content(connection) }

    func close() throws {
        sqlite3_finalize(insertion)
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
            guard let object = try JSONSerialization.jsonObject(with: line) as? [String: Any],
                let city = ImportedCity(object)
            else { throw BenchmarkError("A line is no city.") }
            try raw.connection.check(city.insert(raw.insertion), SQLITE_DONE)
        }
        try raw.connection.execute("COMMIT")
        return true
    }

    func content() throws -> (cities: Int, population: Int) { try raw.content() }
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

    private let pool: DatabasePool

    init(folder: String) throws {
        pool = try GRDBSubject.open(folder + "/grdb.sqlite", SQLiteCityTable.schema)
    }

    func run(_ workload: ImportWorkload, _ files: ImportFiles) throws -> Bool {
        guard let path = workload.lines(files) else { return false }
        try pool.write { database in
            let decoder = JSONDecoder()
            for line in try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A) {
                try decoder.decode(City.self, from: line).upsert(database)
            }
        }
        return true
    }

    func content() throws -> (cities: Int, population: Int) {
        try pool.read { database in
            let row = try GRDB.Row.fetchOne(database, sql: SQLiteCityTable.sums)
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    func close() throws { try pool.close() }
}
