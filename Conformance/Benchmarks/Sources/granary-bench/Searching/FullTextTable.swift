import CSQLiteRaw

/// The same texts with C: a table of rows, and FTS5 over their words without contents of its own.
final class FullTextTable {
    private let connection: RawSQLiteConnection
    private let insertion: OpaquePointer
    private let indexing: OpaquePointer
    private let removal: OpaquePointer
    private let change: OpaquePointer
    private let search: OpaquePointer

    init(_ path: String) throws {
        connection = try RawSQLiteConnection(path)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000;
            CREATE TABLE essay (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
            CREATE VIRTUAL TABLE words USING fts5(text, content='')
            """)
        insertion = try connection.prepare("INSERT INTO essay VALUES (?1, ?2)")
        indexing = try connection.prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")
        removal = try connection.prepare("INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)")
        change = try connection.prepare("UPDATE essay SET text = ?2 WHERE id = ?1")
        search = try connection.prepare(
            """
            SELECT essay.id, essay.text, words.rank FROM words JOIN essay ON essay.id = words.rowid \
            WHERE words MATCH ?1 ORDER BY words.rank LIMIT 20
            """)
    }

    func insert(_ essays: [Essay]) throws {
        try connection.execute("BEGIN")
        for essay in essays {
            try run(insertion, essay)
            try run(indexing, essay)
        }
        try connection.execute("COMMIT")
    }

    /// Shortens the log: a commit that makes the log longer waits for the file system, too.
    func shortenLog() throws { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    func change(_ old: Essay, to new: Essay) throws {
        try connection.execute("BEGIN")
        try run(removal, old)
        try run(change, new)
        try run(indexing, new)
        try connection.execute("COMMIT")
    }

    /// The best 20: keys and scores.
    func best(_ question: String) throws -> [(id: Int64, score: Double)] {
        var found: [(Int64, Double)] = []
        var question = question
        try question.withUTF8 { utf8 in
            Track.bind(utf8, search, 1)
            defer { sqlite3_reset(search) }
            var code = sqlite3_step(search)
            while code == SQLITE_ROW {
                found.append((sqlite3_column_int64(search, 0), -sqlite3_column_double(search, 2)))
                code = sqlite3_step(search)
            }
            try connection.check(code, SQLITE_DONE)
        }
        return found
    }

    func close() throws {
        for statement in [insertion, indexing, removal, change, search] { sqlite3_finalize(statement) }
        try connection.close()
    }

    private func run(_ statement: OpaquePointer, _ essay: Essay) throws {
        var text = essay.text
        sqlite3_bind_int64(statement, 1, essay.id)
        try text.withUTF8 { utf8 in
            Track.bind(utf8, statement, 2)
            let code = sqlite3_step(statement)
            sqlite3_reset(statement)
            try connection.check(code, SQLITE_DONE)
        }
    }
}
