public import GranaryCore

extension Transaction {
    /// The records that a `SELECT` answers with, as of this transaction; see `Snapshot.fetch(_:_:)`.
    public func fetch<R: Record>(_ type: R.Type, _ sql: SQL) throws -> [R] {
        try engine.sqlite().rawRecords(type, sql, engine)
    }

    /// The rows that a `SELECT` answers with, as of this transaction; see `Snapshot.rows(_:)`.
    public func rows(_ sql: SQL) throws -> [SQLRow] { try engine.sqlite().rawRows(sql) }

    /// The one column of the first row that a `SELECT` answers with; see `Snapshot.value(_:as:)`.
    public func value<Value: AttributeValue>(_ sql: SQL, as type: Value.Type = Value.self) throws -> Value? {
        try engine.sqlite().rawValue(sql, as: type)
    }

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
