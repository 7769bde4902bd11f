extension SchemaMigration {
    /// All stages, whether or not a policy allows them. Each release that a store passes is a stage of its own, and so
    /// is each schema that a step reaches.
    static func stages(from stored: Schema, to program: Schema, _ policy: MigrationPolicy) throws -> [SchemaMigration] {
        var list = StageList(stored)
        guard let plan = policy.plan else {
            if stored.fingerprint != program.fingerprint { list.end(at: program) }
            return list.stages
        }
        let pending = try plan.pending(for: stored, to: program)
        let undone = plan.undone(of: stored.appliedSteps)
        if pending.isEmpty, undone.isEmpty, stored.fingerprint == program.fingerprint { return [] }
        try list.goBack(undone)
        for step in pending {
            list.take(step)
            if let reached = step.reached { list.end(at: reached) }
        }
        if let last = plan.steps.last?.reached {
            let rest = SchemaDifference(from: last, to: program)
            guard (rest.cost ?? .instant) == .instant else { throw MigrationDrift.schema(rest).error }
        }
        if !plan.unrecorded.isEmpty, SchemaDifference(from: list.schema, to: program).changesStorage {
            for step in plan.unrecorded { list.take(unrecorded: step) }
        }
        list.end(at: program)
        return list.stages
    }
}

/// Collects the stages of a migration.
private struct StageList {
    private(set) var stages: [SchemaMigration] = []
    /// The schema at the end of the stages so far.
    private(set) var schema: Schema
    private var taken: [MigrationStep] = []
    private var applied: [AppliedStep]
    /// While the list goes back: the declarations of the later release, with its renamings.
    private var later: Schema?
    private var goesBack = false

    init(_ stored: Schema) { (schema, applied) = (stored, stored.appliedSteps) }

    mutating func take(_ step: MigrationStep) {
        if !step.isRelease { taken.append(step) }
        goesBack = false
        applied.append(step.applied)
    }

    mutating func take(unrecorded step: MigrationStep) { taken.append(step) }

    mutating func end(at target: Schema) {
        var target = target
        if goesBack, let later { target = target.undoingRenames(of: later) }
        let stage = SchemaMigration(from: schema, to: target, taken, applied, goesBack: goesBack)
        if stage.difference.changesStorage || !taken.isEmpty { stages.append(stage) }
        schema = stage.target
        taken = []
    }

    /// Applies the ways back of steps, the last step first, through the releases between them.
    ///
    /// - Throws: `schemaMismatch` if a step has no way back.
    mutating func goBack(_ undone: [MigrationStep]) throws {
        goesBack = !undone.isEmpty
        for (number, step) in undone.enumerated() {
            if step.isRelease {
                // The store already has the schema of the first step.
                if number > 0, let reached = step.reached { end(at: reached) }
                later = step.reached
            } else {
                guard let back = step.wayBack else { throw MigrationDrift.noWayBack(step.name).error }
                taken.append(back)
            }
            applied.removeAll { $0.name == step.name }
            if !step.isRelease, let reached = step.wayBack?.reached { end(at: reached) }
        }
    }
}

extension MigrationPlan {
    /// The steps to be undone by a store, the last one first, and the releases between them.
    fileprivate func undone(of applied: [AppliedStep]) -> [MigrationStep] {
        let taken = Set(applied.map(\.name))
        guard let last = later.lastIndex(where: { taken.contains($0.name) }) else { return [] }
        return later[...last].reversed().filter { $0.isRelease || taken.contains($0.name) }
    }
}
