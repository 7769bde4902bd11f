import Synchronization

/// What records demand of themselves (``Record/validate()``), for rows that are about to be written.
struct RecordValidator: Sendable {
    /// By entity; nil where the schema has no record type for one.
    private var checks: [Check?]
    /// By entity: the entities with record types in which deleting a record of it may make a reference nil, also by way of
    /// other records that it deletes.
    private let nullified: [[Int]]

    init(_ types: [any Record.Type], _ schema: Schema) {
        checks = schema.entities.map { _ in nil }
        for type in types {
            guard let entity = try? schema.position(ofEntity: type.entityName) else { continue }
            checks[entity] = Check(type, schema.entities[entity])
        }
        nullified = RecordValidator.nullified(checks.map { $0 != nil }, schema)
    }

    private static func nullified(_ hasType: [Bool], _ schema: Schema) -> [[Int]] {
        guard hasType.contains(true) else { return schema.entities.map { _ in [] } }
        var (deleted, changed) = (schema.entities.map { _ in [Int]() }, schema.entities.map { _ in Set<Int>() })
        for (number, entity) in schema.entities.enumerated() {
            for reference in entity.attributes.compactMap(\.reference) {
                guard let target = schema.entities.firstIndex(where: { $0.name == reference.entity }) else { continue }
                if reference.onDelete == .cascade { deleted[target].append(number) }
                if reference.onDelete == .nullify, hasType[number] { changed[target].insert(number) }
            }
        }
        return schema.entities.indices.map { start in
            var (found, seen, open) = (Set<Int>(), [start] as Set<Int>, [start])
            while let entity = open.popLast() {
                found.formUnion(changed[entity])
                open += deleted[entity].filter { seen.insert($0).inserted }
            }
            return found.sorted()
        }
    }

    /// Whether a deletion may make a reference nil in records that have rules.
    func reachesRules(from entity: Int) -> Bool { nullified[entity].contains(where: hasRules) }

    /// Whether any deletion may.
    var reachesRules: Bool { nullified.contains { $0.contains(where: hasRules) } }

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
