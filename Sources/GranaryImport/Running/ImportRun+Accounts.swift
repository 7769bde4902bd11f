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
                case .skipped: report.skip(plan.rows[number].place, reason(plan.rows[number]))
                case .failed: report.failed += 1
                case .waiting, .writing: break
                }
                if plan.position == top, mirrors, let key = plan.rows[number].key { touched.insert(key) }
            }
        }
        countRepeated()
        if mirrors, let plan = plans[top] {
            for row in plan.rows.indices where plan.rows[row].isKept {
                if let key = plan.rows[plan.merged(row)].key { touched.insert(key) }
            }
        }
        if keepsKeys {
            for (index, place) in itemRows.enumerated() {
                guard let place, let plan = plans[place.entity] else { continue }
                let row = plan.rows[plan.merged(place.row)]
                if row.isWritten || row.existing != nil, let key = row.key {
                    keys.append((items[index].number, place.entity, key))
                }
            }
        }
        for place in connected { countAsUpdated(place.entity, place.key) }
        for record in arrived { waiting.end(record.entity, record.name) }
        if !waiting.isEmpty { forgetWhatIsSaid() }
        waiting.take(new)
        lateHooks += newLateHooks
        lateHookBytes += newLateHooks.reduce(0) { $0 + $1.size }
    }

    /// Why the object of a row is left out.
    private func reason(_ row: StagedRow) -> SkippedObject.Reason {
        switch importer.policy {
        case .insertOnly where row.existing != nil: .exists
        case .updateOnly where row.existing == nil: .doesNotExist
        default: .notNewer
        }
    }

    /// Counts a record once in an import: as inserted, as updated if any object has changed it, or as unchanged.
    private func count(_ plan: EntityPlan, _ row: Int) {
        guard let key = plan.rows[row].key else { return }
        var isUpdated = plan.rows[row].isChanged
        switch plan.rows[row].outcome {
        case .inserted:
            report.inserted += 1
            plan.changedKeys.insert(key)
            return
        case .updated: isUpdated = true
        default: break
        }
        let isChangedLate =
            !changedLate.isEmpty && changedLate.contains(RecordPlace(entity: plan.position, key: key))
        if isChangedLate || plan.changedKeys.contains(key) {
            plan.rows[row].wasCounted = true
            return
        }
        let wasUnchanged = plan.unchangedKeys.contains(key)
        plan.rows[row].wasCounted = wasUnchanged
        if isUpdated {
            report.updated += 1
            plan.changedKeys.insert(key)
            if wasUnchanged { report.unchanged -= 1 }
        } else if !wasUnchanged {
            report.unchanged += 1
            plan.unchangedKeys.insert(key)
        }
    }

    /// Counts the objects of the batch whose records earlier objects were for.
    private func countRepeated() {
        for (index, place) in itemRows.enumerated() {
            guard let place, let plan = plans[place.entity] else { continue }
            let row = plan.merged(place.row)
            guard plan.rows[row].isWritten, plan.rows[row].wasCounted || plan.rows[row].item != index,
                !skippedItems.contains(index)
            else { continue }
            report.repeated(items[index].item.place)
        }
    }

    /// Counts a record that what it waited for has changed.
    func countAsUpdated(_ entity: Int, _ key: StoredValue) {
        let place = RecordPlace(entity: entity, key: key)
        guard let plan = plans[entity], plan.unchangedKeys.contains(key), !plan.changedKeys.contains(key),
            changedLate.insert(place).inserted
        else { return }
        countedAgain.append(place)
        report.unchanged -= 1
        report.updated += 1
    }

    /// Runs a part of an import in a savepoint. If it throws, what it has counted is not counted.
    func counted(in context: Context, _ body: () throws -> Void) throws {
        let before = report
        countedAgain = []
        do {
            try context.savepoint(body)
        } catch {
            report = before
            changedLate.subtract(countedAgain)
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
