import GranaryCore
import GranaryPlatform

// What is written of a row, and whether it is.

extension Writing {
    /// Fills in what the source did not give: what the record has, or the defaults.
    func complete(_ plan: EntityPlan, _ row: Int) throws {
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
                    if let unreadable = account.unreadableKey(plan, plan.rows[row].place, at: position) {
                        throw unreadable
                    }
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
        try rowWriter.withRow { written in
            for position in plan.linking where !areSame(written[position], plan.stage[row, position]) {
                plan.keepsLinks = false
            }
            try put(written, plan, row)
        }
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
        try account.keepValue(reason, attribute.name, at: plan.rows[row].place)
        plan.stage.takeBack(row, failure.position)
        if let existing = plan.rows[row].existing {
            plan.stage.setLent(existing[failure.position], row, failure.position)
        } else {
            (attribute.defaultValue ?? .null).withCell { plan.stage.set($0, row, failure.position) }
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
