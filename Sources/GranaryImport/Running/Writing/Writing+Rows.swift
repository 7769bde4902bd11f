import GranaryCore
import GranaryPlatform

// What is written of a row, and whether it is.

extension Writing {
    /// Writes a row if it differs from what is stored.
    mutating func put(_ plan: EntityPlan, _ row: Int) throws {
        if let existing = plan.rows[row].existing, !plan.rows[row].hasPlaceholders, !plan.hasHooks,
            plan.stage.withRow(row, { $0.isSame(as: existing) })
        {
            plan.rows[row].outcome = .unchanged
            return
        }
        guard let handler = plan.handler, plan.needsRecord(of: row) else {
            return try plan.stage.withRow(row) { try put($0, plan, row) }
        }
        try plan.makeRecord(of: row, by: handler, account, into: &rowWriter)
        try rowWriter.withRow { written in
            for position in plan.linking where !areSame(written[position], plan.stage[row, position]) {
                plan.keepsLinks = false
            }
            try put(written, plan, row)
        }
    }

    private func put(_ written: borrowing Row, _ plan: EntityPlan, _ row: Int) throws {
        guard let existing = plan.rows[row].existing else {
            let assigned = try context.insert(row: written, into: plan.position)
            plan.rows[row].key = assigned.map { .integer($0) } ?? StoredValue(written[plan.entity.keyPosition])
            plan.rows[row].outcome = .inserted
            return
        }
        guard plan.rows[row].hasPlaceholders || !written.isSame(as: existing) else {
            plan.rows[row].outcome = .unchanged
            return
        }
        guard areSame(written[plan.entity.keyPosition], existing[plan.entity.keyPosition]) else {
            throw GranaryError(
                .invalidRecord,
                "The key of a record never changes. Leave \(plan.entity.name).\(plan.entity.key) as it is.",
                entity: plan.entity.name, attributes: [plan.entity.key])
        }
        guard try context.update(row: written, in: plan.position) else { throw GranaryError.noRecord(plan.entity) }
        plan.rows[row].outcome = .updated
    }
}

extension StagedRow {
    /// Whether a reference can name it: it is in the store, or will be at the end of the batch.
    var exists: Bool {
        if existing != nil { return true }
        return switch outcome {
        case .inserted, .updated, .unchanged: true
        case .waiting: key != nil && (!isNamedOnly || makesStub)
        case .writing: key != nil
        case .skipped, .failed: false
        }
    }
}

extension Row {
    func isSame(as other: StoredRow) -> Bool {
        for position in 0..<count where !areSame(self[position], other[position]) { return false }
        return true
    }
}
