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
                case .inserted: report.inserted += 1
                case .updated: report.updated += 1
                case .unchanged: if !isNamedOnly { report.unchanged += 1 }
                case .skipped: report.skip(plan.rows[number].place, reason(plan.rows[number]))
                case .failed: report.failed += 1
                case .waiting, .writing: break
                }
                if plan.position == top, mirrors, let key = plan.rows[number].key { touched.insert(key) }
            }
        }
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
        if !waiting.isEmpty { forgetWhatIsSaid() }
        if !new.isEmpty { noteUnchanged() }
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

    /// Remembers which records that something waits for were counted as unchanged.
    private func noteUnchanged() {
        let owners = new.owners
        for case let plan? in plans {
            for row in plan.rows {
                guard case .unchanged = row.outcome, let key = row.key else { continue }
                let place = RecordPlace(entity: plan.position, key: key)
                if owners.contains(place) { unchanged.insert(place) }
            }
        }
    }

    /// Counts a record that what it waited for has changed.
    func countAsUpdated(_ entity: Int, _ key: StoredValue) {
        let place = RecordPlace(entity: entity, key: key)
        guard unchanged.remove(place) != nil else { return }
        countedAgain.append(place)
        report.unchanged -= 1
        report.updated += 1
    }

    /// Runs a part of an import in a savepoint. If it throws, what it has counted is not counted.
    func counted(in context: some Context, _ body: () throws -> Void) throws {
        let before = report
        countedAgain = []
        do {
            try context.savepoint(body)
        } catch {
            report = before
            unchanged.formUnion(countedAgain)
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
