import GranaryCore

/// The objects of the source that are imported together, and what staging has made of them beside the rows, which are in the
/// plans of their entities.
struct Batch {
    var items: [NumberedItem] = []
    /// The row of each item; nil for one that was skipped or has failed.
    var itemRows: [(entity: Int, row: Int)?] = []
    var lists: [StagedList] = []
    /// Whether a record of the batch is made for others that name it.
    var hasStubs = false
    /// The relationships of the batch whose records are looked for at the end.
    var searches: [StagedSearch] = []
    /// The relationships of the batch that have hooks.
    var hooks: [StagedHook] = []
    /// The place in the batch of the first object that must be written apart from those before it; nil if all go together.
    private(set) var cut: Int?
    /// The places in the batch of objects that are skipped because an earlier one of the batch is the same record.
    var skippedItems: Set<Int> = []
    /// Records whose keys tell which records the objects of the batch are, and must be looked up first.
    var asked: [SoughtRecord] = []
    /// Whether an object is only named by what is looked up first, so that the batch is staged again in any case.
    var namesAsked = false
    /// Rows by what they are known by so far.
    var openRows: [OpenIdentity: Int] = [:]

    mutating func cut(before item: Int) { cut = min(cut ?? item, item) }

    /// Cuts the batch between the objects of two rows of one record, which different identities have told.
    mutating func cutBetween(_ left: StagedRow, _ right: StagedRow) {
        guard left.item != right.item, !left.isNamedOnly, !right.isNamedOnly else { return }
        cut(before: max(left.item, right.item))
    }
}

/// What became of a batch that is written.
struct BatchOutcome {
    /// What the batch adds to what waits.
    var waiting = Waiting()
    /// The records of the batch that references of earlier batches have waited for.
    var arrived: [SoughtRecord] = []
    /// The records whose references the batch has connected to them.
    var connected: [RecordPlace] = []
}
