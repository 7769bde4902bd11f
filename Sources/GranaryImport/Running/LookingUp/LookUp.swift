import GranaryCore

/// Finds which of the records that objects are, or name, are in the store.
struct LookUp {
    let plans: EntityPlans
    let context: Context

    /// Finds the records of the batch that exist: one request for each entity and identity. Notes them with their rows, and
    /// cuts the batch where two objects turn out to be one record.
    func find(_ batch: inout Batch) throws {
        for case let plan? in plans where !plan.rows.isEmpty {
            guard plan.integerKey == nil else {
                try findKeys(plan)
                continue
            }
            for identity in plan.identities.indices { try find(plan, identity, &batch) }
        }
    }

    private func find(_ plan: EntityPlan, _ identity: Int, _ batch: inout Batch) throws {
        var wanted: [(row: Int, values: [StoredValue])] = []
        for (number, row) in plan.rows.enumerated() where row.isSought(by: identity, plan) {
            if let values = plan.values(of: plan.identities[identity], number) { wanted.append((number, values)) }
        }
        guard !wanted.isEmpty else { return }
        let positions = plan.identities[identity]
        let found = try existing(wanted.map(\.values), plan, at: positions)
        guard !found.isEmpty else { return }
        let keys = plan.identities.firstIndex(of: [plan.entity.keyPosition])
        for (row, values) in wanted where plan.rows[row].mergedInto == nil {
            guard let existing = found[values] else { continue }
            let key = existing.value(at: plan.entity.keyPosition)
            // Two objects may name one record by different identities.
            if let keys, keys != identity, let other = plan.tables[keys][[key]].map(plan.merged), other != row {
                // If the first one gives the record other values, the second one does not name it.
                let first = plan.values(of: positions, other)
                if other < row, let first, first != values { continue }
                batch.cutBetween(plan.rows[row], plan.rows[other])
                plan.merge(max(row, other), into: min(row, other))
                if other < row {
                    if plan.rows[other].existing == nil {
                        plan.rows[other].existing = existing
                        plan.rows[other].key = key
                    }
                    continue
                }
            }
            plan.rows[row].existing = existing
            plan.rows[row].key = key
            if let keys { plan.tables[keys][[key]] = row }
        }
    }

    /// The keys of records that are named; nil of those that do not exist.
    func keys(of wanted: [SoughtRecord]) throws -> [StoredValue?] {
        var keys = [StoredValue?](repeating: nil, count: wanted.count)
        let groups = Dictionary(grouping: wanted.indices) { [wanted[$0].entity] + wanted[$0].name.positions }
        for (group, indices) in groups {
            let target = try plans.plan(group[0])
            let found = try existing(indices.map { wanted[$0].name.values }, target, at: Array(group.dropFirst()))
            for index in indices {
                keys[index] = found[wanted[index].name.values]?.value(at: target.entity.keyPosition)
            }
        }
        return keys
    }

    /// The records that exist of some that are named by the values of attributes.
    func existing(
        _ wanted: [[StoredValue]], _ plan: EntityPlan, at positions: [Int]
    ) throws -> [[StoredValue]: StoredRow] {
        let listed = positions.count == 1 ? nil : Set(wanted)
        var found: [[StoredValue]: StoredRow] = [:]
        let conditions = plan.foldings[positions].map { folded(wanted, positions, $0) } ?? conditions(wanted, positions)
        for condition in conditions {
            let cursor = try context.rows(FetchRequest(entity: plan.position, condition: condition))
            while let row = try cursor.next() {
                let values = plan.compared(positions.map { StoredValue(row[$0]) }, by: positions)
                // Several attributes, each one of some values, are more records than those wanted.
                if let listed, !listed.contains(values) { continue }
                found[values] = StoredRow(row)
            }
        }
        return found
    }

    /// A condition for each record, by an index that overlooks case or diacritics.
    private func folded(
        _ wanted: [[StoredValue]], _ positions: [Int], _ folding: TextFolding
    ) -> [ResolvedCondition] {
        Set(wanted).map { values in
            let conditions = zip(positions, values).map { position, value -> ResolvedCondition in
                guard case .text(let utf8) = value else { return .compare(position: position, .equal, value) }
                return .text(.attribute(position), TextMatch(.equal, utf8: utf8, folding), isNegated: false)
            }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        }
    }

    /// One condition for all, unless the values of several attributes combined are many more than those wanted: then one for
    /// each value of the attribute that has the fewest.
    private func conditions(_ wanted: [[StoredValue]], _ positions: [Int]) -> [ResolvedCondition] {
        let columns = positions.indices.map { index in Set(wanted.map { $0[index] }) }
        func all(_ wanted: [[StoredValue]]) -> ResolvedCondition {
            let conditions = positions.enumerated().map { index, position in
                ResolvedCondition.isOneOf(wanted.map { $0[index] }, at: position)
            }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        }
        let combined = columns.reduce(1.0) { $0 * Double($1.count) }
        guard positions.count > 1, combined > 16 * Double(wanted.count),
            let fewest = columns.indices.min(by: { columns[$0].count < columns[$1].count })
        else { return [all(wanted)] }
        return Dictionary(grouping: wanted) { $0[fewest] }.values.map(all)
    }
}

extension StagedRow {
    /// Whether it is looked up by an identity: by the first that it has, and if that is not the key by the others, until it
    /// is found. An object whose mapping says by what it is identified is looked up by that alone.
    fileprivate func isSought(by other: Int, _ plan: EntityPlan) -> Bool {
        guard existing == nil, mergedInto == nil, let identity else { return false }
        if plan.identifiesByFirst, !isNamedOnly, !isFound { return other == 0 }
        return identity == other || (key == nil && other > identity)
    }
}

extension ResolvedCondition {
    /// Whether an attribute has one of some values.
    static func isOneOf(_ values: [StoredValue], at position: Int) -> ResolvedCondition {
        let sorted = Set(values).sorted()
        return sorted.count == 1
            ? .compare(position: position, .equal, sorted[0]) : .among(position: position, sorted)
    }
}
