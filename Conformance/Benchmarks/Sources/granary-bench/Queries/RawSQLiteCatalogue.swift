import CSQLiteRaw

/// The same questions in C: statements prepared once, columns by position, values bound where they lie.
final class RawSQLiteCatalogue: CatalogueSubject {
    private let writer: RawSQLiteConnection
    private let reader: RawSQLiteConnection
    private var statements: [String: OpaquePointer] = [:]

    init(folder: String) throws {
        let path = folder + "/raw.sqlite"
        writer = try RawSQLiteConnection(path)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute(SQLiteTrackTable.writing)
        try writer.execute("PRAGMA foreign_keys = ON")
        try writer.execute(SQLiteCatalogueTables.schema)
        reader = try RawSQLiteConnection(path)
        try reader.execute(SQLiteTrackTable.reading)
    }

    func insert(_ artists: [Artist], _ songs: [Song]) throws {
        try writer.execute("BEGIN IMMEDIATE")
        let artist = try statement(SQLiteCatalogueTables.insertArtist, writer)
        for item in artists {
            sqlite3_bind_int64(artist, 1, item.id)
            RawSQLiteCatalogue.bind(item.name, artist, 2)
            RawSQLiteCatalogue.bind(item.country, artist, 3)
            try writer.check(sqlite3_step(artist), SQLITE_DONE)
            sqlite3_reset(artist)
        }
        let song = try statement(SQLiteCatalogueTables.insertSong, writer)
        for item in songs {
            sqlite3_bind_int64(song, 1, item.id)
            RawSQLiteCatalogue.bind(item.title, song, 2)
            sqlite3_bind_int64(song, 3, item.artist.key)
            RawSQLiteCatalogue.bind(item.genre, song, 4)
            RawSQLiteCatalogue.bind(item.mood, song, 5)
            sqlite3_bind_int64(song, 6, Int64(item.plays))
            sqlite3_bind_double(song, 7, item.length)
            sqlite3_bind_int64(song, 8, Int64(item.score))
            try writer.check(sqlite3_step(song), SQLITE_DONE)
            sqlite3_reset(song)
        }
        try writer.execute("COMMIT")
    }

    func deleteArtists(upTo key: Int64) throws {
        try writer.execute("BEGIN IMMEDIATE")
        let statement = try statement(SQLiteCatalogueTables.deleteArtists, writer)
        sqlite3_bind_int64(statement, 1, key)
        defer { sqlite3_reset(statement) }
        try writer.check(sqlite3_step(statement), SQLITE_DONE)
        try writer.execute("COMMIT")
    }

    func plan(_ question: Question) throws -> String { "" }

    func close() throws {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        try reader.close()
        try writer.close()
    }

    /// A statement that was prepared the first time it was asked for.
    func statement(_ sql: String, _ connection: RawSQLiteConnection? = nil) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        let statement = try (connection ?? reader).prepare(sql)
        statements[sql] = statement
        return statement
    }

    func inOneRead<T>(_ body: () throws -> T) throws -> T {
        try reader.execute("BEGIN")
        let result = try body()
        try reader.execute("COMMIT")
        return result
    }

    func rows(_ statement: OpaquePointer, _ body: (OpaquePointer) throws -> Void) throws {
        defer { sqlite3_reset(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            try body(statement)
            code = sqlite3_step(statement)
        }
        try reader.check(code, SQLITE_DONE)
    }

    static func bind(_ text: String, _ statement: OpaquePointer, _ position: Int32) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(statement, position, text, -1, copied)
    }
}
