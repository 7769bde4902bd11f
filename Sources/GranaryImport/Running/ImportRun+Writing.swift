import GranaryCore
import GranaryPlatform

/// A row that is being written, and which of its references is to be filled in next.
struct WritingRow {
    let plan: EntityPlan
    let row: Int
    var next: Int?
}

extension ImportRun {
    /// Writes the rows of the batch.
    func writeAll(in context: Context) throws {
        for case let plan? in plans {
            for row in plan.rows.indices { try write(plan, row, context) }
        }
        for late in batch.lateReferences { try connect(late, in: context) }
    }

    /// Puts placeholders in the records of the batch that are to have other unique values. Returns whether there are any.
    func putPlaceholders(in context: Context) throws -> Bool {
        var isAny = false
        for case let plan? in plans {
            for row in plan.rows.indices {
                let state = plan.rows[row]
                guard state.existing != nil, !state.isNamedOnly, state.mergedInto == nil, !isSkipped(state, plan, row)
                else { continue }
                try complete(plan, row)
                let new = plan.stage.withRow(row) { StoredRow($0) }
                if try context.putPlaceholders(before: new, plan.position) {
                    plan.rows[row].hasPlaceholders = true
                    isAny = true
                }
            }
        }
        return isAny
    }

    /// Writes a row, after those that it refers to and that are not written yet.
    private func write(_ plan: EntityPlan, _ row: Int, _ context: Context) throws {
        guard begins(plan, row) else { return }
        guard plan.rows[row].references != nil else {
            do {
                return try finish(plan, row, context)
            } catch {
                throw GranaryError.wrapping(error, plan.entity).at(plan.rows[row].place)
            }
        }
        batch.writing.append(WritingRow(plan: plan, row: row, next: plan.rows[row].references?.first))
        while let current = batch.writing.last {
            do {
                guard let number = current.next else {
                    try finish(current.plan, current.row, context)
                    batch.writing.removeLast()
                    continue
                }
                let reference = current.plan.references[number]
                if let target = plans[reference.entity], let targetRow = reference.row.map(target.merged),
                    begins(target, targetRow)
                {
                    let first = target.rows[targetRow].references?.first
                    batch.writing.append(WritingRow(plan: target, row: targetRow, next: first))
                    continue
                }
                batch.writing[batch.writing.count - 1].next = reference.next
                try refer(reference, current.plan, current.row)
            } catch {
                throw GranaryError.wrapping(error, current.plan.entity).at(current.plan.rows[current.row].place)
            }
        }
    }

    /// Whether a row is to be written now, and is not yet.
    private func begins(_ plan: EntityPlan, _ row: Int) -> Bool {
        guard case .waiting = plan.rows[row].outcome, plan.rows[row].mergedInto == nil else { return false }
        let isNamedOnly = plan.rows[row].isNamedOnly
        if isNamedOnly, plan.rows[row].existing != nil || !plan.rows[row].makesStub { return false }
        if !isNamedOnly, skipsSome(plan), isSkipped(plan.rows[row], plan, row) {
            plan.rows[row].outcome = .skipped
            return false
        }
        plan.rows[row].outcome = .writing
        return true
    }

    private func finish(_ plan: EntityPlan, _ row: Int, _ context: Context) throws {
        guard case .writing = plan.rows[row].outcome else { return }
        try complete(plan, row)
        try put(plan, row, context)
        guard let key = plan.rows[row].key else { return }
        var next = plan.rows[row].references?.first
        while let number = next {
            let reference = plan.references[number]
            next = reference.next
            // Its target may come later.
            guard reference.isWaiting, let target = plans[reference.entity],
                let name = reference.row.flatMap({ named($0, target) })
            else { continue }
            batch.waiting.add(
                WaitingReference(
                    owner: ReferencePlace(entity: plan.position, key: key, position: reference.position),
                    target: target.position, name: name, isKept: reference.missing == .keep,
                    place: reference.place.detached))
        }
    }

    /// Whether it depends on the record whether it is written.
    private func skipsSome(_ plan: EntityPlan) -> Bool {
        switch importer.policy {
        case .insertOnly, .updateOnly: true
        case .upsert, .mirror: plan.modification != nil
        }
    }

    func isSkipped(_ state: StagedRow, _ plan: EntityPlan, _ row: Int) -> Bool {
        switch importer.policy {
        case .insertOnly: if state.existing != nil { return true }
        case .updateOnly: if state.existing == nil { return true }
        case .upsert, .mirror: break
        }
        guard let position = plan.modification, let existing = state.existing,
            plan.stage.isGiven(row, position)
        else { return false }
        return isNotNewer(plan.stage[row, position], existing[position])
    }

    /// Whether the value that tells how new an object is does not come after another one.
    func isNotNewer(_ new: Cell, _ old: Cell) -> Bool {
        if new.isNull || old.isNull { return false }
        guard new.kind == .text, old.kind == .text else { return compare(new, old) <= 0 }
        // Texts have an order only if they are dates.
        func seconds(_ cell: Cell) -> Double? {
            DateText.seconds(of: String(decoding: cell.rawBytes, as: UTF8.self))
        }
        guard let (new, old) = seconds(new).flatMap({ new in seconds(old).map { (new, $0) } }) else {
            return areSame(new, old)
        }
        return new <= old
    }

    // MARK: References

    /// Fills in an attribute that refers to a record of the batch.
    private func refer(_ reference: StagedReference, _ plan: EntityPlan, _ row: Int) throws {
        guard let target = plans[reference.entity], let targetRow = reference.row.map(target.merged) else { return }
        let state = target.rows[targetRow]
        let attribute = plan.entity.attributes[reference.position]
        if state.exists, let key = state.key {
            plan.stage.give(stored: key, row, reference.position)
        } else if case .writing = state.outcome, state.key == nil {
            guard attribute.isOptional else { throw circle(plan, attribute) }
            plan.stage.takeBack(row, reference.position)
            batch.lateReferences.append((plan.position, row, reference.position, reference))
        } else {
            // An attribute that tells which record it is may have been filled in before.
            plan.stage.takeBack(row, reference.position)
            try miss(reference, attribute, plan, row)
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
        let canBeWithout = attribute.isOptional && !plan.mustRefer(reference.position, state)
        switch reference.missing {
        case .ignore where canBeWithout:
            return plan.stage.give(.null, row, reference.position)
        default: break
        }
        if attribute.reference?.onDelete == .noAction, let target = plans[reference.entity],
            let key = reference.row.flatMap({ target.rows[target.merged($0)].key })
        {
            return plan.stage.give(stored: key, row, reference.position)
        }
        if isLast {
            let error = dangling(reference, plan)
            guard canBeWithout || state.existing != nil else {
                plan.rows[row].outcome = .failed
                return try fail(error, at: state.place)
            }
            // It is reported at the end, unless a later object says something else.
            let isNamed = plans[reference.entity].map { target in
                reference.row.map { named($0, target) != nil } ?? false
            }
            if reference.missing != .keep, isNamed != true {
                return try keepValue(error, attribute.name, at: reference.place)
            }
        }
        guard canBeWithout || state.existing != nil else {
            // What can be held has been: this one cannot exist, as when its own object fails.
            throw dangling(reference, plan)
        }
        guard let number = number(of: reference, plan, row) else { return }
        plan.references[number].isWaiting = true
    }

    private func dangling(_ reference: StagedReference, _ plan: EntityPlan) -> GranaryError {
        let name = plans[reference.entity].flatMap { target in reference.row.flatMap { named($0, target) } }
        return dangling(plan, reference.position, name, reference.entity)
    }

    private func number(of reference: StagedReference, _ plan: EntityPlan, _ row: Int) -> Int? {
        var next = plan.rows[row].references?.first
        while let number = next {
            if plan.references[number].position == reference.position { return number }
            next = plan.references[number].next
        }
        return nil
    }

    /// What to say of a list that names a record which has not come.
    ///
    /// - Parameter record: What the source has for the record.
    func missing(_ entity: Entity, _ name: String, _ target: Int, _ record: NamedRecord?) -> GranaryError {
        GranaryError(
            .danglingReference,
            "No \(schema.entities[target].name) is there that \(entity.name).\(name) names. Import it first, or have stubs made.",
            entity: entity.name, attributes: [name]
        ).with(value: record.map { text(of: $0, target) })
    }

    /// Connects records that refer to each other in a circle, now that both have keys.
    private func connect(
        _ late: (entity: Int, row: Int, position: Int, target: StagedReference), in context: Context
    ) throws {
        guard let plan = plans[late.entity], let target = plans[late.target.entity] else { return }
        guard let other = late.target.row.map({ target.rows[target.merged($0)] }) else { return }
        let state = plan.rows[late.row]
        guard state.isWritten, let key = state.key else { return }
        guard other.exists, let value = other.key else {
            let name = plan.entity.attributes[late.position].name
            return try keepValue(dangling(late.target, plan), name, at: late.target.place)
        }
        try connect(plan, key, late.position, to: value, in: context)
        plan.stage.give(stored: value, late.row, late.position)
    }

    /// Sets one reference of a record.
    func connect(
        _ plan: EntityPlan, _ key: StoredValue, _ position: Int, to value: StoredValue, in context: Context
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
        if stage.isWhole(row) { return }
        for position in 0..<stage.width where !stage.isGiven(row, position) {
            let attribute = plan.entity.attributes[position]
            if position == keyPosition {
                if plan.entity.keyGeneration == .assigned {
                    stage.set(.integer(0), row, position)
                } else if attribute.type == .uuid {
                    try StoredValue(encoding: UUID.timeOrdered()).withCell { stage.set($0, row, position) }
                } else {
                    if let unreadable = unreadableKey(plan, plan.rows[row].place, at: position) { throw unreadable }
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
    private func put(_ plan: EntityPlan, _ row: Int, _ context: Context) throws {
        if let existing = plan.rows[row].existing, !plan.rows[row].hasPlaceholders, !plan.hasHooks,
            plan.stage.withRow(row, { $0.isSame(as: existing) })
        {
            plan.rows[row].outcome = .unchanged
            return
        }
        guard let handler = plan.handler, plan.needsRecord(of: row) else {
            return try plan.stage.withRow(row) { try put($0, plan, row, context) }
        }
        while true {
            do {
                rowWriter.reset(count: plan.stage.width)
                try plan.stage.withRow(row) {
                    try handler.finish($0, plan.rows[row].value, plan.rows[row].place, into: &rowWriter)
                }
                break
            } catch let failure as DecodingFailure where plan.stage.isGiven(row, failure.position) {
                // The type refuses the value, as an enum that has no such case.
                if !wrap(failure.position, plan, row) { try takeBack(failure, plan, row) }
            }
        }
        try rowWriter.withRow { try put($0, plan, row, context) }
    }

    /// Makes a value that its type refuses an array of this one value, which a list may be. Returns false if it is an array
    /// already, or the attribute has no arrays.
    private func wrap(_ position: Int, _ plan: EntityPlan, _ row: Int) -> Bool {
        let cell = plan.stage[row, position]
        guard plan.entity.attributes[position].type == .json, cell.kind == .text,
            cell.rawBytes.first != UInt8(ascii: "[")
        else { return false }
        let list = [UInt8(ascii: "[")] + Array(cell.rawBytes) + [UInt8(ascii: "]")]
        list.withUnsafeBytes { plan.stage.give(.text($0), row, position) }
        return true
    }

    private func takeBack(_ failure: DecodingFailure, _ plan: EntityPlan, _ row: Int) throws {
        let attribute = plan.entity.attributes[failure.position]
        let reason = GranaryError(
            .typeMismatch,
            "The value is not one that \(plan.entity.name).\(attribute.name) has in Swift, \(failure.type). The attribute is left as it was: correct the source, or transform it.",
            entity: plan.entity.name, attributes: [attribute.name]
        ).with(value: StoredValue(plan.stage[row, failure.position]).textOfError(as: attribute.type))
        try keepValue(reason, attribute.name, at: plan.rows[row].place)
        plan.stage.takeBack(row, failure.position)
        if let existing = plan.rows[row].existing {
            plan.stage.setLent(existing[failure.position], row, failure.position)
        } else {
            (attribute.defaultValue ?? .null).withCell { plan.stage.set($0, row, failure.position) }
        }
    }

    private func put(
        _ written: borrowing Row, _ plan: EntityPlan, _ row: Int, _ context: Context
    ) throws {
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
