extension Context {
    /// The record with a key; if there is none, the one the closure makes, inserted.
    ///
    /// As there is one writer at a time, two callers never both create.
    @inlinable public func findOrCreate<R: Record>(_ type: R.Type, _ key: R.Key, _ make: () throws -> R) throws -> R {
        if let found = try find(type, key) { return found }
        return try insert(try make())
    }

    /// The first record of a query; if there is none, the one the closure makes, inserted.
    @inlinable public func findOrCreate<R: Record>(_ query: Query<R>, _ make: () throws -> R) throws -> R {
        if let found = try first(query) { return found }
        return try insert(try make())
    }
}
