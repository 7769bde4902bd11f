import GranaryCore

extension ImportRun {
    /// Finds the records of the batch that exist: one request for each entity and identity.
    func lookUp(in context: Context) throws {
        for case let plan? in plans where !plan.rows.isEmpty {
            guard plan.integerKey == nil else {
                try lookUpKeys(plan, in: context)
                continue
            }
            for identity in plan.identities.indices { try lookUp(plan, identity, in: context) }
        }
    }

    /// Drops stubs that are named only by skipped objects.
    func forgetUnwantedStubs() {
        guard batch.hasStubs else { return }
        var wanted: [Int: Set<Int>] = [:]
        func isWritten(_ plan: EntityPlan, _ row: Int) -> Bool {
            let state = plan.rows[row]
            guard state.mergedInto == nil else { return false }
            return state.isNamedOnly ? state.makesStub : !isSkipped(state, plan, row)
        }
        for case let plan? in plans {
            for row in plan.rows.indices where plan.rows[row].references != nil && isWritten(plan, row) {
                var next = plan.rows[row].references?.first
                while let number = next {
                    let reference = plan.references[number]
                    next = reference.next
                    guard reference.missing == .makeStub, let target = reference.row else { continue }
                    if let row = plans[reference.entity]?.merged(target) {
                        wanted[reference.entity, default: []].insert(row)
                    }
                }
            }
        }
        for list in batch.lists where list.rule.missing == .makeStub {
            guard let plan = plans[list.entity], let target = plans[list.target],
                isWritten(plan, plan.merged(list.row))
            else { continue }
            wanted[list.target, default: []].formUnion(list.members.map(target.merged))
        }
        for case let plan? in plans {
            for row in plan.rows.indices
            where plan.rows[row].makesStub && !(wanted[plan.position]?.contains(row) ?? false) {
                plan.rows[row].makesStub = false
            }
        }
    }

    private func lookUp(_ plan: EntityPlan, _ identity: Int, in context: Context) throws {
        var wanted: [(row: Int, values: [StoredValue])] = []
        for (number, row) in plan.rows.enumerated() where row.isSought(by: identity, plan) {
            if let values = values(of: plan.identities[identity], plan, number) { wanted.append((number, values)) }
        }
        guard !wanted.isEmpty else { return }
        let positions = plan.identities[identity]
        let found = try existing(wanted.map(\.values), plan, at: positions, in: context)
        guard !found.isEmpty else { return }
        let keys = plan.identities.firstIndex(of: [plan.entity.keyPosition])
        for (row, values) in wanted where plan.rows[row].mergedInto == nil {
            guard let existing = found[values] else { continue }
            let key = existing.value(at: plan.entity.keyPosition)
            // Two objects may name one record by different identities.
            if let keys, keys != identity, let other = plan.tables[keys][[key]].map(plan.merged), other != row {
                // If the first one gives the record other values, the second one does not name it.
                let first = self.values(of: positions, plan, other)
                if other < row, let first, first != values { continue }
                cutBetween(row, other, plan)
                merge(max(row, other), into: min(row, other), plan)
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

    /// Makes two rows one. What the second one is given comes after what the first one is.
    private func merge(_ second: Int, into first: Int, _ plan: EntityPlan) {
        let (late, row) = (plan.rows[second], plan.rows[first])
        overrule(second, first, plan)
        plan.stage.merge(second, into: first)
        plan.rows[second].mergedInto = first
        if let existing = late.existing {
            plan.rows[first].existing = existing
            plan.rows[first].key = late.key
        }
        if late.isKept { plan.rows[first].isKept = true }
        if late.makesStub { plan.rows[first].makesStub = true }
        if !late.isNamedOnly {
            if row.isNamedOnly {
                plan.rows[first].take(late)
            } else {
                for item in [late.item] + late.moreItems { plan.rows[first].add(item) }
                if let value = late.value { plan.rows[first].value = value }
            }
        }
        guard let chain = late.references else { return }
        if let earlier = plan.rows[first].references {
            plan.references[earlier.last].next = chain.first
            plan.rows[first].references = (earlier.first, chain.last)
        } else {
            plan.rows[first].references = chain
        }
    }

    /// Forgets what one row refers to where another one, which comes later, says anything of it.
    func overrule(_ second: Int, _ first: Int, _ plan: EntityPlan) {
        guard plan.rows[first].references != nil else { return }
        for position in plan.referring where plan.stage.isGiven(second, position) {
            unrefer(position, plan, first)
        }
        guard second < plan.rows.count else { return }
        var next = plan.rows[second].references?.first
        while let number = next {
            next = plan.references[number].next
            unrefer(plan.references[number].position, plan, first)
        }
    }

    /// The records that exist of some that are named by the values of attributes.
    func existing(
        _ wanted: [[StoredValue]], _ plan: EntityPlan, at positions: [Int], in context: Context
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
        if plan.identifiesByFirst, !isNamedOnly { return other == 0 }
        return identity == other || (key == nil && other > identity)
    }

    /// Becomes a record of the source, of which the row so far was only the name.
    mutating func take(_ other: StagedRow) {
        isNamedOnly = false
        place = other.place
        value = other.value
        item = other.item
        moreItems = other.moreItems
    }

    /// Notes that a further record of the source says something of it.
    mutating func add(_ other: Int) { if other != item && moreItems.last != other { moreItems.append(other) } }
}

extension ResolvedCondition {
    /// Whether an attribute has one of some values.
    static func isOneOf(_ values: [StoredValue], at position: Int) -> ResolvedCondition {
        let sorted = Set(values).sorted()
        return sorted.count == 1
            ? .compare(position: position, .equal, sorted[0]) : .among(position: position, sorted)
    }
}
