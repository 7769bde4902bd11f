public import GranaryCore

extension Context {
    /// Imports objects as records of a type: finds those that exist by their keys or unique attributes, updates them, inserts
    /// the others, and connects them with what is nested in them.
    ///
    /// ```swift
    /// let result = try tx.import(artists, as: Artist.self)
    /// print(result.records.count, result.report.inserted, result.report.updated)
    /// ```
    ///
    /// The result has the records of this type alone. Import by the entity's name if ``Importer/choose`` has others as well.
    ///
    /// Cost: one look-up a batch and entity, and one write a record that changes.
    ///
    /// - Throws: What is wrong with the first record that cannot be imported, with its place in the source; the context is as
    ///   before. An importer that reports failures throws only what concerns all records.
    ///   `limit` for objects deeper than 512 levels, or than the stack of the thread holds: an import into the stack with
    ///   `await` has 8 MB of it.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportResult<R> {
        _ = try entity(of: type)
        let position = try schema.position(ofEntity: R.entityName)
        return try imported(source, R.entityName, importer) { row, entity in
            entity == position ? try R(row: row) : nil
        }
    }

    /// Imports objects as records of an entity without a Swift type.
    ///
    /// Where the entity has a record type in the schema, its mapping, its hooks and its validation are used all the same.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportResult<DynamicRecord> {
        let schema = schema
        return try imported(source, entity, importer) { row, entity in DynamicRecord(schema.entities[entity], row: row)
        }
    }

    private func imported<Output: Sendable>(
        _ source: some ImportSource, _ entity: String, _ importer: Importer,
        _ make: (borrowing Row, Int) throws -> Output?
    ) throws -> ImportResult<Output> {
        guard importer.commits == .once else { throw ImportRun.commitsElsewhere() }
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: true)
        var records: [Output] = []
        try undone(if: importer.isDryRun) {
            try run.run(run.batches(of: source), in: self)
            records = try run.records(in: self, make)
        }
        return ImportResult(records: records, report: run.report)
    }

    /// Runs a part all or nothing, or undoes it in any case.
    func undone(if isUndone: Bool, _ body: () throws -> Void) throws {
        do {
            try savepoint {
                try body()
                if isUndone { throw DryRun() }
            }
        } catch is DryRun {}
    }
}

/// Undoes what a dry run has done.
private struct DryRun: Error {}

extension ImportRun {
    /// The records of the source in its order, as they are now, without those for which nil is made.
    func records<Output>(
        in context: Context, _ make: (borrowing Row, Int) throws -> Output?
    ) throws -> [Output] {
        let keys = account.keys.sorted { $0.number < $1.number }
        var found: [Int: [StoredValue: Output]] = [:]
        for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
            let keyPosition = plans.schema.entities[entity].keyPosition
            for part in keys.map(\.key).chunks() {
                let request = FetchRequest(entity: entity, condition: .isOneOf(part, at: keyPosition))
                let cursor = try context.rows(request)
                while let row = try cursor.next() {
                    found[entity, default: [:]][StoredValue(row[keyPosition])] = try make(row, entity)
                }
            }
        }
        return keys.compactMap { found[$0.entity]?[$0.key] }
    }
}
