import GranaryCore

// Which record an object is: one that the batch has already, or a row of its own.

extension Staging {
    /// Finds out which record a new row is. Returns its row, which is an earlier one if the batch has the record already; nil
    /// if the record is left out.
    mutating func identify(_ object: SourceObject, _ open: [OpenReference] = []) throws -> (row: Int, isSkipped: Bool)?
    {
        let (plan, row, place, namedOnly) = (object.plan, object.row, object.place, object.origin.isNamedOnly)
        if addNew(row, plan, object.origin) { return (row, false) }
        if let earlier = repeated(object) { return (earlier, false) }
        if plan.hasZeroKey(row) {
            plan.drop(row)
            if namedOnly {
                try account.keepValue(zeroKey(plan), "", at: place)
            } else {
                try account.failObject(zeroKey(plan), at: place)
            }
            return nil
        }
        var given: [(identity: Int, values: [StoredValue])] = []
        let isChosen = !namedOnly && plan.identifiesByFirst && !object.isFound
        for (identity, positions) in plan.identities.enumerated() where identity == 0 || !isChosen {
            if let values = plan.values(of: positions, row) { given.append((identity, values)) }
        }
        let key = plan.key(of: row)
        for (identity, values) in given {
            guard let earlier = plan.tables[identity][values].map(plan.merged) else { continue }
            // Objects with different keys are different records, whatever they share for now. So are two of which only the
            // second one has a key: the first one names what the store has.
            if !namedOnly, !isChosen, let key, key != plan.rows[earlier].key,
                plan.rows[earlier].key != nil || !plan.rows[earlier].isNamedOnly
            {
                continue
            }
            return (earlier, join(object, earlier, given))
        }
        var unsettled = open.isEmpty ? [] : openIdentities(of: object, open).filter { $0.identity == 0 || !isChosen }
        unsettled += object.sought
        if given.isEmpty, let earlier = unsettled.compactMap({ batch.openRows[$0] }).first.map(plan.merged) {
            return (earlier, join(object, earlier, given))
        }
        // What is only named, as an object that comes later may be, is waited for until the end.
        let isOpen = given.isEmpty && !unsettled.isEmpty && !(namedOnly && isLast && areMissing(open))
        if isOpen, namedOnly { batch.namesAsked = true }
        if given.isEmpty, !isOpen, object.origin.holder != nil, !namedOnly, lookUp != nil {
            guard let found = try identifyByHolder(object) else {
                plan.drop(row)
                return nil
            }
            if found.isFound { return try identify(found, open) }
        } else if given.isEmpty, !isOpen {
            switch importer.missingKey {
            case .create where !namedOnly: break
            case .skip where !namedOnly:
                plan.drop(row)
                account.report.skip(place, .noKey)
                return nil
            default:
                plan.drop(row)
                if namedOnly {
                    try account.keepValue(account.missingKey(plan, place), "", at: place)
                    return nil
                }
                try account.failObject(account.missingKey(plan, place), at: place)
                return nil
            }
        }
        for (identity, values) in given { plan.tables[identity][values] = row }
        var staged = StagedRow(place: place, item: object.item, isNamedOnly: namedOnly, identity: given.first?.identity)
        staged.key = key
        staged.isOpen = isOpen
        staged.isFound = object.isFound
        if !namedOnly || isOpen { for identity in unsettled { batch.openRows[identity] = row } }
        if row < plan.rows.count { plan.rows[row] = staged } else { plan.rows.append(staged) }
        return (row, false)
    }

    /// Adds a row that is known by a key which is an integer and new to the batch: the most frequent case. Returns false of any
    /// other row, which is not added.
    @inline(__always)
    func addNew(_ row: Int, _ plan: EntityPlan, _ origin: Origin) -> Bool {
        guard let number = plan.integerKey(of: row), plan.tables[0].insert(row, number) else { return false }
        plan.rows.append(
            StagedRow(
                place: origin.place, item: origin.item, isNamedOnly: origin.isNamedOnly, identity: 0,
                key: .integer(number)))
        return true
    }

    /// Drops an object that says what an earlier one of the batch has said of the same record, which is frequent where records
    /// share nested objects. Returns the row of the earlier one; nil if the object says anything else.
    private func repeated(_ object: SourceObject) -> Int? {
        let (plan, row) = (object.plan, object.row)
        guard plan.isPlain, !object.origin.isNamedOnly, let number = plan.integerKey(of: row),
            let earlier = plan.tables[0][number].map(plan.merged), !plan.rows[earlier].isNamedOnly,
            plan.stage.gives(row, nothingBeyond: earlier)
        else { return nil }
        plan.drop(row)
        plan.rows[earlier].add(object.item)
        return earlier
    }

    /// Joins an object with an earlier row of the same record. Returns whether the object is skipped instead.
    private mutating func join(
        _ object: SourceObject, _ earlier: Int, _ given: [(identity: Int, values: [StoredValue])]
    ) -> Bool {
        if !object.origin.isNamedOnly, skipsRepetition(object, after: earlier) { return true }
        merge(last: object, into: earlier, given)
        return false
    }

    /// Makes the last row part of an earlier one.
    private func merge(
        last object: SourceObject, into earlier: Int, _ given: [(identity: Int, values: [StoredValue])]
    ) {
        let (plan, row, place, item) = (object.plan, object.row, object.place, object.item)
        let namedOnly = object.origin.isNamedOnly
        let before = plan.identities.map { plan.values(of: $0, earlier) }
        plan.overrule(earlier, by: row)
        let said = namedOnly ? [] : plan.referring.filter { plan.stage.isGiven(row, $0) }
        plan.stage.merge(row, into: earlier)
        plan.drop(row)
        for position in said {
            plan.add(
                StagedReference(
                    position: position, entity: plan.position, row: nil, item: item, missing: .ignore,
                    isInverse: false, place: place),
                to: earlier)
        }
        if !namedOnly {
            if plan.rows[earlier].isNamedOnly {
                plan.rows[earlier].take(StagedRow(place: place, item: item, isNamedOnly: false))
            } else {
                plan.rows[earlier].add(item)
            }
        }
        if plan.rows[earlier].key == nil { plan.rows[earlier].key = plan.key(of: earlier) }
        for (identity, values) in before.enumerated() {
            // It is not found any more by what it does not have any more.
            if let values, values != plan.values(of: plan.identities[identity], earlier),
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

    private func zeroKey(_ plan: EntityPlan) -> GranaryError {
        GranaryError(
            .invalidRecord,
            "0 is not a key of \(plan.entity.name): the store assigns keys from 1. Give the record another key, or leave the key out.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }
}
