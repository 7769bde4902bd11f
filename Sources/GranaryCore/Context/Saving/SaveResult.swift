/// What a save wrote.
public struct SaveResult: Sendable {
    /// How many records were inserted, updated and deleted where the save went to. Records that delete rules took along
    /// in the store alone are not counted.
    public let inserted: Int
    public let updated: Int
    public let deleted: Int
    /// The commit that holds them; nil if nothing was written to the store.
    public let transactionNumber: UInt64?
    /// The conflicts that the merge policy has settled, and optional references that became nil because what they referred
    /// to was deleted there (``MergeConflict/Kind/targetDeleted``).
    public private(set) var conflicts: [MergeConflict]

    /// Whether there was nothing to write.
    public var isEmpty: Bool { inserted + updated + deleted == 0 }

    init(_ report: ChangeMerger.Report, transactionNumber: UInt64?) {
        inserted = report.inserted
        updated = report.updated
        deleted = report.deleted
        conflicts = report.conflicts
        self.transactionNumber = transactionNumber
    }

    /// Of nothing.
    static var empty: SaveResult { SaveResult(.init(), transactionNumber: nil) }

    /// The same with conflicts that were settled before.
    func adding(_ earlier: [MergeConflict]) -> SaveResult {
        var result = self
        result.conflicts = earlier + conflicts
        return result
    }
}
