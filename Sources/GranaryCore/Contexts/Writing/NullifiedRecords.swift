// A delete rule can set a reference to nil in a record that the caller did not name. That record may have validation
// rules of its own. A context checks them when it is saved. A transaction checks them at once: it looks up the records
// that refer to the records that it is about to delete, also through records that a cascade deletes, and validates
// those that are left. Nothing is looked up if no record with rules can be affected.

/// Validates the records whose references a deletion sets to nil.
struct NullifiedRecords {
    private let validator: RecordValidator
    private let writer: any StoreWriter

    init(_ validator: RecordValidator, _ writer: any StoreWriter) {
        (self.validator, self.writer) = (validator, writer)
    }

    /// Runs a deletion. It is undone if a record that it changes is not valid afterwards.
    ///
    /// - Parameter keys: The keys of the records to be deleted. Called only if records with rules may refer to them.
    /// - Throws: The validation error of the first such record, by entity and key.
    func deleting<T>(
        _ keys: () throws -> [StoredValue], from entity: Int, in context: Context, _ body: () throws -> T
    ) throws -> T {
        guard validator.reachesRules(from: entity) else { return try body() }
        let affected = try referring(to: try keys(), in: entity)
        guard !affected.isEmpty else { return try body() }
        return try context.savepoint {
            let result = try body()
            for (entity, keys) in affected.sorted(by: { $0.key < $1.key }) { try check(keys.sorted(), in: entity) }
            return result
        }
    }

    /// For each entity: the keys of the records with rules whose references become nil.
    private func referring(to keys: [StoredValue], in entity: Int) throws -> [Int: Set<StoredValue>] {
        var affected: [Int: Set<StoredValue>] = [:]
        var deleted = [entity: Set(keys)]
        var open = [(entity: entity, keys: keys)]
        while let next = open.popLast() {
            for reference in validator.references(to: next.entity) {
                let isNullified = reference.onDelete == .nullify && validator.hasRules(for: reference.entity)
                guard isNullified || reference.onDelete == .cascade else { continue }
                let found = try records(of: reference, to: next.keys)
                if isNullified {
                    affected[reference.entity, default: []].formUnion(found)
                } else {
                    let new = found.filter { deleted[reference.entity, default: []].insert($0).inserted }
                    if !new.isEmpty { open.append((reference.entity, new)) }
                }
            }
        }
        return affected.filter { !$0.value.isEmpty }
    }

    private func records(of reference: RecordValidator.Reference, to keys: [StoredValue]) throws -> [StoredValue] {
        let entity = writer.schema.entities[reference.entity].name
        return try keys.chunks().flatMap { part in
            let query = AnyRequest(entity, where: .among(reference.attribute, part))
            return try writer.keys(FetchRequest(query, in: writer.schema))
        }
    }

    private func check(_ keys: [StoredValue], in entity: Int) throws {
        for key in keys {
            let row = try key.withCell { key in
                guard let row = try writer.find(key, in: entity) else { return nil as StoredRow? }
                return StoredRow(row)
            }
            // A record that was deleted as well is not validated.
            if let row { try validator.check(row, of: entity) }
        }
    }
}
