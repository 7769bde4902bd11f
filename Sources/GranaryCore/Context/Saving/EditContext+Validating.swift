extension EditContext {
    /// Asks every record that was inserted or updated here whether it is valid (``Record/validate()``), as a save does:
    /// one entity after the other, by key.
    ///
    /// - Throws: `invalidRecord`, or what the record throws, of the first that is not.
    public func validate() throws {
        let stack = try stack
        for type in stack.recordTypes { try validate(type) }
    }

    private func validate<R: Record>(_ type: R.Type) throws {
        let entity = try self.entity(of: type)
        // Not sorted first: hardly ever is one refused.
        var first: (key: StoredValue, failure: any Error)?
        for (key, change) in overlay.pending.changes(of: entity) {
            guard let row = change.current else { continue }
            do {
                try row.withRow { try transaction.engine.record(type, of: entity, from: $0) }.validate()
            } catch {
                if let first, first.key < key { continue }
                first = (key, error)
            }
        }
        if let first { throw first.failure }
    }
}
