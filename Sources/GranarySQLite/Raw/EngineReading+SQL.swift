public import GranaryStoreKit

extension EngineReading {
    /// The records that a `SELECT` answers with. Its columns are matched by name to the attributes, in any order; further
    /// columns are passed over.
    ///
    /// ```swift
    /// let loud = try snapshot.fetch(Song.self, "SELECT * FROM Song WHERE length(title) > \(20) ORDER BY random() LIMIT 5")
    /// ```
    ///
    /// The rules of SQL hold in it, not those of queries: three-valued logic, and order only where it is asked for. Row
    /// checksums are not looked at.
    ///
    /// - Throws: `unsupported` if the store is not SQLite's (see `Capability.rawSQL`); `invalidQuery`, naming the attribute,
    ///   if a column is missing, and with SQLite's message if it does not take the statement or the statement writes;
    ///   `typeMismatch` and `range` if a column holds what the attribute cannot; `cancelled`.
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        try engine.sqlite().rawRecords(type, sql, engine)
    }

    /// The rows that a `SELECT` answers with. Cost: memory for all of them.
    ///
    /// - Throws: As ``fetch(_:_:)``.
    public func rows(_ sql: SQL) throws -> [SQLRow] { try engine.sqlite().rawRows(sql) }

    /// The one column of the first row that a `SELECT` answers with; nil if there is no row or the value is NULL.
    ///
    /// ```swift
    /// let longest = try snapshot.value("SELECT max(length(title)) FROM Song", as: Int.self)
    /// ```
    ///
    /// - Throws: As ``fetch(_:_:)``.
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
    /// What a record could not hold is refused as it is elsewhere: uniqueness, references, required values, ranges, text
    /// that is not UTF-8. Keys are not set. References follow their delete rules, to a depth of 1 000; `deleteAll` goes
    /// deeper. `INSERT` into a store with row checksums names its columns.
    ///
    /// Nothing else is run: no transactions (use `savepoint`), no tables or indexes (they are the schema's), no other
    /// databases, no settings.
    ///
    /// Cost: the statement is prepared each time. Where it can write what an attribute does not take, and in a store with
    /// row checksums, each row it changed is read again.
    ///
    /// - Returns: How many rows the statement changed itself, without those that delete rules changed.
    /// - Throws: `unsupported` if the store is not SQLite's; `invalidQuery` with what to use instead, or SQLite's message;
    ///   `uniqueness`, `required`, `range`, `typeMismatch`, `danglingReference`, `deniedDeletion`; `limit`. The transaction
    ///   is as it was before and can go on, unless the statement says `OR ROLLBACK`: that ends it.
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
        GranaryError(.unsupported, "This store lacks \(Capability.rawSQL): it takes no SQL. Use a query, or SQLite.")
    }
}
