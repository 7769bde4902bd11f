/// What a save wrote.
public struct SaveResult: Sendable {
    /// How many records were inserted, updated and deleted where the save went to. Records that delete rules took along
    /// in the store alone are not counted.
    public let inserted: Int
    public let updated: Int
    public let deleted: Int
    /// The commit that holds them; nil if nothing was written to the store.
    public let transactionNumber: UInt64?
    /// The conflicts that the merge policy has settled.
    public private(set) var conflicts: [MergeConflict]

    /// The versions that changed records have been given.
    let versions: [RecordChange.Place: StoredValue]

    /// Whether there was nothing to write.
    public var isEmpty: Bool { inserted + updated + deleted == 0 }

    init(_ report: ChangeMerger.Report, transactionNumber: UInt64?) {
        inserted = report.inserted
        updated = report.updated
        deleted = report.deleted
        conflicts = report.conflicts
        versions = report.versions
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
