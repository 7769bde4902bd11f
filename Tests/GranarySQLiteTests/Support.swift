import CSQLite
import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

extension TemporaryFolder {
    var store: String { "\(path)/Music.granary" }
    var database: String { "\(store)/gen-0001/db.sqlite" }

    func open(
        _ schema: Schema = music, access: StoreAccess = .readWrite, rowChecksums: Bool = false, busyTimeout: Double = 10
    ) throws -> any Store {
        try SQLiteStoreProvider.sqlite(
            atPath: store,
            options: .init(
                durability: .off, access: access, rowChecksums: rowChecksums, busyTimeout: .seconds(busyTimeout))
        ).open(schema, migration: .automatic)
    }
}

/// Genre 0, Artist 1, Song 2, Tag 3, Event 4.
let music = Schema(entities: [
    Entity(
        "Genre", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)],
        indexes: [.unique("name")]),
    Entity(
        "Artist", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double, isOptional: true),
            Attribute("active", .bool),
            Attribute(
                "genre", .int64, isOptional: true, reference: .init(entity: "Genre", onDelete: .nullify)),
        ], indexes: [.index("name"), .index("rating", "name")]),
    Entity(
        "Song", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", .int64), Attribute("title", .string),
            Attribute("artist", .int64, reference: .init(entity: "Artist", onDelete: .cascade)),
            Attribute("data", .data, isOptional: true),
        ]),
    Entity(
        "Tag", key: "name",
        attributes: [
            Attribute("name", .string), Attribute("song", .int64, reference: .init(entity: "Song", onDelete: .deny)),
            Attribute("parent", .string, isOptional: true, reference: .init(entity: "Tag", onDelete: .cascade)),
        ]),
    Entity("Event", key: "id", attributes: [Attribute("id", .uuid), Attribute("at", .date)]),
])

enum Table: Int { case genre, artist, song, tag, event }

func withRow<T>(_ values: [StoredValue], _ body: (borrowing Row) throws -> T) throws -> T {
    var writer = RowWriter(count: values.count)
    for (position, value) in values.enumerated() { try value.encode(into: &writer, at: position) }
    do {
        let result: Result<T, any Error> = writer.withRow { row in
            do { return .success(try body(row)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension StoreWriter {
    @discardableResult
    func insert(_ table: Table, _ values: StoredValue...) throws -> Int64? {
        try withRow(values) { try insert($0, into: table.rawValue) }
    }
    func update(_ table: Table, _ values: StoredValue...) throws -> Bool {
        try withRow(values) { try update($0, in: table.rawValue) }
    }
    @discardableResult
    func upsert(_ table: Table, _ values: StoredValue...) throws -> Int64? {
        try withRow(values) { try upsert($0, into: table.rawValue) }
    }
    @discardableResult
    func delete(_ table: Table, _ key: StoredValue) throws -> Bool {
        try key.withCell { try delete($0, from: table.rawValue) }
    }
}

extension StoreReader {
    func find(_ table: Table, _ key: StoredValue) throws -> [StoredValue]? {
        try key.withCell { cell in
            guard let row = try find(cell, in: table.rawValue) else { return nil }
            return (0..<row.count).map { StoredValue(row[$0]) }
        }
    }

    func all(_ request: FetchRequest) throws -> [[StoredValue]] {
        let cursor = try rows(request)
        var found: [[StoredValue]] = []
        while let row = try cursor.next() { found.append((0..<row.count).map { StoredValue(row[$0]) }) }
        return found
    }

    func all(_ table: Table, _ condition: ResolvedCondition? = nil) throws -> [[StoredValue]] {
        try all(FetchRequest(entity: table.rawValue, condition: condition))
    }
}

extension Store {
    func write<T>(_ body: (any StoreWriter) throws -> T) throws -> T {
        let writer = try beginWrite()
        do {
            let result = try body(writer)
            try writer.commit()
            return result
        } catch {
            writer.end()
            throw error
        }
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        let reader = try beginRead(CancellationFlag())
        defer { reader.end() }
        return try body(reader)
    }
}

/// What the body throws, as a Granary error.
func failure(_ body: () throws -> Void) -> GranaryError? {
    do {
        try body()
        return nil
    } catch {
        return error as? GranaryError ?? GranaryError(GranaryError.Code(rawValue: "\(error)"), "")
    }
}

/// Runs SQL on the file as another program would.
func shell(_ path: String, _ sql: String) throws -> [[String]] {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    var statement: OpaquePointer?
    var rows: [[String]] = []
    var rest: UnsafePointer<CChar>?
    try sql.withCString { text in
        rest = text
        while let next = rest, next.pointee != 0 {
            try #require(sqlite3_prepare_v2(handle, next, -1, &statement, &rest) == SQLITE_OK)
            while sqlite3_step(statement) == SQLITE_ROW {
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
                    })
            }
            sqlite3_finalize(statement)
        }
    }
    return rows
}
