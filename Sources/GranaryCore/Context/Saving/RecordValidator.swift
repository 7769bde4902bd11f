import Synchronization

/// What records demand of themselves (``Record/validate()``), for rows that are about to be written.
struct RecordValidator: Sendable {
    /// By entity; nil where the schema has no record type for one.
    private var checks: [Check?]

    init(_ types: [any Record.Type], _ schema: Schema) {
        checks = schema.entities.map { _ in nil }
        for type in types {
            guard let entity = try? schema.position(ofEntity: type.entityName) else { continue }
            checks[entity] = Check(type, schema.entities[entity])
        }
    }

    /// Whether records of an entity may have rules. It is known to be false once one was checked that has none.
    func hasRules(for entity: Int) -> Bool { checks[entity]?.mayHaveRules.load(ordering: .relaxed) ?? false }

    /// - Throws: What the record throws; an error that names the attribute if the row is no such record.
    func check(_ row: StoredRow, of entity: Int) throws {
        guard let check = checks[entity], check.mayHaveRules.load(ordering: .relaxed) else { return }
        if try !check.ask(row) { check.mayHaveRules.store(false, ordering: .relaxed) }
    }

    /// The rules of a record type.
    private final class Check: Sendable {
        let mayHaveRules = Atomic<Bool>(true)
        /// Gives whether the type has rules.
        let ask: @Sendable (StoredRow) throws -> Bool

        init<R: Record>(_ type: R.Type, _ entity: Entity) {
            ask = { row in
                let record = try row.withRow { (row: borrowing Row) throws in try entity.record(R.self, from: row) }
                return try DefaultRules.validate(record)
            }
        }
    }
}
