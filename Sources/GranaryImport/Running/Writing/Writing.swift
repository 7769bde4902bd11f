import GranaryCore
import GranaryPlatform

/// Writes the rows of a batch: each after those that it refers to.
struct Writing: ~Copyable {
    /// A row that is being written, and which of its references is to be filled in next.
    private struct Step {
        let plan: EntityPlan
        let row: Int
        var next: Int?
    }

    let session: ImportSession
    /// Whether nothing comes any more that could be waited for.
    let isLast: Bool
    /// What waits because of the rows.
    private(set) var waiting = Waiting()
    /// The rows that are being written, each for the one before.
    private var steps: [Step] = []
    /// References between records that need each other, which are set when both have keys.
    private var lateReferences: [(plan: EntityPlan, row: Int, reference: StagedReference)] = []
    /// Takes the row of a record that its type has made.
    var rowWriter: RowWriter

    init(_ session: ImportSession, isLast: Bool) {
        self.session = session
        self.isLast = isLast
        rowWriter = RowWriter(count: session.plans.schema.entities.map(\.attributes.count).max() ?? 1)
    }

    var plans: EntityPlans { session.plans }
    var account: Account { session.account }
    var context: Context { session.context }

    /// Writes the rows of the batch. Returns what waits because of them.
    mutating func writeAll() throws -> Waiting {
        for case let plan? in plans {
            for row in plan.rows.indices { try write(plan, row) }
        }
        for late in lateReferences { try connect(late.reference, of: late.plan, late.row) }
        return waiting
    }

    /// Puts placeholders in the records of the batch that are to have other unique values. Returns whether there are any.
    func putPlaceholders() throws -> Bool {
        var isAny = false
        for case let plan? in plans {
            for row in plan.rows.indices {
                let state = plan.rows[row]
                guard state.existing != nil, !state.isNamedOnly, state.mergedInto == nil, !plan.isSkipped(row)
                else { continue }
                try plan.complete(row, account)
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
    private mutating func write(_ plan: EntityPlan, _ row: Int) throws {
        guard begins(plan, row) else { return }
        guard refersToUnwritten(plan, row) else {
            do {
                for number in plan.references(of: row) { try refer(plan.references[number], plan, row) }
                return try finish(plan, row)
            } catch {
                throw GranaryError.wrapping(error, plan.entity).at(plan.rows[row].place)
            }
        }
        steps.append(Step(plan: plan, row: row, next: plan.rows[row].references?.first))
        while let current = steps.last {
            do {
                guard let number = current.next else {
                    try finish(current.plan, current.row)
                    steps.removeLast()
                    continue
                }
                let plan = current.plan
                if let target = plans[plan.references[number].entity],
                    let targetRow = plan.references[number].row.map(target.merged), begins(target, targetRow)
                {
                    let first = target.rows[targetRow].references?.first
                    steps.append(Step(plan: target, row: targetRow, next: first))
                    continue
                }
                steps[steps.count - 1].next = plan.references[number].next
                try refer(plan.references[number], plan, current.row)
            } catch {
                throw GranaryError.wrapping(error, current.plan.entity).at(current.plan.rows[current.row].place)
            }
        }
    }

    /// Whether a row refers to one that may have to be written before.
    private func refersToUnwritten(_ plan: EntityPlan, _ row: Int) -> Bool {
        plan.references(of: row).contains { number in
            guard let target = plans[plan.references[number].entity],
                let targetRow = plan.references[number].row.map(target.merged)
            else { return false }
            if case .waiting = target.rows[targetRow].outcome { return true }
            return false
        }
    }

    /// Whether a row is to be written now, and is not yet.
    private func begins(_ plan: EntityPlan, _ row: Int) -> Bool {
        guard case .waiting = plan.rows[row].outcome, plan.rows[row].mergedInto == nil else { return false }
        let isNamedOnly = plan.rows[row].isNamedOnly
        if isNamedOnly, plan.rows[row].existing != nil || !plan.rows[row].makesStub { return false }
        if !isNamedOnly, plan.mayBeSkipped, plan.isSkipped(row) {
            plan.rows[row].outcome = .skipped
            return false
        }
        plan.rows[row].outcome = .writing
        return true
    }

    private mutating func finish(_ plan: EntityPlan, _ row: Int) throws {
        guard case .writing = plan.rows[row].outcome else { return }
        try plan.complete(row, account)
        try put(plan, row)
        guard let key = plan.rows[row].key else { return }
        for number in plan.references(of: row) {
            // Its target may come later.
            guard plan.references[number].isWaiting else { continue }
            let reference = plan.references[number]
            guard let target = plans[reference.entity],
                let name = reference.row.flatMap({ target.name(of: $0) })
            else { continue }
            waiting.add(
                WaitingReference(
                    owner: ReferencePlace(entity: plan.position, key: key, position: reference.position),
                    target: target.position, name: name, isKept: reference.missing == .keep,
                    place: reference.place.detached))
        }
    }

    // MARK: References

    /// Fills in an attribute that refers to a record of the batch.
    private mutating func refer(_ reference: StagedReference, _ plan: EntityPlan, _ row: Int) throws {
        guard let target = plans[reference.entity], let targetRow = reference.row.map(target.merged) else { return }
        if target.rows[targetRow].exists, let key = target.rows[targetRow].key {
            return plan.stage.give(stored: key, row, reference.position)
        }
        let attribute = plan.entity.attributes[reference.position]
        if case .writing = target.rows[targetRow].outcome, target.rows[targetRow].key == nil {
            guard attribute.isOptional else { throw circle(plan, attribute) }
            plan.stage.takeBack(row, reference.position)
            lateReferences.append((plan, row, reference))
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
                return try account.fail(error, at: state.place)
            }
            // It is reported at the end, unless a later object says something else.
            let isNamed = plans[reference.entity].map { target in
                reference.row.map { target.name(of: $0) != nil } ?? false
            }
            if reference.missing != .keep, isNamed != true {
                return try account.keepValue(error, attribute.name, at: reference.place)
            }
        }
        guard canBeWithout || state.existing != nil else {
            // What can be held has been: this one cannot exist, as when its own object fails.
            throw dangling(reference, plan)
        }
        guard let number = plan.referenceNumber(at: reference.position, of: row) else { return }
        plan.references[number].isWaiting = true
    }

    private func dangling(_ reference: StagedReference, _ plan: EntityPlan) -> GranaryError {
        let name = plans[reference.entity].flatMap { target in reference.row.flatMap { target.name(of: $0) } }
        return plans.dangling(plan, reference.position, to: reference.entity, name)
    }

    /// Connects records that refer to each other in a circle, now that both have keys.
    private func connect(_ reference: StagedReference, of plan: EntityPlan, _ row: Int) throws {
        guard let target = plans[reference.entity], let other = reference.row.map({ target.rows[target.merged($0)] })
        else { return }
        let state = plan.rows[row]
        guard state.isWritten, let key = state.key else { return }
        guard other.exists, let value = other.key else {
            let name = plan.entity.attributes[reference.position].name
            return try account.keepValue(dangling(reference, plan), name, at: reference.place)
        }
        try session.connect(reference.position, of: key, plan, to: value, reference.place)
        plan.stage.give(stored: value, row, reference.position)
    }
}
