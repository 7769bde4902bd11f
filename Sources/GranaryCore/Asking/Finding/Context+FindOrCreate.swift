extension Context {
    /// The record with a key. If it does not exist, inserts the record that the closure makes.
    ///
    /// ```swift
    /// let artist = try tx.findOrCreate(Artist.self, 100) { Artist(id: 100, name: "Jimi Hendrix") }
    /// ```
    ///
    /// In a ``Transaction`` two callers never both create, as there is one writer at a time. In an ``EditContext`` they
    /// may: neither context sees the pending changes of the other. The first save stands. The second throws
    /// `mergeConflict` (``MergeConflict/Kind/insertedTwice``) for the same key, or `uniqueness` for another key with
    /// the same value of a unique index, unless the context's merge policy settles it: ``MergePolicy/agreeing`` if both
    /// make the same record. If neither is unique, both records stay. Work that must not create twice is done in a
    /// transaction, or by ``Stack/perform(named:mergePolicy:onConflicts:_:)``.
    @inlinable public func findOrCreate<R: Record>(_ type: R.Type, _ key: R.Key, _ make: () throws -> R) throws -> R {
        if let found = try find(type, key) { return found }
        return try insert(try make())
    }
}
