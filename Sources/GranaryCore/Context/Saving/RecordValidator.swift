/// What records demand of themselves (``Record/validate()``), for rows that are about to be written.
struct RecordValidator: Sendable {
    /// By entity; nil where the schema has no record type for one.
    private var checks: [(@Sendable (StoredRow) throws -> Void)?]

    init(_ types: [any Record.Type], _ schema: Schema) {
        checks = schema.entities.map { _ in nil }
        for type in types {
            guard let entity = try? schema.position(ofEntity: type.entityName) else { continue }
            checks[entity] = RecordValidator.check(type, schema.entities[entity])
        }
    }

    /// - Throws: What the record throws; an error that names the attribute if the row is no such record.
    func check(_ row: StoredRow, of entity: Int) throws { try checks[entity]?(row) }

    private static func check<R: Record>(
        _ type: R.Type, _ entity: Entity
    ) -> @Sendable (StoredRow) throws -> Void {
        { row in
            let record = try row.withRow { (row: borrowing Row) throws in try entity.record(R.self, from: row) }
            try record.validate()
        }
    }
}
