import GranaryCore

// The objects of a nested list are numbered from 0 when they are staged, so that a new list is in order without a second write.
// The first ones that are in the list already, in the order of the source, keep the places that they have instead; those after
// them come after the last of these.

extension Batch {
    /// Gives the members of ordered lists the places that they keep in the store.
    func keepPlaces(_ plans: EntityPlans) throws {
        for list in lists where list.rule.policy != .add && !list.members.isEmpty {
            guard let plan = plans[list.entity], let target = plans[list.target] else { continue }
            let relationship = plan.entity.relationships[list.relationship]
            guard relationship.through == nil, let name = relationship.orderedBy,
                let key = plan.rows[plan.merged(list.row)].key
            else { continue }
            let place = try target.entity.position(ofAttribute: name)
            let owner = try target.entity.position(ofAttribute: relationship.attribute)
            let rows = list.members.map(target.merged)
            let (kept, last) = placed(rows, target, place, owner, of: key)
            guard kept > 0, let last, Set(rows).count == rows.count else { continue }
            let rest = rows.dropFirst(kept)
            if !rest.isEmpty {
                guard case .integer(let number) = last, let range = target.entity.attributes[place].type.integerRange,
                    range.upperBound - Int64(rest.count) >= number
                else { continue }
                for (index, row) in rest.enumerated() where !target.rows[row].isNamedOnly {
                    target.stage.give(.integer(number + 1 + Int64(index)), row, place)
                }
            }
            for row in rows.prefix(kept) where !target.rows[row].isNamedOnly { target.stage.takeBack(row, place) }
        }
    }

    /// How many of some rows have places that rise in the list of an owner, and the last of these.
    private func placed(
        _ rows: [Int], _ target: EntityPlan, _ place: Int, _ owner: Int, of key: StoredValue
    ) -> (count: Int, last: StoredValue?) {
        var last: StoredValue?
        for (count, row) in rows.enumerated() {
            guard let existing = target.rows[row].existing, existing.value(at: owner) == key,
                !existing[place].isNull, last.map({ $0 < existing.value(at: place) }) ?? true
            else { return (count, last) }
            last = existing.value(at: place)
        }
        return (rows.count, last)
    }
}
