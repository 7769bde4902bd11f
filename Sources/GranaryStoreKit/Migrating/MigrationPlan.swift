/// The steps that bring stores to the program's schema: passed to ``Stack`` as `migration: .plan(...)`.
///
/// ```swift
/// let plan = MigrationPlan(
///     .inferred("2026-03 ratings go").dropping("Song.rating"),
///     .records("2026-04 split names", of: "Artist") { old, new, store in … }.dropping("Artist.name"))
/// let stack = try await Stack(schema, store: .sqlite(at: url), migration: .plan(plan))
/// ```
///
/// - A store applies the steps that it has not applied yet, in order. Further differences are inferred, as by
///   ``MigrationPolicy/inferred``. A new store applies none: it is marked as if it had applied all.
/// - Steps belong to releases of the program: see ``release(_:schema:_:)``. A store passes one release after the other,
///   so that each step works with the schema of its own release, whatever later releases change.
/// - The steps of one release are applied together, and so are consecutive steps without a release or
///   ``MigrationStep/reaching(_:)`` between them. Additions and conversions of records come first, then code and SQL,
///   in order, then removals, required values and uniqueness.
/// - ``ending(after:)`` goes back to an earlier step.
/// - Steps are never removed from a plan, only squashed: a store that has applied all squashed steps needs none of
///   them. Any other store throws `schemaMismatch`, and needs an earlier version of the program.
public struct MigrationPlan: Sendable {
    /// The steps in the order of application. Each release comes after its steps.
    public private(set) var steps: [MigrationStep]
    /// The names of steps that are no longer in the program.
    public let squashed: [String]
    /// The steps after the end of the plan: a store that has applied them goes back.
    public let later: [MigrationStep]
    /// The requested end of the plan, if the plan has no such step.
    let missingEnd: String?
    /// Steps that are applied together with the last ones and that no store records: permissions that a person gives
    /// for this one time.
    private(set) var unrecorded: [MigrationStep] = []

    /// - Parameters:
    ///   - steps: The steps in the order of application; new ones at the end. No two have the same name.
    ///   - squashed: The names of steps that were removed here because every store has applied them.
    public init(_ steps: MigrationStep..., squashing squashed: [String] = []) {
        self.init(steps, squashed, [], missingEnd: nil)
    }

    package init(all steps: [MigrationStep]) { self.init(steps, [], [], missingEnd: nil) }

    /// The plan with a further release of the program at its end, and the steps that lead to it from the previous
    /// release.
    ///
    /// ```swift
    /// let plan = MigrationPlan()
    ///     .release("1.0", schema: firstSchema)
    ///     .release("2.0", schema: secondSchema, .code("countries become labels") { store in … })
    ///     .release("3.0", .inferred("no labels").dropping("Label"))
    /// ```
    ///
    /// A store of release 1.0 first becomes one of 2.0: the code sees the labels that 3.0 drops. Steps before the first
    /// release lead to it.
    ///
    /// While a release is in development its schema is the program's, and `schema` is left out. When the next release
    /// is begun, the earlier one gets its schema: from a file that the tool of the earlier program has written
    /// (`granary schema --json`), read with ``Schema/init(json:)``. A file that was written from a store does not
    /// contain the renamings.
    ///
    /// A release may be added to a plan later, before steps that stores have applied: stores that have applied the
    /// release's steps, or have its schema, have passed it.
    ///
    /// - Parameters:
    ///   - name: The name of the release. A store records it, and no step may have the same name.
    ///   - schema: The schema of the program in that release. Nil for the program's own: only for the last release.
    ///   - steps: The steps in the order of application. Empty if all differences can be inferred.
    public func release(_ name: String, schema: Schema? = nil, _ steps: MigrationStep...) -> MigrationPlan {
        var plan = self
        plan.steps += steps + [.release(name, schema)]
        return plan
    }

    private init(_ steps: [MigrationStep], _ squashed: [String], _ later: [MigrationStep], missingEnd: String?) {
        (self.steps, self.squashed, self.later, self.missingEnd) = (steps, squashed, later, missingEnd)
    }

    /// The plan up to a step, for use with the schema that the program had after that step. A store that has applied
    /// later steps goes back: it applies the ways back (``MigrationStep/down(_:)``) of these, the last step's first,
    /// and is then like a store that has not applied them.
    ///
    /// ```swift
    /// let stack = try await Stack(earlier, store: .sqlite(at: url), migration: .plan(plan.ending(after: "2026-04 split names")))
    /// ```
    ///
    /// Opening throws `schemaMismatch` with ``MigrationDrift/noWayBack(_:)`` if a step has no way back, and
    /// `invalidSchema` if the plan does not have the step.
    public func ending(after name: String) -> MigrationPlan {
        let all = steps + later
        guard let last = all.firstIndex(where: { $0.name == name }) else {
            return MigrationPlan(steps, squashed, later, missingEnd: name)
        }
        return MigrationPlan(Array(all[...last]), squashed, Array(all[(last + 1)...]), missingEnd: nil)
    }

    func replacingLast(with step: MigrationStep) -> MigrationPlan {
        var plan = self
        plan.steps[plan.steps.count - 1] = step
        return plan
    }

    /// The plan with a step that is applied together with its last ones and that no store records.
    fileprivate func taking(unrecorded step: MigrationStep) -> MigrationPlan {
        var plan = self
        plan.unrecorded.append(step)
        return plan
    }

    /// The records of a store that was made by this plan's program.
    package var baseline: [AppliedStep] {
        squashed.map { AppliedStep(name: $0, text: "squashed") } + steps.map(\.applied)
    }
}

extension MigrationPolicy {
    /// The policy (or `inferred`, if that allows more) with permission to remove entities, attributes and
    /// relationships, by their stored names, for this one time: no store records it as a step.
    package func dropping(_ paths: [String]) -> MigrationPolicy {
        taking(unrecorded: paths.map { MigrationStep.inferred("--drop \($0)").dropping($0) })
    }

    /// The policy (or `inferred`, if that allows more) with permission to convert attributes to types that do not hold
    /// every value, by their new names, for this one time: no store records it as a step.
    package func converting(_ paths: [String]) -> MigrationPolicy {
        taking(unrecorded: paths.map { MigrationStep.inferred("--convert \($0)").converting($0) })
    }

    private func taking(unrecorded steps: [MigrationStep]) -> MigrationPolicy {
        guard !steps.isEmpty else { return self }
        return .plan(steps.reduce(plan ?? MigrationPlan(all: [])) { plan, step in plan.taking(unrecorded: step) })
    }
}
