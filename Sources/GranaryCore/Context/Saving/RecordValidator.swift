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

    /// A row that the record type cannot read is no such record, and has no rules to be asked: it was written by name, with a
    /// value such as an enum's that has no case. That does not depend on what was asked before, or on whether the type has rules.
    ///
    /// - Throws: What the record throws.
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
                let record: R
                do {
                    record = try row.withRow { (row: borrowing Row) throws in try entity.record(R.self, from: row) }
                } catch {
                    return true
                }
                return try DefaultRules.validate(record)
            }
        }
    }
}
