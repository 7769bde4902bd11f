extension EditContext {
    /// Asks every record that was inserted or updated here whether it is valid (``Record/validate()``), as a save does.
    ///
    /// - Throws: `invalidRecord`, or what the record throws.
    public func validate() throws {
        let stack = try stack
        for type in stack.recordTypes { try validate(type) }
    }

    private func validate<R: Record>(_ type: R.Type) throws {
        let entity = try self.entity(of: type)
        for change in overlay.pending.changes(of: entity).values {
            guard let row = change.current else { continue }
            try row.withRow { try transaction.engine.record(type, of: entity, from: $0) }.validate()
        }
    }
}
