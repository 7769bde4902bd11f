import CSQLiteRaw

/// SQLite as a careful C programmer uses it: statements prepared once, columns by position, values bound where
/// they lie.
final class RawSQLiteSubject: Subject {
    typealias Item = Track

    let path: String
    private let writer: RawSQLiteConnection
    private let reader: RawSQLiteConnection
    private let insertion: OpaquePointer
    private let all: OpaquePointer
    private let byKey: OpaquePointer
    private let selection: OpaquePointer
    private let begin: OpaquePointer
    private let commit: OpaquePointer

    init(folder: String) throws {
        path = folder + "/raw.sqlite"
        writer = try RawSQLiteConnection(path)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute(SQLiteTrackTable.writing)
        try writer.execute(SQLiteTrackTable.schema)
        insertion = try writer.prepare(SQLiteTrackTable.insert)
        reader = try RawSQLiteConnection(path)
        try reader.execute(SQLiteTrackTable.reading)
        all = try reader.prepare(SQLiteTrackTable.all)
        byKey = try reader.prepare(SQLiteTrackTable.byKey)
        selection = try reader.prepare(SQLiteTrackTable.selection)
        begin = try reader.prepare("BEGIN")
        commit = try reader.prepare("COMMIT")
    }

    func insert(_ items: [Track]) throws {
        try writer.execute("BEGIN IMMEDIATE")
        for item in items { try writer.check(item.insert(insertion), SQLITE_DONE) }
        try writer.execute("COMMIT")
    }

    func fetch() throws -> [Track] {
        var tracks: [Track] = []
        try rows(all) { tracks.append($0) }
        return tracks
    }

    func find(_ keys: [Int64]) throws -> [Track] {
        var tracks: [Track] = []
        try reader.execute("BEGIN")
        for key in keys {
            sqlite3_bind_int64(byKey, 1, key)
            guard sqlite3_step(byKey) == SQLITE_ROW else { throw BenchmarkError("There is no track \(key).") }
            tracks.append(Track(statement: byKey))
            sqlite3_reset(byKey)
        }
        try reader.execute("COMMIT")
        return tracks
    }

    func findEach(_ keys: [Int64]) throws -> [Track] {
        var tracks: [Track] = []
        for key in keys {
            try run(begin)
            sqlite3_bind_int64(byKey, 1, key)
            guard sqlite3_step(byKey) == SQLITE_ROW else { throw BenchmarkError("There is no track \(key).") }
            tracks.append(Track(statement: byKey))
            sqlite3_reset(byKey)
            try run(commit)
        }
        return tracks
    }

    private func run(_ statement: OpaquePointer) throws {
        try reader.check(sqlite3_step(statement), SQLITE_DONE)
        sqlite3_reset(statement)
    }

    func filterSort(limit: Int?) throws -> [Track] {
        var tracks: [Track] = []
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(selection, 1, TrackSelection.firstArtist, -1, copied)
        sqlite3_bind_text(selection, 2, TrackSelection.endArtist, -1, copied)
        sqlite3_bind_int64(selection, 3, Int64(TrackSelection.fewestPlays))
        sqlite3_bind_int64(selection, 4, Int64(limit ?? -1))
        try rows(selection) { tracks.append($0) }
        return tracks
    }

    func stream(_ body: (Track) throws -> Void) throws { try rows(all, body) }

    func close() throws {
        for statement in [insertion, all, byKey, selection, begin, commit] { sqlite3_finalize(statement) }
        try reader.close()
        try writer.close()
    }

    private func rows(_ statement: OpaquePointer, _ body: (Track) throws -> Void) throws {
        defer { sqlite3_reset(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            try body(Track(statement: statement))
            code = sqlite3_step(statement)
        }
        try reader.check(code, SQLITE_DONE)
    }
}
