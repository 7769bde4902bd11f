public import GranaryStoreKit

extension EngineReading {
    /// The records that a `SELECT` returns. Its columns are matched to the attributes by name, in any order; further
    /// columns are ignored.
    ///
    /// ```swift
    /// let loud = try snapshot.fetch(Song.self, "SELECT * FROM Song WHERE length(title) > \(20) ORDER BY random() LIMIT 5")
    /// ```
    ///
    /// It follows the rules of SQL, not those of queries: three-valued logic, and no order unless it is requested. Row
    /// checksums are not checked.
    ///
    /// - Throws: `unsupported` if the store is not SQLite's (see `Capability.rawSQL`); `invalidQuery` with the
    ///   attribute if a column is missing, and with SQLite's message if the statement is not valid or writes;
    ///   `typeMismatch` and `range` if a column's value does not fit the attribute; `cancelled`.
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        try engine.sqlite().rawRecords(type, sql, engine)
    }

    /// The rows that a `SELECT` returns. Cost: memory for all of them.
    ///
    /// ```swift
    /// let rows = try snapshot.rows("SELECT name, count(*) AS songs FROM Song JOIN Artist ON artist = Artist.id GROUP BY name")
    /// ```
    ///
    /// - Throws: Like ``fetch(_:_:)``.
    public func rows(_ sql: SQL) throws -> [SQLRow] { try engine.sqlite().rawRows(sql) }

    /// The single column of the first row that a `SELECT` returns; nil if there is no row or the value is NULL.
    ///
    /// ```swift
    /// let longest = try snapshot.value("SELECT max(length(title)) FROM Song", as: Int.self)
    /// ```
    ///
    /// - Throws: Like ``fetch(_:_:)``.
    public func value<Value: AttributeValue>(_ sql: SQL, as type: Value.Type = Value.self) throws -> Value? {
        try engine.sqlite().rawValue(sql, as: type)
    }
}

extension EngineWriting {
    /// Runs one `INSERT`, `UPDATE` or `DELETE` on the entities' tables. All or nothing.
    ///
    /// ```swift
    /// try tx.execute("UPDATE Song SET plays = plays + 1 WHERE artist = \(artist.id)")
    /// ```
    ///
    /// Values that a record cannot hold are refused as elsewhere: uniqueness, references, required values, ranges, text
    /// that is not UTF-8. Keys cannot be set. References follow their delete rules, to a depth of 1 000; `deleteAll`
    /// has no such limit. `INSERT` into a store with row checksums must name its columns.
    ///
    /// Other statements are refused: transactions (use `savepoint`), tables or indexes (they belong to the schema),
    /// other databases, settings.
    ///
    /// Cost: the statement is prepared each time. If it can write values that an attribute does not allow, and always
    /// in a store with row checksums, each changed row is read again.
    ///
    /// - Returns: The number of rows that the statement changed itself, without those that delete rules changed.
    /// - Throws: `unsupported` if the store is not SQLite's; `invalidQuery` with what to use instead, or SQLite's
    ///   message; `uniqueness`, `required`, `range`, `typeMismatch`, `danglingReference`, `deniedDeletion`; `limit`.
    ///   The transaction is as it was before and can go on, unless the statement contains `OR ROLLBACK`, which ends it.
    @discardableResult public func execute(_ sql: SQL) throws -> Int { try engine.sqliteWriter().executeRaw(sql) }
}

extension EngineAccess {
    /// - Throws: `unsupported` if the store is another one.
    func sqlite() throws -> SQLiteReader {
        guard let reader = try reader() as? SQLiteReader else { throw GranaryError.withoutSQL }
        return reader
    }

    func sqliteWriter() throws -> SQLiteWriter {
        guard let writer = try reader() as? SQLiteWriter else { throw GranaryError.withoutSQL }
        return writer
    }
}

extension GranaryError {
    fileprivate static var withoutSQL: GranaryError {
        GranaryError.unsupported(
            .rawSQL, "This store lacks \(Capability.rawSQL): it takes no SQL. Use a query, or SQLite.")
    }
}
