extension Context {
    /// Changes one record: reads it as it is now, gives it to the closure, and writes the result.
    ///
    /// ```swift
    /// try tx.update(Song.self, key) { $0.plays += 1 }
    /// ```
    ///
    /// Changes that others made to the record after it was fetched are kept. ``update(_:)-(R)`` with a value that was
    /// read earlier overwrites them: it writes the whole value.
    ///
    /// - Returns: The record as it was written.
    /// - Throws: `recordNotFound` if no record has that key, `invalidQuery` if the closure changes the key, what
    ///   the closure throws, and what ``update(_:)-(R)`` throws. Nothing has changed then.
    @inlinable @discardableResult public func update<R: Record>(
        _ type: R.Type, _ key: R.Key, _ change: (inout R) throws -> Void
    ) throws -> R {
        try inOneState {
            guard var record = try find(type, key) else { throw missing(type) }
            let id = record.id
            try change(&record)
            guard record.id == id else { throw keyChanged(type) }
            try update(record)
            // The library has raised the version.
            return R.entity.version == nil ? record : try find(type, key) ?? record
        }
    }

    /// Runs a closure that reads and then writes a result of what it read. A context reads the newest state in each
    /// call: without this, a commit of others between the two would count as the state that the change began from, and
    /// its changes would be lost.
    @inlinable func inOneState<T>(_ body: () throws -> T) throws -> T {
        guard let context = self as? EditContext else { return try body() }
        return try context.asOneCall(body)
    }

    @usableFromInline func missing<R: Record>(_ type: R.Type) -> GranaryError {
        GranaryError(
            .recordNotFound,
            "No record of \(R.entityName) has that key. Use insert for a new record, or findOrCreate to find or insert.",
            entity: R.entityName, attributes: [R.entity.key])
    }

    @usableFromInline func keyChanged<R: Record>(_ type: R.Type) -> GranaryError {
        Context.keyNeverChanges(R.entity)
    }
}
