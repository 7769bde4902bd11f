import GranaryCore

// A new record whose required reference names what has not come cannot be written yet. The object that it is part of is held
// until the end, with all that is nested in it: nothing of it has been written then. What comes after it and is one of its
// records is held too, so that the last one counts.
//
// An import that commits in parts holds objects that wait for anything, where an object is skipped once its record is written: by
// `.insertOnly`, or because it is not newer. An import that goes on would skip it before what it waits for has come.
//
// A held object may be known by a reference, among others, whose record has no key yet. It is noted by what names that record.
// What comes later is held as well unless its reference names another record for certain.

/// What a held record is known by; nil in the place of each reference.
struct HeldIdentity: Hashable {
    let entity: Int
    let identity: Int
    let values: [StoredValue?]
}

/// What is known of the records that an identity refers to, by the attribute that refers: the values of each of their identities.
typealias ReferredNames = [Int: [[Int]: [StoredValue]]]

/// Decides which objects of a batch are held until the end.
struct Holding {
    let plans: EntityPlans
    let batch: Batch

    /// The objects that must be held, by their places in the batch.
    ///
    /// - Parameter earlier: The objects that are held already.
    func items(after earlier: HeldObjects) throws -> Set<Int> {
        var held: Set<Int> = []
        for case let plan? in plans {
            let tables = earlier.tables(of: plan.position)
            if tables != nil || earlier.isAnyOpen {
                for row in plan.rows.indices where plan.rows[row].isSource && isHeld(plan, row, tables, earlier) {
                    hold(plan, row, &held)
                }
            }
            if plans.importer.commitSize != .max, !plan.deleting.isEmpty {
                for row in plan.rows.indices where replaces(plan, row) { hold(plan, row, &held) }
            }
            guard !plan.requiring.isEmpty || !batch.openRows.isEmpty || holdsWaiting(plan) else { continue }
            for row in plan.rows.indices where lacksTarget(plan, row, held) { hold(plan, row, &held) }
        }
        try holdOwners(&held)
        guard !held.isEmpty else { return held }
        // What is held is missing to others.
        while true {
            let count = held.count
            for case let plan? in plans {
                for row in plan.rows.indices where plan.rows[row].isSource {
                    if plan.rows[row].isAny(of: held) || lacksTarget(plan, row, held) { hold(plan, row, &held) }
                }
            }
            try holdOwners(&held)
            if held.count == count { return held }
        }
    }

    /// Notes which records the objects are that are held from now on.
    func note(_ items: Set<Int>, in held: inout HeldObjects) {
        for case let plan? in plans {
            for row in plan.rows.indices where plan.rows[row].isSource && plan.rows[row].isAny(of: items) {
                note(plan, row, &held)
            }
        }
    }

    private func hold(_ plan: EntityPlan, _ row: Int, _ held: inout Set<Int>) {
        held.insert(plan.rows[row].item)
        held.formUnion(plan.rows[row].moreItems)
    }

    /// Whether objects of an entity are held that wait for anything.
    private func holdsWaiting(_ plan: EntityPlan) -> Bool {
        guard plans.importer.commitSize != .max else { return false }
        if case .insertOnly = plan.policy { return true }
        return plan.modification != nil
    }

    /// Holds objects whose lists wait for what comes later, or leave out what is deleted at the end.
    private func holdOwners(_ held: inout Set<Int>) throws {
        for list in batch.lists {
            guard let plan = plans[list.entity], let target = plans[list.target], holdsWaiting(plan) else { continue }
            let row = plan.merged(list.row)
            guard plan.rows[row].isSource, !plan.rows[row].isAny(of: held), !plan.isSkipped(row) else {
                continue
            }
            let waits =
                list.rule.missing != .ignore && list.members.contains { !comes(target, target.merged($0), held) }
            let isEndedLate = try plan.rows[row].existing != nil && endsLate(list, plan)
            if waits || isEndedLate { hold(plan, row, &held) }
        }
    }

    /// Whether a row gives a reference of a stored record another record, so that the former one is deleted at the end: an import
    /// that goes on would not find it.
    private func replaces(_ plan: EntityPlan, _ row: Int) -> Bool {
        guard plan.rows[row].isSource, let existing = plan.rows[row].existing, !plan.isSkipped(row) else {
            return false
        }
        return plan.deleting.contains { position in
            let former = existing.value(at: position)
            guard former != .null else { return false }
            return plans.said(at: position, of: plan, row).map { $0.value != former } ?? false
        }
    }

    /// Whether what a list leaves out is deleted, or not related any more, at the end alone.
    private func endsLate(_ list: StagedList, _ plan: EntityPlan) throws -> Bool {
        if list.rule.policy == .replaceAndDelete { return true }
        let relationship = plan.entity.relationships[list.relationship]
        guard list.rule.policy != .add, relationship.through == nil else { return false }
        let members = plans.schema.entities[list.target]
        return try !members.attributes[members.position(ofAttribute: relationship.attribute)].isOptional
    }

    /// Whether a row cannot be written because a record is missing that it must refer to.
    private func lacksTarget(_ plan: EntityPlan, _ row: Int, _ held: Set<Int>) -> Bool {
        guard plan.rows[row].references != nil, plan.rows[row].isSource, !plan.isSkipped(row) else { return false }
        let isNew = plan.rows[row].existing == nil
        let holdsWaiting = holdsWaiting(plan)
        return anyTarget(of: row, plan) { reference, target, targetRow in
            let isNeeded = isNew && plan.mustRefer(reference.position, plan.rows[row])
            // Without a name, what it waits for could not be found later.
            let hasNoName = target.rows[targetRow].isNamedOnly && target.rows[targetRow].isOpen
            guard isNeeded || (holdsWaiting || hasNoName) && reference.missing != .ignore else { return false }
            return !comes(target, targetRow, held)
        }
    }

    /// Whether a condition holds of any other row that a row refers to.
    private func anyTarget(
        of row: Int, _ plan: EntityPlan, _ condition: (StagedReference, EntityPlan, Int) -> Bool
    ) -> Bool {
        for number in plan.references(of: row) {
            guard let target = plans[plan.references[number].entity],
                let targetRow = plan.references[number].row.map(target.merged),
                !(target === plan && targetRow == row)
            else { continue }
            if condition(plan.references[number], target, targetRow) { return true }
        }
        return false
    }

    /// Whether the record of a row is there at the end of the batch.
    private func comes(_ plan: EntityPlan, _ row: Int, _ held: Set<Int>) -> Bool {
        if !plan.rows[row].isNew { return true }
        if plan.rows[row].isNamedOnly {
            guard plan.rows[row].makesStub, plan.rows[row].isOpen else { return plan.rows[row].makesStub }
            // It is made with what tells which record it is. That is named, and does not refer back to it.
            return !anyTarget(of: row, plan) { reference, target, targetRow in
                plan.mustRefer(reference.position, plan.rows[row]) && !comes(target, targetRow, held)
            }
        }
        return !plan.rows[row].isAny(of: held) && !plan.isSkipped(row)
    }

    private func isHeld(
        _ plan: EntityPlan, _ row: Int, _ tables: [IdentityTable]?, _ earlier: HeldObjects
    ) -> Bool {
        for (identity, positions) in plan.identities.enumerated() {
            let values = plan.rows[row].key.flatMap { positions == [plan.entity.keyPosition] ? [$0] : nil }
            if let tables, let values = values ?? plan.values(of: positions, row), tables[identity][values] != nil {
                return true
            }
            guard earlier.isAnyOpen, let (known, names) = referred(identity, plan, row) else { continue }
            if earlier.names(of: known).contains(where: { mayBeSame($0, names) }) { return true }
        }
        return false
    }

    /// Remembers which record a row is.
    private func note(_ plan: EntityPlan, _ row: Int, _ held: inout HeldObjects) {
        for (identity, positions) in plan.identities.enumerated() {
            let values = plan.rows[row].key.flatMap { positions == [plan.entity.keyPosition] ? [$0] : nil }
            if let values = values ?? plan.values(of: positions, row) {
                held.note(values, identity, row, plan)
            } else if let (known, names) = referred(identity, plan, row) {
                held.note(names, known)
            }
        }
    }

    /// What a row is known by if an identity refers to records; nil if it does not, or the row lacks a part of it.
    private func referred(_ identity: Int, _ plan: EntityPlan, _ row: Int) -> (HeldIdentity, ReferredNames)? {
        let positions = plan.identities[identity]
        guard positions.contains(where: plan.identifying.contains) else { return nil }
        var values: [StoredValue?] = []
        var names: ReferredNames = [:]
        for position in positions {
            let value = plan.values(of: [position], row)?.first
            guard plan.identifying.contains(position) else {
                guard let value else { return nil }
                values.append(value)
                continue
            }
            var known: [[Int]: [StoredValue]]?
            _ = anyTarget(of: row, plan) { reference, target, targetRow in
                if reference.position == position { known = self.names(of: target, targetRow) }
                return false
            }
            if let value, known == nil, let name = plan.entity.attributes[position].reference?.entity,
                let target = plans.schema.entities.first(where: { $0.name.hasSameBytes(as: name) })
            {
                known = [[target.keyPosition]: [value]]
            }
            guard let known else { return nil }
            names[position] = known
            values.append(nil)
        }
        return (HeldIdentity(entity: plan.position, identity: identity, values: values), names)
    }

    /// The values of each identity that is known of a row.
    private func names(of plan: EntityPlan, _ row: Int) -> [[Int]: [StoredValue]] {
        var names: [[Int]: [StoredValue]] = [:]
        for positions in plan.identities {
            if let given = plan.values(of: positions, row) {
                names[positions] = given
            } else if let existing = plan.rows[row].existing {
                let stored = positions.map { existing.value(at: $0) }
                if !stored.contains(.null) { names[positions] = plan.compared(stored, by: positions) }
            }
        }
        if let key = plan.rows[row].key { names[[plan.entity.keyPosition]] = [key] }
        return names
    }

    /// Whether both refer to the same records, as far as it is known.
    private func mayBeSame(_ left: ReferredNames, _ right: ReferredNames) -> Bool {
        left.allSatisfy { position, names in
            guard let others = right[position] else { return true }
            let common = names.keys.filter { others[$0] != nil }
            return common.isEmpty || common.contains { names[$0] == others[$0] }
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
