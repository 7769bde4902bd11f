import GranaryCore
import GranaryPlatform

extension ImportRun {
    /// Writes the rows of the batch.
    func writeAll(in context: some Context) throws {
        let transaction = try context.rowTransaction
        for case let plan? in plans {
            for row in plan.rows.indices { try write(plan, row, transaction, depth: 0) }
        }
        for late in lateReferences { try connect(late, in: context) }
    }

    private func write(_ plan: EntityPlan, _ row: Int, _ transaction: Transaction, depth: Int) throws {
        let state = plan.rows[row]
        guard case .waiting = state.outcome, state.mergedInto == nil else { return }
        if state.isNamedOnly && (state.existing != nil || !state.makesStub) { return }
        if !state.isNamedOnly, isSkipped(state, plan, row) {
            plan.rows[row].outcome = .skipped
            return
        }
        plan.rows[row].outcome = .writing
        do {
            try refer(plan, row, transaction, depth: depth)
            guard case .writing = plan.rows[row].outcome else { return }
            try complete(plan, row)
            try put(plan, row, transaction)
        } catch {
            throw GranaryError.wrapping(error, plan.entity).at(state.place.path)
        }
        noteWaiting(plan, row)
    }

    /// Keeps the references of a record that has been written and whose targets may come later.
    private func noteWaiting(_ plan: EntityPlan, _ row: Int) {
        guard !pendingReferences.isEmpty, plan.rows[row].isWritten, let key = plan.rows[row].key else { return }
        for pending in pendingReferences where pending.row == row && pending.plan === plan {
            if let reference = WaitingReference(pending.reference, plan, key, self) { waiting.append(reference) }
        }
        pendingReferences.removeAll { $0.row == row && $0.plan === plan }
    }

    private func isSkipped(_ state: StagedRow, _ plan: EntityPlan, _ row: Int) -> Bool {
        switch importer.policy {
        case .insertOnly: if state.existing != nil { return true }
        case .updateOnly: if state.existing == nil { return true }
        case .upsert, .mirror: break
        }
        guard let position = plan.modification, let existing = state.existing,
            plan.stage.isGiven(row, position)
        else { return false }
        let (new, old) = (plan.stage[row, position], existing[position])
        if new.isNull || old.isNull { return false }
        return new.kind == .text ? areSame(new, old) : compare(new, old) <= 0
    }

    // MARK: References

    /// Fills in the attributes that refer to records of the batch, which are written first where their keys are not known.
    private func refer(_ plan: EntityPlan, _ row: Int, _ transaction: Transaction, depth: Int) throws {
        var next = plan.rows[row].references?.first
        while let number = next {
            let reference = plan.references[number]
            next = reference.next
            guard let target = plans[reference.entity] else { continue }
            let targetRow = target.merged(reference.row)
            let isSelf = target === plan && targetRow == row
            if !isSelf, case .waiting = target.rows[targetRow].outcome,
                target.rows[targetRow].key == nil || (depth < 64 && !target.rows[targetRow].isNamedOnly)
                    || target.rows[targetRow].makesStub
            {
                try write(target, targetRow, transaction, depth: depth + 1)
            }
            let state = target.rows[targetRow]
            let attribute = plan.entity.attributes[reference.position]
            if state.exists, let key = state.key {
                plan.stage.give(stored: key, row, reference.position)
            } else if case .writing = state.outcome, state.key == nil {
                guard attribute.isOptional else { throw circle(plan, attribute) }
                lateReferences.append((plan.position, row, reference.position, reference))
            } else {
                try miss(reference, attribute, plan, row)
            }
        }
    }

    private func circle(_ plan: EntityPlan, _ attribute: Attribute) -> GranaryError {
        GranaryError(
            .danglingReference,
            "\(plan.entity.name).\(attribute.name) is required, and the record that it names needs this one first. Give one of them a key.",
            entity: plan.entity.name, attributes: [attribute.name])
    }

    /// What a reference becomes whose target does not exist.
    private func miss(
        _ reference: StagedReference, _ attribute: Attribute, _ plan: EntityPlan, _ row: Int
    ) throws {
        let state = plan.rows[row]
        switch reference.missing {
        case .ignore where attribute.isOptional:
            return plan.stage.give(.null, row, reference.position)
        default: break
        }
        if attribute.reference?.onDelete == .noAction, let key = plans[reference.entity]?.rows[reference.row].key {
            return plan.stage.give(stored: key, row, reference.position)
        }
        if isLast {
            let error = GranaryError.dangling(plan.entity, reference.position)
            guard attribute.isOptional || state.existing != nil else {
                plan.rows[row].outcome = .failed
                return try fail(error, at: state.place)
            }
            return try keepValue(error, attribute.name, at: reference.place)
        }
        guard attribute.isOptional || state.existing != nil else {
            // It cannot be written without: the object that it is part of is imported again at the end.
            plan.rows[row].outcome = .held
            heldItems.insert(state.item)
            return
        }
        pendingReferences.append((plan, row, reference))
    }

    /// What to say of a list that names a record which has not come.
    func missing(_ entity: Entity, _ name: String, _ target: Int) -> GranaryError {
        GranaryError(
            .danglingReference,
            "No \(schema.entities[target].name) is there that \(entity.name).\(name) names. Import it first, or have stubs made.",
            entity: entity.name, attributes: [name])
    }

    /// Connects records that refer to each other in a circle, now that both have keys.
    private func connect(
        _ late: (entity: Int, row: Int, position: Int, target: StagedReference), in context: some Context
    ) throws {
        guard let plan = plans[late.entity], let target = plans[late.target.entity] else { return }
        let (state, other) = (plan.rows[late.row], target.rows[target.merged(late.target.row)])
        guard state.isWritten, let key = state.key else { return }
        guard other.exists, let value = other.key else {
            let name = plan.entity.attributes[late.position].name
            return try keepValue(.dangling(plan.entity, late.position), name, at: late.target.place)
        }
        try connect(plan, key, late.position, to: value, in: context)
        plan.stage.give(stored: value, late.row, late.position)
    }

    /// Sets one reference of a record.
    func connect(
        _ plan: EntityPlan, _ key: StoredValue, _ position: Int, to value: StoredValue, in context: some Context
    ) throws {
        let request = FetchRequest(
            entity: plan.position, condition: .compare(position: plan.entity.keyPosition, .equal, key))
        _ = try context.updateAll(request, setting: [Assignment(position: position, value: value)])
    }

    // MARK: Rows

    /// Fills in what the source did not give: what the record has, or the defaults.
    private func complete(_ plan: EntityPlan, _ row: Int) throws {
        let stage = plan.stage
        let keyPosition = plan.entity.keyPosition
        if let existing = plan.rows[row].existing {
            for position in 0..<stage.width
            where !stage.isGiven(row, position) || position == keyPosition || position == plan.entity.versionPosition {
                stage.setLent(existing[position], row, position)
            }
            return
        }
        for (position, attribute) in plan.entity.attributes.enumerated() where !stage.isGiven(row, position) {
            if position == keyPosition {
                if plan.entity.keyGeneration == .assigned {
                    stage.set(.integer(0), row, position)
                } else if attribute.type == .uuid {
                    try StoredValue(encoding: UUID.timeOrdered()).withCell { stage.set($0, row, position) }
                } else {
                    throw GranaryError(
                        .required,
                        "A new \(plan.entity.name) needs a key, and the source has none. Map it, or let the store assign keys.",
                        entity: plan.entity.name, attributes: [attribute.name])
                }
            } else if let value = attribute.defaultValue {
                value.withCell { stage.set($0, row, position) }
            } else if position == plan.entity.versionPosition {
                stage.set(.integer(0), row, position)
            } else if !attribute.isOptional {
                throw GranaryError.refused(.null, plan.entity, position)
            }
        }
    }

    /// Writes a row if it differs from what is stored.
    private func put(_ plan: EntityPlan, _ row: Int, _ transaction: Transaction) throws {
        let state = plan.rows[row]
        if let existing = state.existing, !(plan.handler?.hasHooks ?? false),
            plan.stage.withRow(row, { $0.isSame(as: existing) })
        {
            plan.rows[row].outcome = .unchanged
            return
        }
        guard let handler = plan.handler else {
            return try plan.stage.withRow(row) { try put($0, plan, row, transaction) }
        }
        while true {
            do {
                rowWriter.reset(count: plan.stage.width)
                try plan.stage.withRow(row) {
                    try handler.finish($0, state.value, state.place, into: &rowWriter)
                }
                break
            } catch let failure as DecodingFailure where plan.stage.isGiven(row, failure.position) {
                // The type refuses the value, as an enum that has no such case.
                try takeBack(failure, plan, row)
            }
        }
        try rowWriter.withRow { try put($0, plan, row, transaction) }
    }

    private func takeBack(_ failure: DecodingFailure, _ plan: EntityPlan, _ row: Int) throws {
        let attribute = plan.entity.attributes[failure.position]
        let reason = GranaryError(
            .typeMismatch,
            "The value is not one that \(plan.entity.name).\(attribute.name) has in Swift, \(failure.type). The attribute is left as it was: correct the source, or transform it.",
            entity: plan.entity.name, attributes: [attribute.name])
        try keepValue(reason, attribute.name, at: plan.rows[row].place)
        plan.stage.takeBack(row, failure.position)
        if let existing = plan.rows[row].existing {
            plan.stage.setLent(existing[failure.position], row, failure.position)
        } else {
            (attribute.defaultValue ?? .null).withCell { plan.stage.set($0, row, failure.position) }
        }
    }

    private func put(
        _ written: borrowing Row, _ plan: EntityPlan, _ row: Int, _ transaction: Transaction
    ) throws {
        guard let existing = plan.rows[row].existing else {
            let assigned = try transaction.insert(row: written, into: plan.position)
            plan.rows[row].key = assigned.map { .integer($0) } ?? StoredValue(written[plan.entity.keyPosition])
            plan.rows[row].outcome = .inserted
            return
        }
        guard !written.isSame(as: existing) else {
            plan.rows[row].outcome = .unchanged
            return
        }
        guard areSame(written[plan.entity.keyPosition], existing[plan.entity.keyPosition]) else {
            throw GranaryError(
                .invalidRecord,
                "The key of a record never changes. Leave \(plan.entity.name).\(plan.entity.key) as it is.",
                entity: plan.entity.name, attributes: [plan.entity.key])
        }
        guard try transaction.update(row: written, in: plan.position) else { throw GranaryError.noRecord(plan.entity) }
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
        case .skipped, .failed, .held: false
        }
    }
}

extension Row {
    func isSame(as other: StoredRow) -> Bool {
        for position in 0..<count where !areSame(self[position], other[position]) { return false }
        return true
    }
}
