/// What opening a store has done to it.
public struct MigrationResult: Sendable, Hashable {
    /// What was changed, in the order in which it was; empty if the store had the schema.
    public internal(set) var changes: [SchemaChange] = []
    /// The names of the steps of the plan that were taken.
    public internal(set) var steps: [String] = []
    /// The path to which the store was moved, because it was made for another schema and the policy was
    /// ``MigrationPolicy/moveAside``; nil if it was not.
    public internal(set) var movedTo: String?

    public init() {}
}
