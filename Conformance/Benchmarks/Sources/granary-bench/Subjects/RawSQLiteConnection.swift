import CSQLiteRaw

/// A connection to SQLite with no more around it than checked result codes.
final class RawSQLiteConnection {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle, code == SQLITE_OK else {
            defer { sqlite3_close(handle) }
            throw BenchmarkError("sqlite3_open_v2: \(code)")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
    }

    func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw BenchmarkError("There is no statement in: \(sql)") }
        return statement
    }

    func check(_ code: Int32, _ expected: Int32 = SQLITE_OK) throws {
        guard code == expected else {
            throw BenchmarkError("SQLite: \(code) \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    func close() throws { try check(sqlite3_close(handle)) }
}

extension Track {
    /// The row a statement stands on, by position.
    init(statement: OpaquePointer) {
        id = sqlite3_column_int64(statement, 0)
        title = Track.text(statement, 1)
        artist = Track.text(statement, 2)
        comment = Track.text(statement, 3)
        length = sqlite3_column_double(statement, 4)
        rating = sqlite3_column_type(statement, 5) == SQLITE_NULL ? nil : sqlite3_column_double(statement, 5)
        plays = Int(sqlite3_column_int64(statement, 6))
        isFavourite = sqlite3_column_int64(statement, 7) != 0
        added = .init(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 8))
        let bytes = sqlite3_column_blob(statement, 9)
        cover = .init(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, 9))))
        composer = sqlite3_column_type(statement, 10) == SQLITE_NULL ? nil : Track.text(statement, 10)
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let utf8 = sqlite3_column_text(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: utf8, count: count), as: UTF8.self)
    }

    /// Runs a statement with the fields bound where they lie; nothing is copied.
    func insert(_ statement: OpaquePointer) -> Int32 {
        var (title, artist, comment) = (title, artist, comment)
        var composer = composer ?? ""
        sqlite3_bind_int64(statement, 1, id)
        sqlite3_bind_double(statement, 5, length)
        if let rating { sqlite3_bind_double(statement, 6, rating) } else { sqlite3_bind_null(statement, 6) }
        sqlite3_bind_int64(statement, 7, Int64(plays))
        sqlite3_bind_int64(statement, 8, isFavourite ? 1 : 0)
        sqlite3_bind_double(statement, 9, added.timeIntervalSinceReferenceDate)
        return title.withUTF8 { title in
            artist.withUTF8 { artist in
                comment.withUTF8 { comment in
                    composer.withUTF8 { composer in
                        cover.withUnsafeBytes { cover in
                            Track.bind(title, statement, 2)
                            Track.bind(artist, statement, 3)
                            Track.bind(comment, statement, 4)
                            sqlite3_bind_blob(statement, 10, cover.baseAddress, Int32(cover.count), nil)
                            if self.composer == nil {
                                sqlite3_bind_null(statement, 11)
                            } else {
                                Track.bind(composer, statement, 11)
                            }
                            let code = sqlite3_step(statement)
                            sqlite3_reset(statement)
                            return code
                        }
                    }
                }
            }
        }
    }

    /// SQLITE_STATIC is a nil destructor.
    static func bind(_ utf8: UnsafeBufferPointer<UInt8>, _ statement: OpaquePointer, _ position: Int32) {
        let start = UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text64(statement, position, start, UInt64(utf8.count), nil, UInt8(SQLITE_UTF8))
    }
}
