/// What a save wrote.
public struct SaveResult: Sendable {
    /// The number of records that were inserted, updated and deleted. Deletions that the store's delete rules added by
    /// themselves are not counted.
    public let inserted: Int
    public let updated: Int
    public let deleted: Int
    /// The number of the commit; nil if nothing was written to the store.
    public let transactionNumber: UInt64?
    /// The conflicts that the merge policy has settled, and optional references that became nil because their record
    /// was deleted one level up (``MergeConflict/Kind/targetDeleted``).
    public private(set) var conflicts: [MergeConflict]

    /// The links of many-to-many relationships that were not written because others have deleted one of their records.
    /// A link is deleted with either of its records, so this is no conflict.
    public var droppedLinks: [DroppedLink] { notes.droppedLinks }
    /// The records that a cascade deleted together with the context's deletions although the context did not know them:
    /// others have added them since, or made them refer to the deleted records.
    public var cascadedDeletions: [CascadedDeletion] { notes.cascadedDeletions }

    private(set) var notes: MergeNotes
    /// The new versions of changed records.
    let versions: [RecordChange.Place: StoredValue]

    /// Whether there was nothing to write.
    public var isEmpty: Bool { inserted + updated + deleted == 0 }

    init(_ report: ChangeMerger.Report, transactionNumber: UInt64?) {
        inserted = report.inserted
        updated = report.updated
        deleted = report.deleted
        conflicts = report.conflicts
        notes = report.notes
        versions = report.versions
        self.transactionNumber = transactionNumber
    }

    /// The result of a save without changes.
    static var empty: SaveResult { SaveResult(.init(), transactionNumber: nil) }

    /// The same result with conflicts that were settled, and notes that were made, before.
    func adding(_ earlier: [MergeConflict], _ notes: MergeNotes) -> SaveResult {
        var result = self
        result.conflicts = earlier + conflicts
        result.notes = notes + self.notes
        return result
    }
}
