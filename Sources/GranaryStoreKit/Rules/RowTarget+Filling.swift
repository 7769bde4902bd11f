// A filling checks rules between rows at its end, because rows come in the order of keys and not in that of their
// references.

extension StoreWriter where Self: RowTarget {
    public func append(_ row: borrowing Row, to entity: Int) throws {
        try check()
        let rules = try rules.rules(of: entity)
        let new = rules.record(try rules.cells(of: row))
        try rules.checkValues(new, self.rules.limits)
        let key = new.value(at: rules.keyPosition)
        if try others.exists(key, of: entity) {
            throw GranaryError.notUnique(rules.entity, [rules.entity.key])
        }
        try put(RowChange(entity: entity, key: key, old: nil, new: new))
        if rules.assignsKeys, case .integer(let number) = key { try raiseAssignedKey(to: number, of: entity) }
    }

    /// The checks of ``StoreFilling/finishFilling(_:)``, and the assigned keys. In addition, a store of rows only has
    /// to keep the number of the commit.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values; `danglingReference`.
    public func checkFilling(_ end: FillingEnd) throws {
        try check()
        for (entity, rules) in rules.entities.enumerated() {
            for (number, unique) in rules.uniques.enumerated() {
                if let error = try duplicates(unique, number, of: entity).error { throw error }
            }
            if end.checksReferences { try checkReferences(of: entity, rules) }
            if rules.assignsKeys, end.lastAssignedKeys.indices.contains(entity) {
                try raiseAssignedKey(to: end.lastAssignedKeys[entity], of: entity)
            }
        }
    }

    private func raiseAssignedKey(to key: Int64, of entity: Int) throws {
        if try lastAssignedKey(of: entity) < key { try setLastAssignedKey(key, of: entity) }
    }

    private func duplicates(_ unique: EntityRules.Unique, _ number: Int, of entity: Int) throws -> DuplicateRecords {
        let rules = try rules.rules(of: entity)
        var duplicates = DuplicateRecords(rules.entity, unique.attributes)
        var shared: [StoredValue: [StoredValue]] = [:]
        try forEachRow(of: entity, where: nil) { row in
            guard let value = unique.values.value(of: row), shared[value] == nil else { return }
            let holders = try keys(holding: value, number, of: entity)
            if holders.count > 1 { shared[value] = holders.sorted() }
        }
        for (_, keys) in shared.sorted(by: { $0.key < $1.key }) {
            for (key, other) in zip(keys, keys.dropFirst()) where !duplicates.isFull { duplicates.add(key, other) }
        }
        return duplicates
    }

    private func checkReferences(of entity: Int, _ rules: EntityRules) throws {
        if rules.outgoing.isEmpty { return }
        // The first error by key. A store need not return its rows in the order of keys.
        var first: (key: StoredValue, error: GranaryError)?
        try forEachRow(of: entity, where: nil) { row in
            let key = row.value(at: rules.keyPosition)
            if let first, !(key < first.key) { return }
            guard let position = try rules.danglingReference(of: row, key, at: rules.references, among: others) else {
                return
            }
            var error = GranaryError.dangling(rules.entity, position)
            error.key = row.value(at: rules.entity.positionOfKeyInErrors)
            first = (key, error)
        }
        if let first { throw first.error }
    }
}
