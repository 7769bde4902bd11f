/// What opening a store has done to it.
public struct MigrationResult: Sendable, Hashable {
    /// What was changed, in the order in which it was; empty if the store had the schema.
    public internal(set) var changes: [SchemaChange] = []
    /// The names of the steps of the plan that were taken.
    public internal(set) var steps: [String] = []
    /// The path to which the store was moved, because it was made for another schema and the policy was
    /// ``MigrationPolicy/moveAside``; nil if it was not.
    public internal(set) var movedTo: String?
    /// The indexes of the stored schema that the store's file lacked, and that opening has made again, by their names in the
    /// file; empty if none was missing.
    public internal(set) var madeIndexes: [String] = []

    public init() {}
}
