/// What happens when a store was made for another schema than the one it is opened with: what is passed to ``Stack`` as
/// `migration:`.
///
/// Whatever the policy forbids throws `schemaMismatch`, and the store stays as it is. The error carries the difference as a
/// value: ``GranaryError/schemaDifference``.
public enum MigrationPolicy: Sendable, Hashable, Codable, CaseIterable {
    /// Does at once, in one transaction, what loses nothing and rewrites no record: every change whose cost is
    /// ``SchemaChange/Cost/instant``. One other change is enough to refuse all of them.
    case automatic
    /// Opens the store only if it was made for this schema.
    case refuse
}
