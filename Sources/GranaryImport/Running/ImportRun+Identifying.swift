import GranaryCore

// Which record an object is: one that the batch has already, or a row of its own.

extension ImportRun {
    /// Finds out which record a new row is. Returns its row, which is an earlier one if the batch has the record already; nil
    /// if the record is left out.
    func identify(_ object: SourceObject, _ open: [OpenReference] = []) throws -> (row: Int, isSkipped: Bool)? {
        let (plan, row, place, namedOnly) = (object.plan, object.row, object.place, object.origin.isNamedOnly)
        if addNew(row, plan, place, object.item, isNamedOnly: namedOnly) { return (row, false) }
        if isZeroKey(row, plan) {
            plan.drop(row)
            if namedOnly {
                try keepValue(zeroKey(plan), "", at: place)
            } else {
                account.report.failed += 1
                try fail(zeroKey(plan), at: place)
            }
            return nil
        }
        var given: [(identity: Int, values: [StoredValue])] = []
        let isChosen = !namedOnly && plan.identifiesByFirst
        for (identity, positions) in plan.identities.enumerated() where identity == 0 || !isChosen {
            if let values = values(of: positions, plan, row) { given.append((identity, values)) }
        }
        let key = key(of: row, plan)
        for (identity, values) in given {
            guard let earlier = plan.tables[identity][values].map(plan.merged) else { continue }
            // Objects with different keys are different records, whatever they share for now. So are two of which only the
            // second one has a key: the first one names what the store has.
            if !namedOnly, !isChosen, let key, key != plan.rows[earlier].key,
                plan.rows[earlier].key != nil || !plan.rows[earlier].isNamedOnly
            {
                continue
            }
            if !namedOnly, skipsRepetition(object, after: earlier) { return (earlier, true) }
            merge(last: object, into: earlier, given)
            return (earlier, false)
        }
        let unsettled = open.isEmpty ? [] : openIdentities(of: row, plan, open).filter { $0.identity == 0 || !isChosen }
        if given.isEmpty,
            let earlier = unsettled.lazy.compactMap({ self.batch.openNames.rows[$0] }).first.map(plan.merged)
        {
            if !namedOnly, skipsRepetition(object, after: earlier) { return (earlier, true) }
            merge(last: object, into: earlier, given)
            return (earlier, false)
        }
        // What is only named, as an object that comes later may be, is waited for until the end.
        let isOpen = given.isEmpty && !unsettled.isEmpty && !(namedOnly && isLast && areMissing(open))
        if isOpen, namedOnly { batch.openNames.isNeeded = true }
        if given.isEmpty, !isOpen {
            switch importer.missingKey {
            case .create where !namedOnly: break
            case .skip where !namedOnly:
                plan.drop(row)
                account.report.skip(place, .noKey)
                return nil
            default:
                plan.drop(row)
                if namedOnly {
                    try keepValue(missingKey(plan, place), "", at: place)
                    return nil
                }
                account.report.failed += 1
                try fail(missingKey(plan, place), at: place)
                return nil
            }
        }
        for (identity, values) in given { plan.tables[identity][values] = row }
        var staged = StagedRow(place: place, item: object.item, isNamedOnly: namedOnly, identity: given.first?.identity)
        staged.key = key
        staged.isOpen = isOpen
        if !namedOnly || isOpen { for identity in unsettled { batch.openNames.rows[identity] = row } }
        if row < plan.rows.count { plan.rows[row] = staged } else { plan.rows.append(staged) }
        return (row, false)
    }

    /// Adds a row that is known by a key which is an integer and new to the batch: the most frequent case. Returns false of any
    /// other row, which is not added.
    @inline(__always)
    func addNew(_ row: Int, _ plan: EntityPlan, _ place: ImportPlace, _ item: Int, isNamedOnly: Bool) -> Bool {
        guard let number = plan.integerKey(of: row), plan.tables[0].insert(row, number) else { return false }
        plan.rows.append(
            StagedRow(place: place, item: item, isNamedOnly: isNamedOnly, identity: 0, key: .integer(number)))
        return true
    }

    /// Makes the last row part of an earlier one.
    private func merge(
        last object: SourceObject, into earlier: Int, _ given: [(identity: Int, values: [StoredValue])]
    ) {
        let (plan, row, place, item) = (object.plan, object.row, object.place, object.item)
        let namedOnly = object.origin.isNamedOnly
        let before = plan.identities.map { values(of: $0, plan, earlier) }
        overrule(row, earlier, plan)
        let said = namedOnly ? [] : plan.referring.filter { plan.stage.isGiven(row, $0) }
        plan.stage.merge(row, into: earlier)
        plan.drop(row)
        for position in said {
            chain(
                StagedReference(
                    position: position, entity: plan.position, row: nil, item: item, missing: .ignore,
                    isInverse: false, place: place),
                to: earlier, plan)
        }
        if !namedOnly {
            if plan.rows[earlier].isNamedOnly {
                plan.rows[earlier].take(StagedRow(place: place, item: item, isNamedOnly: false))
            } else {
                plan.rows[earlier].add(item)
            }
        }
        if plan.rows[earlier].key == nil { plan.rows[earlier].key = key(of: earlier, plan) }
        for (identity, values) in before.enumerated() {
            // It is not found any more by what it does not have any more.
            if let values, values != self.values(of: plan.identities[identity], plan, earlier),
                plan.tables[identity][values] == earlier
            {
                plan.tables[identity][values] = nil
            }
        }
        for (identity, values) in given { plan.tables[identity][values] = earlier }
        if let first = given.first?.identity {
            plan.rows[earlier].identity = min(first, plan.rows[earlier].identity ?? first)
        }
    }

    /// Whether the source gives the key 0 where the store assigns keys: it stands for a key that is not assigned yet.
    private func isZeroKey(_ row: Int, _ plan: EntityPlan) -> Bool {
        let position = plan.entity.keyPosition
        guard plan.entity.keyGeneration == .assigned, plan.stage.isGiven(row, position) else { return false }
        let cell = plan.stage[row, position]
        return cell.kind == .integer && cell.integerValue == 0
    }

    private func zeroKey(_ plan: EntityPlan) -> GranaryError {
        GranaryError(
            .invalidRecord,
            "0 is not a key of \(plan.entity.name): the store assigns keys from 1. Give the record another key, or leave the key out.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }

    /// The values of an identity, nil if one of them is not given or nil.
    func values(of positions: [Int], _ plan: EntityPlan, _ row: Int) -> [StoredValue]? {
        var values: [StoredValue] = []
        for position in positions {
            guard plan.stage.isGiven(row, position) else { return nil }
            let cell = plan.stage[row, position]
            guard !cell.isNull else { return nil }
            // A key that the store assigns is 0 until it is.
            if position == plan.entity.keyPosition, plan.entity.keyGeneration == .assigned, cell.integerValue == 0 {
                return nil
            }
            values.append(StoredValue(cell))
        }
        return plan.compared(values, by: positions)
    }

    func key(of row: Int, _ plan: EntityPlan) -> StoredValue? {
        values(of: [plan.entity.keyPosition], plan, row)?.first
    }
}
