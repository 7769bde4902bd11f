import Synchronization

/// Validates rows by the rules of their record types (``Record/validate()``) before they are written.
struct RecordValidator: Sendable {
    /// For each entity: its check; nil if the schema has no record type for it.
    private var checks: [Check?]
    /// For each entity: the references to it, if any record type may have rules.
    private let references: [[Reference]]
    /// For each entity: the entities with record types in which deleting one of its records may set a reference to nil,
    /// directly or through records that a cascade deletes.
    private let nullified: [[Int]]

    init(_ types: [any Record.Type], _ schema: Schema) {
        checks = schema.entities.map { _ in nil }
        for type in types {
            guard let entity = try? schema.position(ofEntity: type.entityName) else { continue }
            checks[entity] = Check(type, schema.entities[entity])
        }
        references = RecordValidator.references(in: schema, isNeeded: !types.isEmpty)
        nullified = RecordValidator.nullified(checks.map { $0 != nil }, references)
    }

    /// A reference of the records of an entity.
    struct Reference: Sendable {
        let entity: Int
        let attribute: String
        let onDelete: DeleteRule
    }

    private static func references(in schema: Schema, isNeeded: Bool) -> [[Reference]] {
        var references = schema.entities.map { _ in [Reference]() }
        guard isNeeded else { return references }
        for (number, entity) in schema.entities.enumerated() {
            for attribute in entity.attributes {
                guard let reference = attribute.reference,
                    let target = schema.entities.firstIndex(where: { $0.name == reference.entity })
                else { continue }
                references[target].append(
                    Reference(entity: number, attribute: attribute.name, onDelete: reference.onDelete))
            }
        }
        return references
    }

    private static func nullified(_ hasType: [Bool], _ references: [[Reference]]) -> [[Int]] {
        references.indices.map { start in
            var (found, seen, open) = (Set<Int>(), [start] as Set<Int>, [start])
            while let entity = open.popLast() {
                for reference in references[entity] {
                    switch reference.onDelete {
                    case .nullify: if hasType[reference.entity] { found.insert(reference.entity) }
                    case .cascade: if seen.insert(reference.entity).inserted { open.append(reference.entity) }
                    default: break
                    }
                }
            }
            return found.sorted()
        }
    }

    /// The references to the records of an entity.
    func references(to entity: Int) -> [Reference] { references[entity] }

    /// Whether a deletion may set a reference to nil in records that have rules.
    func reachesRules(from entity: Int) -> Bool { nullified[entity].contains(where: hasRules) }

    /// Whether this is true of any entity.
    var reachesRules: Bool { nullified.contains { $0.contains(where: hasRules) } }

    /// Whether records of an entity may have rules. Becomes false once a checked record turns out to have none.
    func hasRules(for entity: Int) -> Bool { checks[entity]?.mayHaveRules.load(ordering: .relaxed) ?? false }

    /// Validates a row. A row that the record type cannot read has no rules: it was written by name, with a value such
    /// as an unknown case of an enum. That depends neither on earlier checks nor on whether the type has rules.
    ///
    /// - Throws: The record's own error.
    func check(_ row: StoredRow, of entity: Int) throws {
        guard let check = checks[entity], check.mayHaveRules.load(ordering: .relaxed) else { return }
        if try !check.ask(row) { check.mayHaveRules.store(false, ordering: .relaxed) }
    }

    /// The rules of a record type.
    private final class Check: Sendable {
        let mayHaveRules = Atomic<Bool>(true)
        /// Validates a row. Returns whether the type has rules.
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
