import GranaryCore

// What became of the objects of a batch, for the report and for what comes later.

extension ImportRun {
    /// Counts the outcomes of a batch, and notes what must be known at the end.
    func settleAccounts() {
        for case let plan? in plans {
            for number in plan.rows.indices {
                let isNamedOnly = plan.rows[number].isNamedOnly
                guard plan.rows[number].mergedInto == nil, !isNamedOnly || plan.rows[number].isWritten else { continue }
                switch plan.rows[number].outcome {
                case .inserted, .updated: count(plan, number)
                case .unchanged: if !isNamedOnly { count(plan, number) }
                case .skipped: account.report.skip(plan.rows[number].place, reason(plan.rows[number]))
                case .failed: account.report.failed += 1
                case .waiting, .writing: break
                }
                if plan.position == top, mirrors, let key = plan.rows[number].key { account.touched.insert(key) }
            }
        }
        countRepeated()
        if mirrors, let plan = plans[top] {
            for row in plan.rows.indices where plan.rows[row].isKept {
                if let key = plan.rows[plan.merged(row)].key { account.touched.insert(key) }
            }
        }
        if keepsKeys {
            for (index, place) in batch.itemRows.enumerated() {
                guard let place, let plan = plans[place.entity] else { continue }
                let row = plan.rows[plan.merged(place.row)]
                if row.isWritten || row.existing != nil, let key = row.key {
                    account.keys.append((batch.items[index].number, place.entity, key))
                }
            }
        }
        for place in batch.connected { countAsUpdated(place.entity, place.key) }
        for record in batch.arrived { waiting.end(record.entity, record.name) }
        if !waiting.isEmpty { forgetWhatIsSaid() }
        waiting.take(batch.waiting)
    }

    /// Why the object of a row is left out.
    private func reason(_ row: StagedRow) -> SkippedObject.Reason {
        switch importer.policy {
        case .insertOnly where row.existing != nil: .exists
        case .updateOnly where row.existing == nil: .doesNotExist
        default: .notNewer
        }
    }

    private func count(_ plan: EntityPlan, _ row: Int) {
        guard let key = plan.rows[row].key else { return }
        plan.rows[row].wasCounted = account.count(plan.rows[row], key, plan)
    }

    /// Counts the objects of the batch whose records earlier objects were for.
    private func countRepeated() {
        for (index, place) in batch.itemRows.enumerated() {
            guard let place, let plan = plans[place.entity] else { continue }
            let row = plan.merged(place.row)
            guard plan.rows[row].isWritten, plan.rows[row].wasCounted || plan.rows[row].item != index,
                !batch.skippedItems.contains(index)
            else { continue }
            account.report.repeated(batch.items[index].item.place)
        }
    }

    /// Counts a record that what it waited for has changed.
    func countAsUpdated(_ entity: Int, _ key: StoredValue) {
        if let plan = plans[entity] { account.countAsUpdated(key, plan) }
    }

    /// Runs a part of an import in a savepoint. If it throws, what it has counted is not counted.
    func counted(in context: Context, _ body: () throws -> Void) throws {
        let before = account.beginPart()
        do {
            try context.savepoint(body)
        } catch {
            account.undoPart(before)
            throw error
        }
    }

    /// What the batch says of an attribute that waits comes after what it waits for.
    private func forgetWhatIsSaid() {
        for case let plan? in plans where !plan.referring.isEmpty {
            for row in plan.rows.indices where plan.rows[row].isWritten {
                guard let key = plan.rows[row].key else { continue }
                for position in plan.referring where plan.stage.isGiven(row, position) {
                    waiting.forget(ReferencePlace(entity: plan.position, key: key, position: position))
                }
            }
        }
    }
}
