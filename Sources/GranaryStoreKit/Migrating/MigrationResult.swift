/// What opening did to a store.
public struct MigrationResult: Sendable, Hashable {
    /// The changes that were made, in order; empty if the store had the schema.
    public internal(set) var changes: [SchemaChange] = []
    /// The names of the plan's steps that were applied.
    public internal(set) var steps: [String] = []
    /// The path to which the store was moved, because it was made for another schema and the policy was
    /// ``MigrationPolicy/moveAside``; nil if it was not moved.
    public internal(set) var movedTo: String?
    /// The indexes of the stored schema that were missing in the store's file and that opening has made again, by their
    /// names in the file; empty if none was missing.
    public internal(set) var madeIndexes: [String] = []

    public init() {}
}
