import GranaryCore

extension ImportRun {
    /// Finds the records of the batch that exist: one request for each entity and identity.
    func lookUp(in context: some Context) throws {
        for case let plan? in plans where !plan.rows.isEmpty {
            for identity in plan.identities.indices { try lookUp(plan, identity, in: context) }
        }
    }

    private func lookUp(_ plan: EntityPlan, _ identity: Int, in context: some Context) throws {
        var wanted: [(row: Int, values: [StoredValue])] = []
        for (number, row) in plan.rows.enumerated() where row.isSought(by: identity) {
            if let values = values(of: plan.identities[identity], plan, number) { wanted.append((number, values)) }
        }
        guard !wanted.isEmpty else { return }
        let found = try existing(wanted.map(\.values), plan, identity, in: context)
        guard !found.isEmpty else { return }
        for (row, values) in wanted {
            guard let existing = found[values] else { continue }
            let key = existing.value(at: plan.entity.keyPosition)
            // Two objects may name one record by different identities.
            if identity > 0, let other = plan.rows.firstIndex(where: { $0.existing != nil && $0.key == key }),
                other != row
            {
                plan.stage.merge(row, into: other)
                plan.rows[row].mergedInto = other
                if !plan.rows[row].isNamedOnly { plan.rows[other].isNamedOnly = false }
                append(referencesOf: row, to: other, plan)
                continue
            }
            plan.rows[row].existing = existing
            plan.rows[row].key = key
        }
    }

    private func append(referencesOf row: Int, to other: Int, _ plan: EntityPlan) {
        guard let chain = plan.rows[row].references else { return }
        if let earlier = plan.rows[other].references {
            plan.references[earlier.last].next = chain.first
            plan.rows[other].references = (earlier.first, chain.last)
        } else {
            plan.rows[other].references = chain
        }
    }

    /// The records that exist of some that are named by the values of an identity.
    func existing(
        _ wanted: [[StoredValue]], _ plan: EntityPlan, _ identity: Int, in context: some Context
    ) throws -> [[StoredValue]: StoredRow] {
        let positions = plan.identities[identity]
        let conditions = positions.enumerated().map { index, position in
            ResolvedCondition.isOneOf(wanted.map { $0[index] }, at: position)
        }
        let condition = conditions.count == 1 ? conditions[0] : .all(conditions)
        let listed = conditions.count == 1 ? nil : Set(wanted)
        var found: [[StoredValue]: StoredRow] = [:]
        let cursor = try context.rows(FetchRequest(entity: plan.position, condition: condition))
        while let row = try cursor.next() {
            let values = positions.map { StoredValue(row[$0]) }
            // Several attributes, each one of some values, are more records than those wanted.
            if let listed, !listed.contains(values) { continue }
            found[values] = StoredRow(row)
        }
        return found
    }
}

extension StagedRow {
    /// Whether it is looked up by an identity: by the first that it has, and if that is not the key by the others, until it
    /// is found.
    fileprivate func isSought(by other: Int) -> Bool {
        guard existing == nil, mergedInto == nil, let identity else { return false }
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
