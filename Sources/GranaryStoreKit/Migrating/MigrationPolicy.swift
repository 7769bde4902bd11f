/// What happens when a store was made for another schema than the one it is opened with: what is passed to ``Stack`` as
/// `migration:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), migration: .inferred)
/// ```
///
/// Whatever the policy forbids throws `schemaMismatch`, and the store stays as it is. The error carries what would have to be
/// done as a value: ``GranaryError/plannedMigration``.
///
/// | policy | what it does |
/// |---|---|
/// | `automatic` | what loses nothing and rewrites no record |
/// | `refuse` | nothing |
/// | `inferred` | whatever loses nothing |
/// | `plan` | whatever loses nothing, what the plan's steps allow, and the steps |
/// | `moveAside` | as `automatic`; a store that this cannot open is moved aside, and a new one is made |
public enum MigrationPolicy: Sendable {
    /// Does at once, in one transaction, what loses nothing and rewrites no record: every change whose cost is
    /// ``SchemaChange/Cost/instant``. One other change is enough to refuse all of them.
    case automatic
    /// Opens the store only if it was made for this schema.
    case refuse
    /// Also does what rewrites records, as long as it loses nothing. See ``SchemaChange`` for what rewriting does.
    case inferred
    /// Takes the steps of a plan that the store has not taken yet.
    case plan(MigrationPlan)
    /// As ``automatic``. A store that is refused so is renamed, never deleted, and a new one is made in its place:
    /// ``MigrationResult/movedTo`` of the stack says where the old one is. For data that can be made again.
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
