extension EditContext {
    /// Validates every record that was inserted or updated here (``Record/validate()``), as this context shows it: one
    /// entity after the other, by key.
    ///
    /// ```swift
    /// do {
    ///     try edit.validate()
    /// } catch let error as GranaryError where error.code == .invalidRecord {
    ///     print(error.entity ?? "", error.message)
    /// }
    /// ```
    ///
    /// A save validates every record that it writes, in its state at that moment: with the changes of others, and with
    /// the repairs of a child context. Records that are not written are not validated.
    ///
    /// - Throws: `invalidRecord`, or the record's own error, for the first record that is not valid.
    public func validate() throws {
        let validator = try stack.validator
        for entity in overlay.pending.entities where validator.hasRules(for: entity) {
            let rows = overlay.pending.changes(of: entity).lazy.compactMap { key, change in
                change.current.map { (key: key, row: $0) }
            }
            try validator.check(rows, of: entity)
        }
    }
}

extension RecordValidator {
    /// - Throws: The error of the first invalid record by key.
    func check(_ rows: some Sequence<(key: StoredValue, row: StoredRow)>, of entity: Int) throws {
        // The rows are not sorted first, because a record is hardly ever invalid.
        var first: (key: StoredValue, failure: any Error)?
        for (key, row) in rows {
            do {
                try check(row, of: entity)
            } catch {
                if let first, first.key < key { continue }
                first = (key, error)
            }
        }
        if let first { throw first.failure }
    }
}

extension ChangeMerger {
    /// Validates the written records in their written state.
    func validate(_ plan: Plan, _ report: Report) throws {
        guard let validator else { return }
        var rows: [Int: [(key: StoredValue, row: StoredRow)]] = [:]
        for write in [plan.updated, plan.inserted].joined() {
            let place = place(of: write)
            guard validator.hasRules(for: place.entity) else { continue }
            let row = report.otherwise.isEmpty ? write.row : report.otherwise[place] ?? write.row
            if let row { rows[place.entity, default: []].append((place.key, row)) }
        }
        for (entity, rows) in rows.sorted(by: { $0.key < $1.key }) { try validator.check(rows, of: entity) }
    }
}
