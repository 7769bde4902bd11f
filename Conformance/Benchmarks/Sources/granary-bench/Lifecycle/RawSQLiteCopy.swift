import CSQLiteRaw
import Foundation

/// What C does with the rows of a whole database.
enum RawSQLiteCopy {
    /// Reads each row once and writes it once into a new database, the index afterwards, with one sync at the end: without a
    /// journal, as nobody needs a database that is half made.
    ///
    /// - Parameter isConverted: Whether plays become real numbers.
    static func rewrite(_ path: String, to target: String, isConverted: Bool) throws {
        let source = try RawSQLiteConnection(path)
        try source.execute(SQLiteTrackTable.reading)
        let new = try RawSQLiteConnection(target)
        try new.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000")
        var table = SQLiteTrackTable.schema.split(separator: ";", omittingEmptySubsequences: true).map(String.init)
        if isConverted { table[0] = table[0].replacingOccurrences(of: "plays INTEGER", with: "plays REAL") }
        try new.execute("BEGIN")
        try new.execute(table[0])
        let rows = try source.prepare(SQLiteTrackTable.all)
        let insertion = try new.prepare(SQLiteTrackTable.insert)
        var code = sqlite3_step(rows)
        while code == SQLITE_ROW {
            for column in 0..<Int32(11) {
                let value = sqlite3_column_value(rows, column)
                if isConverted && column == 6 {
                    sqlite3_bind_double(insertion, 7, Double(sqlite3_value_int64(value)))
                } else {
                    sqlite3_bind_value(insertion, column + 1, value)
                }
            }
            try new.check(sqlite3_step(insertion), SQLITE_DONE)
            sqlite3_reset(insertion)
            code = sqlite3_step(rows)
        }
        try source.check(code, SQLITE_DONE)
        sqlite3_finalize(rows)
        sqlite3_finalize(insertion)
        try new.execute(table[1])
        try new.execute("COMMIT")
        try new.close()
        try source.close()
        try sync(target)
    }

    /// SQLite's own backup, in one step.
    static func backUp(_ path: String, to target: String) throws {
        let source = try RawSQLiteConnection(path)
        let new = try RawSQLiteConnection(target)
        guard let backup = sqlite3_backup_init(new.handle, "main", source.handle, "main") else {
            throw BenchmarkError("sqlite3_backup_init failed.")
        }
        try new.check(sqlite3_backup_step(backup, -1), SQLITE_DONE)
        try new.check(sqlite3_backup_finish(backup))
        try new.close()
        try source.close()
    }

    private static func sync(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.synchronize()
        try file.close()
    }
}
