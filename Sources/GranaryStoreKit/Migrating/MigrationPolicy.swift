/// What happens when a store was made for another schema than the one it is opened with: passed to ``Stack`` as
/// `migration:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), migration: .inferred)
/// ```
///
/// If the policy does not allow a change, opening throws `schemaMismatch`, and the store stays as it is. The error
/// carries the required changes as a value: ``GranaryError/plannedMigration``.
///
/// | policy | what it allows |
/// |---|---|
/// | `automatic` | changes that lose no data and rewrite no record |
/// | `refuse` | nothing |
/// | `inferred` | all changes that lose no data |
/// | `plan` | all changes that lose no data, the changes that the plan's steps allow, and the steps |
/// | `moveAside` | like `automatic`; a store that cannot be opened in this way is moved aside, and a new one is made |
public enum MigrationPolicy: Sendable {
    /// Makes changes that lose no data and rewrite no record at once, in one transaction: every change whose cost is
    /// ``SchemaChange/Cost/instant``. One other change is enough to refuse all of them.
    case automatic
    /// Opens the store only if it was made for this schema.
    case refuse
    /// Also makes changes that rewrite records, as long as they lose no data. See ``SchemaChange`` for the effect of
    /// rewriting.
    case inferred
    /// Applies the steps of a plan that the store has not applied yet.
    case plan(MigrationPlan)
    /// Like ``automatic``. A store that this refuses is renamed, never deleted, and a new one is made in its place:
    /// ``MigrationResult/movedTo`` of the stack is the path of the old one. For data that can be made again.
    case moveAside

    /// Whether records may be rewritten.
    var mayRewrite: Bool {
        switch self {
        case .inferred, .plan: true
        case .automatic, .refuse, .moveAside: false
        }
    }

    /// Whether the stored schema may be changed at all.
    package var mayMigrate: Bool {
        if case .refuse = self { false } else { true }
    }

    /// The steps, if there is a plan.
    package var plan: MigrationPlan? {
        if case .plan(let plan) = self { plan } else { nil }
    }
}
