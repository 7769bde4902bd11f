import GranaryCore

// A new record whose required reference names what has not come cannot be written yet. The object that it is part of is held
// until the end, with all that is nested in it: nothing of it has been written then. What comes after it and is one of its
// records is held too, so that the last one counts.

extension ImportRun {
    /// The objects of the batch that must be held, by their places in it.
    func heldItems() throws -> Set<Int> {
        guard !isLast else { return [] }
        var held: Set<Int> = []
        for case let plan? in plans {
            if let tables = heldRecords[plan.position] {
                for row in plan.rows.indices where plan.rows[row].isSource && isHeld(plan, row, tables) {
                    hold(plan, row, &held)
                }
            }
            guard !plan.requiring.isEmpty || !openNames.rows.isEmpty else { continue }
            for row in plan.rows.indices where lacksTarget(plan, row, held) { hold(plan, row, &held) }
        }
        guard !held.isEmpty else { return held }
        // What is held is missing to others.
        while true {
            let count = held.count
            for case let plan? in plans {
                for row in plan.rows.indices where plan.rows[row].isSource {
                    if plan.rows[row].isAny(of: held) || lacksTarget(plan, row, held) { hold(plan, row, &held) }
                }
            }
            if held.count == count { break }
        }
        for case let plan? in plans {
            for row in plan.rows.indices where plan.rows[row].isSource && plan.rows[row].isAny(of: held) {
                note(plan, row)
            }
        }
        return held
    }

    private func hold(_ plan: EntityPlan, _ row: Int, _ held: inout Set<Int>) {
        held.insert(plan.rows[row].item)
        held.formUnion(plan.rows[row].moreItems)
    }

    /// Whether a row cannot be written because a record is missing that it must refer to.
    private func lacksTarget(_ plan: EntityPlan, _ row: Int, _ held: Set<Int>) -> Bool {
        let state = plan.rows[row]
        guard !plan.requiring.isEmpty || state.isOpen, state.isSource, state.existing == nil, state.references != nil,
            !isSkipped(state, plan, row)
        else { return false }
        var next = state.references?.first
        while let number = next {
            let reference = plan.references[number]
            next = reference.next
            guard plan.mustRefer(reference.position, state), let target = plans[reference.entity],
                let targetRow = reference.row.map(target.merged), !(target === plan && targetRow == row)
            else { continue }
            if !comes(target, targetRow, held) { return true }
        }
        return false
    }

    /// Whether the record of a row is there at the end of the batch.
    private func comes(_ plan: EntityPlan, _ row: Int, _ held: Set<Int>) -> Bool {
        let state = plan.rows[row]
        if !state.isNew { return true }
        if state.isNamedOnly { return state.makesStub }
        return !state.isAny(of: held) && !isSkipped(state, plan, row)
    }

    private func isHeld(_ plan: EntityPlan, _ row: Int, _ tables: [IdentityTable]) -> Bool {
        for (identity, positions) in plan.identities.enumerated() {
            let values = plan.rows[row].key.flatMap { positions == [plan.entity.keyPosition] ? [$0] : nil }
            if let values = values ?? self.values(of: positions, plan, row), tables[identity][values] != nil {
                return true
            }
        }
        return false
    }

    /// Remembers which record a row is.
    private func note(_ plan: EntityPlan, _ row: Int) {
        for (identity, positions) in plan.identities.enumerated() {
            let values = plan.rows[row].key.flatMap { positions == [plan.entity.keyPosition] ? [$0] : nil }
            guard let values = values ?? self.values(of: positions, plan, row) else { continue }
            heldRecords[plan.position, default: plan.identities.map { _ in IdentityTable() }][identity][values] = row
        }
    }
}

extension StagedRow {
    /// Whether the source has an object for it that is staged.
    fileprivate var isSource: Bool { mergedInto == nil && !isNamedOnly }

    fileprivate func isAny(of items: Set<Int>) -> Bool {
        items.contains(item) || moreItems.contains(where: items.contains)
    }
}
