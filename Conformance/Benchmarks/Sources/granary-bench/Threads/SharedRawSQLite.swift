import CSQLiteRaw

// @unchecked: the library's own connections are used by `commit`, `count` and `close` alone, which one thread at a time
// calls.
struct SharedRawSQLite: SharedStore, @unchecked Sendable {
    private let library: RawSQLiteSubject

    init(_ library: RawSQLiteSubject) { self.library = library }

    func makeFinder() throws -> any TrackFinder { try RawSQLiteFinder(library.path) }
    func commit(_ tracks: [Track]) throws { try library.insert(tracks) }

    func count() throws -> Int {
        var count = 0
        try library.stream { _ in count += 1 }
        return count
    }

    func close() throws { try library.close() }
}

/// A connection of its own, with everything prepared.
///
// @unchecked: one thread at a time uses a finder, and a connection may go from thread to thread.
final class RawSQLiteFinder: TrackFinder, @unchecked Sendable {
    private let connection: RawSQLiteConnection
    private let begin: OpaquePointer
    private let byKey: OpaquePointer
    private let commit: OpaquePointer

    init(_ path: String) throws {
        connection = try RawSQLiteConnection(path)
        try connection.execute(SQLiteTrackTable.reading)
        begin = try connection.prepare("BEGIN")
        byKey = try connection.prepare(SQLiteTrackTable.byKey)
        commit = try connection.prepare("COMMIT")
    }

    func find(_ key: Int64) throws -> Track {
        try run(begin)
        let track = try track(key)
        try run(commit)
        return track
    }

    func find(_ keys: ArraySlice<Int64>) throws -> [Track] {
        try run(begin)
        let tracks = try keys.map { try track($0) }
        try run(commit)
        return tracks
    }

    func close() throws {
        for statement in [begin, byKey, commit] { sqlite3_finalize(statement) }
        try connection.close()
    }

    private func track(_ key: Int64) throws -> Track {
        sqlite3_bind_int64(byKey, 1, key)
        guard sqlite3_step(byKey) == SQLITE_ROW else { throw BenchmarkError("There is no track \(key).") }
        let track = Track(statement: byKey)
        sqlite3_reset(byKey)
        return track
    }

    private func run(_ statement: OpaquePointer) throws {
        try connection.check(sqlite3_step(statement), SQLITE_DONE)
        sqlite3_reset(statement)
    }
}
