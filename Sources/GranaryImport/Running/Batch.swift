import GranaryCore

/// The objects of the source that are imported together, and what is staged of them beside the rows of their entities.
struct Batch {
    var items: [NumberedItem] = []
    /// The row of each item; nil for one that was skipped or has failed.
    var itemRows: [(entity: Int, row: Int)?] = []
    var lists: [StagedList] = []
    /// The rows that are being written, each for the one before.
    var writing: [WritingRow] = []
    /// References between records that need each other, which are set when both have keys.
    var lateReferences: [(entity: Int, row: Int, position: Int, target: StagedReference)] = []
    /// Whether a record of the batch is made for others that name it.
    var hasStubs = false
    /// The relationships of the batch that have hooks.
    var hooks: [StagedHook] = []
    /// What the batch adds to what waits, once it is written.
    var waiting = Waiting()
    /// The records of the batch that references of earlier batches have waited for.
    var arrived: [AwaitedRecord] = []
    /// The records whose references the batch has connected to them.
    var connected: [RecordPlace] = []
    /// The place in the batch of the first object that must be written apart from those before it; nil if all go together.
    private(set) var cut: Int?
    /// The places in the batch of objects that are skipped because an earlier one of the batch is the same record.
    var skippedItems: Set<Int> = []
    /// What tells which records the objects of the batch are, and must be looked up first.
    var openNames = OpenNames()

    mutating func cut(before item: Int) { cut = min(cut ?? item, item) }

    /// Forgets all but the names that were looked up. Keeps the memory that the next batch needs.
    mutating func clear() {
        items = []
        itemRows.removeAll(keepingCapacity: true)
        lists.removeAll(keepingCapacity: true)
        writing.removeAll(keepingCapacity: true)
        lateReferences.removeAll()
        hasStubs = false
        hooks.removeAll(keepingCapacity: true)
        waiting = Waiting()
        arrived = []
        connected = []
        cut = nil
        skippedItems = []
        openNames.clearRows()
    }
}
