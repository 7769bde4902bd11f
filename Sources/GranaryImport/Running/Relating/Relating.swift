import GranaryCore

// Lists are made what they are to be in the order of the source. What a list does not have any more is only noted, if
// its deletion or its required reference cannot be taken back: another list, now or in a later batch, may have it.

/// Makes to-many relationships what the source lists.
struct Relating {
    let session: ImportSession
    /// Whether nothing comes any more that could be waited for.
    let isLast: Bool
    /// Whether something of earlier batches waits.
    let hasWaiting: Bool
    var outcome: BatchOutcome

    var plans: EntityPlans { session.plans }
    var account: Account { session.account }
    var context: Context { session.context }

    /// Makes the to-many relationships of the batch what the source lists.
    mutating func relate(_ batch: Batch) throws {
        guard !batch.lists.isEmpty else { return }
        var settled: [SettledList] = []
        var claims: [InversePlace: [StoredValue: [Claim]]] = [:]
        for list in batch.lists {
            guard let plan = plans[list.entity], let target = plans[list.target] else { continue }
            let row = plan.merged(list.row)
            guard plan.rows[row].isWritten, let owner = plan.rows[row].key else { continue }
            let place = ListPlace(entity: list.entity, relationship: list.relationship, key: owner)
            if list.rule.policy != .add { outcome.waiting.forget(place) }
            let inverse = plan.links[list.relationship].inverse
            // What a record says of itself later in the source counts.
            let rows = list.members.map(target.merged).filter { member in
                guard let inverse, let value = said(at: inverse, of: target, member, after: list.item) else {
                    return true
                }
                return value == owner
            }
            let missing = rows.contains { !(target.rows[$0].exists && target.rows[$0].key != nil) }
            var rule = list.rule
            if defersWhole(list, plan, row) {
                let named = rows.filter { rule.missing != .ignore || target.rows[$0].exists }
                outcome.waiting.add(
                    WaitingList(
                        owner: place, target: list.target, members: named.compactMap { target.name(of: $0) },
                        rule: rule, place: list.place.detached))
                continue
            }
            if missing, rule.missing != .ignore {
                guard isLast, rule.missing != .keep else {
                    outcome.waiting.add(
                        WaitingList(
                            owner: place, target: list.target, members: rows.compactMap { target.name(of: $0) },
                            rule: rule, place: list.place.detached))
                    continue
                }
                let name = plan.entity.relationships[list.relationship].name
                let absent = rows.first { !(target.rows[$0].exists && target.rows[$0].key != nil) }
                let record = absent.flatMap { target.name(of: $0) }
                try account.keepValue(plans.missing(name, of: plan.entity, list.target, record), "", at: list.place)
                rule.policy = .add
            }
            let members = rows.compactMap { target.rows[$0].exists ? target.rows[$0].key : nil }
            var result = SettledList(
                owner: place, ownerRow: row, isNew: plan.rows[row].isNew, members: members, memberRows: rows,
                rule: rule,
                place: list.place)
            if let inverse, rule.policy != .add {
                let inversePlace = InversePlace(entity: list.target, position: inverse)
                if claims[inversePlace] == nil { claims[inversePlace] = self.claims(inverse, target) }
                for claim in claims[inversePlace]?[owner] ?? [] where claim.item > list.item {
                    result.claimed.insert(claim.member)
                }
            }
            settled.append(result)
        }
        try settle(settled)
    }

    /// Whether a list is settled at the end: one that deletes what it does not list any more. Its links must not be gone before,
    /// for an import that goes on would not find what is to be deleted.
    private func defersWhole(_ list: StagedList, _ plan: EntityPlan, _ row: Int) -> Bool {
        plans.importer.commitSize != .max && !isLast && list.rule.policy == .replaceAndDelete && !plan.rows[row].isNew
            && plan.entity.relationships[list.relationship].through != nil
    }

    private func said(at position: Int, of plan: EntityPlan, _ row: Int, after item: Int) -> StoredValue? {
        // What is skipped says nothing.
        guard plan.rows[row].isWritten, let said = plans.said(at: position, of: plan, row), said.item > item else {
            return nil
        }
        return said.value
    }

    /// The records of the batch that say themselves whose they are, by their owners.
    private func claims(_ position: Int, _ plan: EntityPlan) -> [StoredValue: [Claim]] {
        var claims: [StoredValue: [Claim]] = [:]
        for row in plan.rows.indices where plan.rows[row].isWritten {
            guard let said = plans.said(at: position, of: plan, row), said.value != .null, let key = plan.rows[row].key
            else {
                continue
            }
            claims[said.value, default: []].append(Claim(member: key, item: said.item))
        }
        return claims
    }
}
