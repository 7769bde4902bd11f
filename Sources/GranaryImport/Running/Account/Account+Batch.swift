import GranaryCore

// What became of the objects of a batch, for the report and for what comes later.

extension Account {
    /// Counts the outcomes of a batch, and notes what must be known at the end.
    ///
    /// - Parameter keepsKeys: Whether the records of the source are asked for.
    func settle(_ batch: Batch, _ outcome: BatchOutcome, _ plans: EntityPlans, keepsKeys: Bool) {
        let (top, mirrors) = (plans.top, plans.mirrors)
        for case let plan? in plans {
            for number in plan.rows.indices {
                let isNamedOnly = plan.rows[number].isNamedOnly
                guard plan.rows[number].mergedInto == nil, !isNamedOnly || plan.rows[number].isWritten else { continue }
                switch plan.rows[number].outcome {
                case .inserted, .updated: count(plan, number)
                case .unchanged: if !isNamedOnly { count(plan, number) }
                case .skipped: report.skip(plan.rows[number].place, plan.reasonToSkip(number))
                case .failed: report.failed += 1
                case .waiting, .writing: break
                }
                if plan.position == top, mirrors, let key = plan.rows[number].key { touched.insert(key) }
            }
        }
        countRepeated(batch, plans)
        if mirrors, let plan = plans[top] {
            for row in plan.rows.indices where plan.rows[row].isKept {
                if let key = plan.rows[plan.merged(row)].key { touched.insert(key) }
            }
        }
        if keepsKeys {
            for (index, place) in batch.itemRows.enumerated() {
                guard let place, let plan = plans[place.entity] else { continue }
                let row = plan.rows[plan.merged(place.row)]
                if row.isWritten || row.existing != nil, let key = row.key {
                    let item = batch.items[index]
                    keys.append((item.number, item.item.place, place.entity, key))
                }
            }
        }
        for place in outcome.connected {
            if let plan = plans[place.entity] { countAsUpdated(place.key, plan) }
        }
    }

    private func count(_ plan: EntityPlan, _ row: Int) {
        guard let key = plan.rows[row].key else { return }
        plan.rows[row].wasCounted = count(plan.rows[row], key, plan)
    }

    /// Counts the objects of the batch whose records earlier objects were for.
    private func countRepeated(_ batch: Batch, _ plans: EntityPlans) {
        for (index, place) in batch.itemRows.enumerated() {
            guard let place, let plan = plans[place.entity] else { continue }
            let row = plan.merged(place.row)
            guard plan.rows[row].isWritten, plan.rows[row].wasCounted || plan.rows[row].item != index,
                !batch.skippedItems.contains(index)
            else { continue }
            report.repeated(batch.items[index].item.place)
        }
    }
}

extension EntityPlan {
    /// Why the object of a row is left out.
    fileprivate func reasonToSkip(_ row: Int) -> SkippedObject.Reason {
        switch policy {
        case .insertOnly where rows[row].existing != nil: .exists
        case .updateOnly where rows[row].existing == nil: .doesNotExist
        default: .notNewer
        }
    }
}
