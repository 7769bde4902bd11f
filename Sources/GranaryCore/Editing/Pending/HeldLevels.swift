/// The changes of several nested contexts at one moment, for a worker over them.
final class HeldLevels {
    private let levels: [PendingChanges]
    private let schema: Schema
    private let rules: [MergeRules]
    /// The changes adjusted to the commit with a number.
    private var followed: (number: UInt64, levels: [PendingChanges])?

    /// - Parameter levels: The topmost first.
    init(_ levels: [PendingChanges], _ schema: Schema) {
        self.levels = levels
        self.schema = schema
        rules = MergeRules.all(of: schema)
    }

    /// The changes, adjusted to the attributes that others have changed in the store since.
    func following(_ store: any StoreReader) throws -> [PendingChanges] {
        if let followed, followed.number == store.transactionNumber { return followed.levels }
        var reader = store
        var made: [PendingChanges] = []
        for level in levels {
            var changes = level
            for (entity, key, change) in try level.following(reader, schema, rules) {
                changes.put(change, key, of: entity)
            }
            made.append(changes)
            reader = OverlayReader(reader, changes, schema)
        }
        followed = (store.transactionNumber, made)
        return made
    }
}
