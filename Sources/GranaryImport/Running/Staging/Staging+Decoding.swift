import GranaryCore

// An object becomes a value that is not stored: nothing is looked up, so a record that it refers to is known only by a key that
// the source itself has.

extension Staging {
    /// Takes what an object has for a value. Returns its row; nil if the object is skipped or fails.
    ///
    /// - Parameter base: The value that the object changes; nil for a new one.
    mutating func stageValue(_ numbered: NumberedItem, over base: StoredRow?) throws -> Int? {
        let (item, plan) = (numbered.item, try plans.plan(plans.top))
        if let choose = importer.choose {
            do {
                let name = try choose(item.value, item.place)
                guard try name.map({ try schema.position(ofEntity: $0) }) == plans.top else {
                    account.report.skip(item.place, .notChosen)
                    return nil
                }
            } catch {
                try account.failObject(GranaryError.wrapping(error, plan.entity), at: item.place)
                return nil
            }
        }
        guard var object = try decoded(item.content, plan, Origin(place: item.place, item: 0)) else { return nil }
        var staged = StagedRow(place: item.place, item: 0, isNamedOnly: false)
        staged.existing = base
        if plan.hasHooks { staged.value = object.content.value }
        plan.rows.append(staged)
        try takeKeys(of: &object)
        if base != nil, plan.isSkipped(object.row) {
            account.report.skip(item.place, .notNewer)
            return nil
        }
        if base == nil, importer.missingKey == .skip,
            plan.identities.allSatisfy({ plan.values(of: $0, object.row) == nil })
        {
            account.report.skip(item.place, .noKey)
            return nil
        }
        return object.row
    }

    /// Gives the references of a value the keys that the source has for them.
    private mutating func takeKeys(of object: inout SourceObject) throws {
        let plan = object.plan
        let parent = ParentObject(object.content, object.place)
        for member in object.related where !plan.isTakenOver(member.name) {
            let position: Int
            switch member.slot {
            case .attribute(let attribute), .inferredAttribute(let attribute): position = attribute
            case .relationship, .inferredRelationship, .passedOver, .unknown: continue
            }
            guard let target = try stageTarget(at: position, member, of: object, parent) else { continue }
            guard case .row(let row, _) = target, let entity = plan.targets[position] else {
                plan.stage.give(.null, object.row, position)
                continue
            }
            let targetPlan = try plans.plan(entity)
            if let key = targetPlan.rows[targetPlan.merged(row)].key {
                plan.stage.give(stored: key, object.row, position)
            } else {
                let name = plan.entity.attributes[position].name
                let error = GranaryError(
                    .required,
                    "The source does not have the key of the \(targetPlan.entity.name) that \(plan.entity.name).\(name) names, and no store is asked for it. The reference is left as it was: give the key, or import into a context.",
                    entity: plan.entity.name, attributes: [name]
                ).with(value: member.value.textOfError)
                try account.keepValue(error, member.name, at: object.place)
            }
        }
    }
}
