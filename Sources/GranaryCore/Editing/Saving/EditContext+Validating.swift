extension EditContext {
    /// Asks every record that was inserted or updated here whether it is valid (``Record/validate()``), as this context
    /// shows it: one entity after the other, by key.
    ///
    /// A save asks every record that it is about to write, as it is then: with what others have changed meanwhile, and with
    /// what a child has repaired. What is not written is not asked.
    ///
    /// - Throws: `invalidRecord`, or what the record throws, of the first that is not.
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
    /// - Throws: What the first by key throws.
    func check(_ rows: some Sequence<(key: StoredValue, row: StoredRow)>, of entity: Int) throws {
        // Not sorted first: hardly ever is one refused.
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
    /// Asks the records that were written whether they are valid, as they were written.
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
