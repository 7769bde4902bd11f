/// The steps that bring stores to the program's schema: what is passed to ``Stack`` as `migration: .plan(...)`.
///
/// ```swift
/// let plan = MigrationPlan(
///     .inferred("2026-03 ratings go").dropping("Song.rating"),
///     .records("2026-04 split names", of: "Artist") { old, new, store in … }.dropping("Artist.name"))
/// let stack = try await Stack(schema, store: .sqlite(at: url), migration: .plan(plan))
/// ```
///
/// - A store takes the steps that it has not taken yet, in their order. What differs beyond them is inferred, as by
///   ``MigrationPolicy/inferred``. A store that is made takes none: it is marked as if it had taken all.
/// - The steps that follow each other without ``MigrationStep/reaching(_:)`` are taken together: records are read and written
///   once. Their conversions of records come first, then their code and SQL, in their order.
/// - ``ending(after:)`` goes back to an earlier step.
/// - Steps are never removed from a plan, only squashed: a store that has taken all squashed steps needs none of them. One that
///   has not, throws `schemaMismatch`, and needs a program from before.
public struct MigrationPlan: Sendable {
    /// In the order in which they are taken.
    public let steps: [MigrationStep]
    /// The names of steps that are not in the program any more.
    public let squashed: [String]
    /// The steps after the one where the plan ends: a store that has taken them goes back.
    public let later: [MigrationStep]
    /// Where the plan was to end, and has no such step.
    private let missingEnd: String?
    /// Steps that are taken together with the last ones and that no store keeps: what a person allows for this one time.
    private(set) var unrecorded: [MigrationStep] = []

    /// - Parameters:
    ///   - steps: In the order in which they are taken; new ones at the end. No two have the same name.
    ///   - squashed: The names of steps that stand no longer here, as every store has taken them.
    public init(_ steps: MigrationStep..., squashing squashed: [String] = []) {
        self.init(steps, squashed, [], missingEnd: nil)
    }

    package init(all steps: [MigrationStep]) { self.init(steps, [], [], missingEnd: nil) }

    private init(_ steps: [MigrationStep], _ squashed: [String], _ later: [MigrationStep], missingEnd: String?) {
        (self.steps, self.squashed, self.later, self.missingEnd) = (steps, squashed, later, missingEnd)
    }

    /// The plan up to a step, to be passed with the schema that the program had after that step. A store that has taken later
    /// steps goes back: it takes the ways back (``MigrationStep/down(_:)``) of these, the last step's first, and is as one that
    /// has not taken them.
    ///
    /// ```swift
    /// let stack = try await Stack(earlier, store: .sqlite(at: url), migration: .plan(plan.ending(after: "2026-04 split names")))
    /// ```
    ///
    /// Opening throws `schemaMismatch` with ``MigrationDrift/noWayBack(_:)`` if a step has none, and `invalidSchema` if the plan
    /// does not have the step.
    public func ending(after name: String) -> MigrationPlan {
        let all = steps + later
        guard let last = all.firstIndex(where: { $0.name == name }) else {
            return MigrationPlan(steps, squashed, later, missingEnd: name)
        }
        return MigrationPlan(Array(all[...last]), squashed, Array(all[(last + 1)...]), missingEnd: nil)
    }

    /// The plan with a step that is taken together with its last ones and that no store keeps.
    fileprivate func taking(unrecorded step: MigrationStep) -> MigrationPlan {
        var plan = self
        plan.unrecorded.append(step)
        return plan
    }

    /// What a store has taken that was made by this plan's program.
    package var baseline: [AppliedStep] {
        squashed.map { AppliedStep(name: $0, text: "squashed") } + steps.map(\.applied)
    }

    /// The steps that a store has not taken yet.
    ///
    /// - Throws: `schemaMismatch` with a ``MigrationDrift``; `invalidSchema` if two steps have one name.
    func pending(after applied: [AppliedStep]) throws -> [MigrationStep] {
        // A plan of nothing else does not know what programs have done, and goes on from there.
        if !unrecorded.isEmpty, steps.isEmpty, later.isEmpty, squashed.isEmpty { return [] }
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
        let taken = Dictionary(applied.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for step in applied where !names.contains(step.name) { throw MigrationDrift.unknown(step).error }
        let missing = squashed.filter { taken[$0] == nil }
        guard missing.isEmpty else { throw MigrationDrift.squashed(missing).error }
        for step in steps + later {
            guard let old = taken[step.name], old.text != "squashed", old.checksum != step.applied.checksum else {
                continue
            }
            throw MigrationDrift.edited(name: step.name, taken: old.text, now: step.text).error
        }
        let pending = steps.filter { taken[$0.name] == nil }
        if let first = pending.first, let place = steps.firstIndex(where: { $0.name == first.name }),
            let later = steps[place...].first(where: { taken[$0.name] != nil })
        {
            throw MigrationDrift.outOfOrder(first.name, before: later.name).error
        }
        return pending
    }

    /// The steps to be undone by a store, the last one first.
    ///
    /// - Throws: `schemaMismatch` if one has no way back.
    func undone(of applied: [AppliedStep]) throws -> [(step: MigrationStep, back: MigrationStep)] {
        let taken = Set(applied.map(\.name))
        return try later.reversed().filter { taken.contains($0.name) }.map { step in
            guard let back = step.wayBack else { throw MigrationDrift.noWayBack(step.name).error }
            return (step, back)
        }
    }
}

extension MigrationPolicy {
    /// The policy, or `inferred` where that allows more, which may also remove entities, attributes and relationships, by their
    /// stored names, for this one time: no store keeps it as a step.
    package func dropping(_ paths: [String]) -> MigrationPolicy {
        taking(unrecorded: paths.map { MigrationStep.inferred("--drop \($0)").dropping($0) })
    }

    /// The policy, or `inferred` where that allows more, which may also convert attributes to types that do not hold every value,
    /// by their new names, for this one time: no store keeps it as a step.
    package func converting(_ paths: [String]) -> MigrationPolicy {
        taking(unrecorded: paths.map { MigrationStep.inferred("--convert \($0)").converting($0) })
    }

    private func taking(unrecorded steps: [MigrationStep]) -> MigrationPolicy {
        guard !steps.isEmpty else { return self }
        return .plan(steps.reduce(plan ?? MigrationPlan(all: [])) { plan, step in plan.taking(unrecorded: step) })
    }
}

/// Why a plan does not fit the steps that a store has taken: what an error with the code `schemaMismatch` carries as
/// ``GranaryError/migrationDrift``.
public enum MigrationDrift: Sendable, Hashable {
    /// The store has taken a step that says something else now.
    case edited(name: String, taken: String, now: String)
    /// The store has taken a step that the plan does not have.
    case unknown(AppliedStep)
    /// The plan has a step that the store has not taken before one that it has.
    case outOfOrder(String, before: String)
    /// The store has not taken steps that the plan has squashed.
    case squashed([String])
    /// The store has taken a step after the one where the plan ends, which cannot be undone.
    case noWayBack(String)
    /// The steps end in another schema than the program's.
    case schema(SchemaDifference)

    var error: GranaryError {
        let message =
            switch self {
            case .edited(let name, let taken, let now):
                "The step \"\(name)\" of the migration plan was edited after the store took it. It said: \(taken). It says: \(now). Restore its text, and write the change as a new step at the end."
            case .unknown(let step):
                "The store has taken the step \"\(step.name)\", which the migration plan does not have. Open the store with the program that has it, or name it in squashing:."
            case .outOfOrder(let step, let later):
                "The step \"\(step)\" stands before \"\(later)\", which the store has taken already. Move \"\(step)\" to the end of the plan."
            case .squashed(let names):
                "The store has not taken the squashed steps \(names.map { "\"\($0)\"" }.joined(separator: ", ")). Open it first with a program that has them."
            case .noWayBack(let name):
                "The store has taken the step \"\(name)\", which comes after the end of the migration plan and has no way back. Give it one with down(_:), or let the plan end later."
            case .schema(let difference):
                "The last step of the migration plan reaches another schema than the program's: \(difference.changes.prefix(8).map(\.description).joined(separator: "; ")). Remove reaching: from it, or add a step."
            }
        var error = GranaryError(.schemaMismatch, message)
        error.details = self
        return error
    }
}

extension GranaryError {
    /// Why a migration plan does not fit a store, of an error with the code `schemaMismatch`; nil of others.
    public var migrationDrift: MigrationDrift? { details as? MigrationDrift }
}
