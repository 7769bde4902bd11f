import GranaryCore

// Two objects of a batch may be one record. The result must be that of writing one after the other, whatever the batches are.
//
// If nothing can tell the difference, the later object is merged into the row of the earlier one, and the record is written once.
// Otherwise the batch is cut before the later object: what comes before it is written first. Such a difference is that the record
// decides whether the object is written (a policy, `skipUnless`), that the earlier object would be refused by itself (a required
// value, a rule of its type, a unique value that another record has), and that hooks see each object.
//
// An object that is certainly skipped, and has nothing nested, needs no cut.

extension Staging {
    private enum Repetition {
        case merge, cut
        case skip(SkippedObject.Reason)
    }

    /// Decides about an object whose record an earlier object of the batch is for. Returns whether it is skipped.
    mutating func skipsRepetition(_ object: SourceObject, after earlier: Int) -> Bool {
        switch repetition(of: object, after: earlier) {
        case .merge: return false
        case .cut:
            batch.cut(before: object.item)
            return false
        case .skip(let reason):
            object.plan.drop(object.row)
            account.report.skip(object.place, reason)
            if object.place.parent == nil { batch.skippedItems.insert(object.item) }
            return true
        }
    }

    /// Cuts the batch before an object whose reference names another record than an earlier object of the same record has said.
    /// If the record does not come, the reference stays what the earlier object has made it.
    mutating func cutIfSaid(_ position: Int, by object: SourceObject, otherThan target: Int, _ targetPlan: EntityPlan) {
        let (plan, row, item) = (object.plan, object.row, object.item)
        guard plan.rows[row].item != item else { return }
        if let reference = plan.reference(at: position, of: row) {
            guard reference.item != item, reference.row.map(targetPlan.merged) != targetPlan.merged(target) else {
                return
            }
            batch.cut(before: item)
        } else if plan.stage.isGiven(row, position) {
            batch.cut(before: item)
        }
    }

    private func repetition(of object: SourceObject, after earlier: Int) -> Repetition {
        let (plan, row, hasRelated) = (object.plan, object.row, object.parent != nil)
        // An object is never cut: what is nested in it is in one batch whatever the batches are.
        guard plan.rows[earlier].item != object.item else {
            if case .insertOnly = plan.policy, !plan.rows[earlier].isNamedOnly { return .skip(.exists) }
            return .merge
        }
        // The record that is made for a name is written before the object.
        if plan.rows[earlier].isNamedOnly { return plan.rows[earlier].makesStub ? .cut : .merge }
        switch plan.policy {
        case .insertOnly: return hasRelated ? .cut : .skip(.exists)
        case .updateOnly: return .cut
        case .upsert, .mirror: break
        }
        if let position = plan.modification {
            guard !hasRelated, plan.stage.isGiven(row, position), plan.stage.isGiven(earlier, position),
                EntityPlan.isNotNewer(plan.stage[row, position], plan.stage[earlier, position])
            else { return .cut }
            return .skip(.notNewer)
        }
        if plan.hasHooks { return object.content.value == plan.rows[earlier].value ? .merge : .cut }
        var differs = false
        for position in 0..<plan.stage.width where plan.stage.isGiven(row, position) {
            guard plan.stage.isGiven(earlier, position) else {
                differs = true
                // The reference that is ended may make a stub, or change the record.
                if plan.reference(at: position, of: earlier)?.row != nil { return .cut }
                continue
            }
            if areSame(plan.stage[row, position], plan.stage[earlier, position]) { continue }
            differs = true
            plan.rows[earlier].isChanged = true
            if plan.tells(position) { return .cut }
        }
        return differs && (!plan.takesAllRows || lacksRequired(earlier, plan)) ? .cut : .merge
    }

    /// Whether a row would be refused as a new record because a value is missing.
    private func lacksRequired(_ row: Int, _ plan: EntityPlan) -> Bool {
        plan.entity.attributes.indices.contains { position in
            let attribute = plan.entity.attributes[position]
            guard !attribute.isOptional, attribute.defaultValue == nil, !plan.stage.isGiven(row, position),
                position != plan.entity.keyPosition, position != plan.entity.versionPosition
            else { return false }
            return plan.reference(at: position, of: row) == nil
        }
    }
}
