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

    /// The links of many-to-many relationships that were not written, as others have deleted one of their records. A link goes
    /// with either of its records, so this is no conflict.
    public var droppedLinks: [DroppedLink] { notes.droppedLinks }
    /// The records that were deleted along with what the context has deleted, by a cascade, although the context did not
    /// know of them: others have added them since, or made them refer to what it deletes.
    public var cascadedDeletions: [CascadedDeletion] { notes.cascadedDeletions }

    private(set) var notes: MergeNotes
    /// The versions that changed records have been given.
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

    /// Of nothing.
    static var empty: SaveResult { SaveResult(.init(), transactionNumber: nil) }

    /// The same with conflicts that were settled before, and what else was done then.
    func adding(_ earlier: [MergeConflict], _ notes: MergeNotes) -> SaveResult {
        var result = self
        result.conflicts = earlier + conflicts
        result.notes = notes + self.notes
        return result
    }
}
