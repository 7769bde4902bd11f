import GranaryPlatform

// The position of a store in a plan follows from the steps and releases that it has recorded. A store may have passed a
// release that it has not recorded: the release was added to the plan after the store had applied its steps, or the
// program had no plan then. So a release also counts as passed if all of its steps are recorded. For a store that has
// recorded no release, it also counts as passed if the store has the schema of that release and no step comes before
// it.

extension MigrationPlan {
    /// The steps, and the ends of releases, that a store has not passed yet.
    ///
    /// - Throws: `schemaMismatch` with a ``MigrationDrift``; `invalidSchema` if two steps have one name.
    func pending(for stored: Schema, to program: Schema) throws -> [MigrationStep] {
        // A plan of unrecorded steps only does not know the history of the store, and adds to it.
        if !unrecorded.isEmpty, steps.isEmpty, later.isEmpty, squashed.isEmpty { return [] }
        try requireConsistency()
        let applied = stored.appliedSteps
        let taken = Dictionary(applied.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try requireFit(taken, applied)
        if let last = later.last(where: { taken[$0.name] != nil }) {
            // The store goes back: it has passed everything in the plan.
            guard let step = steps.first(where: { !$0.isRelease && taken[$0.name] == nil }) else { return [] }
            throw MigrationDrift.outOfOrder(step.name, before: last.name).error
        }
        let done = steps.lastIndex { taken[$0.name] != nil }
        let place = passed(taken, done.map { $0 + 1 } ?? 0, stored, program)
        return try steps[..<place].filter { try isLate($0, taken, before: done) } + steps[place...]
    }

    /// The releases whose schemas the plan knows.
    package var releases: [(name: String, schema: Schema)] {
        steps.compactMap { step in
            guard step.isRelease, let schema = step.reached else { return nil }
            return (step.name, schema)
        }
    }

    /// The plan with a schema for its last release, if that has none: the program's schema, which declares the
    /// renamings of the release.
    package func completed(by program: Schema) -> MigrationPlan {
        guard let last = steps.last, last.isRelease, last.reached == nil else { return self }
        return replacingLast(with: .release(last.name, program))
    }

    /// The steps of a store that was made for a release with a schema; empty if no release has it.
    package func taken(at schema: Schema) -> [AppliedStep] {
        let last = steps.lastIndex { $0.isRelease && $0.reached?.fingerprint == schema.fingerprint }
        return last.map { steps[...$0].map(\.applied) } ?? []
    }

    /// Whether a step is SQL, which only SQLite runs.
    package var hasSQL: Bool { steps.contains { if case .sql = $0.kind { true } else { false } } }

    /// Whether a step before one that the store has applied is applied nevertheless: it was added to the release that
    /// the store reached last, while that release is in development.
    private func isLate(_ step: MigrationStep, _ taken: [String: AppliedStep], before last: Int?) throws -> Bool {
        guard !step.isRelease, taken[step.name] == nil, let last else { return false }
        let begin = steps[..<last].lastIndex(where: \.isRelease) ?? -1
        if steps[last].isRelease, let place = steps.firstIndex(where: { $0.name == step.name }), place > begin {
            return true
        }
        throw MigrationDrift.outOfOrder(step.name, before: steps[last].name).error
    }

    /// The index of the first step, or end of a release, that the store has not passed.
    ///
    /// - Parameter place: The index after the last recorded one.
    private func passed(
        _ taken: [String: AppliedStep], _ place: Int, _ stored: Schema, _ program: Schema
    ) -> Int {
        var place = place
        if place > 0, place < steps.count, steps[place].isRelease, !steps[place - 1].isRelease { place += 1 }
        guard !steps.contains(where: { $0.isRelease && taken[$0.name] != nil }) else { return place }
        let end = steps[place...].firstIndex { !$0.isRelease } ?? steps.count
        let same = steps[place..<end].lastIndex { ($0.reached ?? program).fingerprint == stored.fingerprint }
        return same.map { $0 + 1 } ?? place
    }

    private func requireConsistency() throws {
        if let missingEnd {
            throw GranaryError(
                .invalidSchema,
                "The migration plan is to end after the step \"\(missingEnd)\", which it does not have. Name one of its steps."
            )
        }
        var names = Set(squashed)
        for step in steps + later where !names.insert(step.name).inserted {
            throw GranaryError(
                .invalidSchema, "Two steps of the migration plan are named \"\(step.name)\". Rename the later one.")
        }
        for step in (steps + later).dropLast() where step.isRelease && step.reached == nil {
            throw MigrationDrift.releaseWithoutSchema(step.name).error
        }
    }

    private func requireFit(_ taken: [String: AppliedStep], _ applied: [AppliedStep]) throws {
        let names = Set(squashed + (steps + later).map(\.name))
        for step in applied where !names.contains(step.name) { throw MigrationDrift.unknown(step).error }
        let missing = squashed.filter { taken[$0] == nil }
        guard missing.isEmpty else { throw MigrationDrift.squashed(missing).error }
        for step in steps + later {
            guard let old = taken[step.name], old.text != "squashed", old.checksum != step.applied.checksum else {
                continue
            }
            throw MigrationDrift.edited(name: step.name, taken: old.text, now: step.text).error
        }
    }
}
