extension Stack {
    /// A context of its own over the store. It may be handed to another actor once.
    public func makeContext(named name: String? = nil) throws -> sending EditContext {
        try EditContext(StackReference(holding: self), parent: nil, named: name)
    }

    /// A read for one call of a context, counted like any other.
    func beginContextRead() throws -> any StoreReader {
        try activity.enter()
        do {
            let reader = try store.beginRead(CancellationFlag())
            store.coordinator.see(reader.transactionNumber)
            return CountedReader(reader, activity)
        } catch {
            activity.leave()
            throw error
        }
    }
}

/// A store's reader that a stack waits for when it closes.
private final class CountedReader: StoreReader {
    private let reader: any StoreReader
    private let activity: Activity
    private let thread = currentThread()
    private var isEnded = false

    init(_ reader: any StoreReader, _ activity: Activity) {
        self.reader = reader
        self.activity = activity
        activity.note(thread, 1)
    }

    deinit { end() }

    var transactionNumber: UInt64 { reader.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try reader.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try reader.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try reader.count(request) }
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor { try reader.aggregate(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try reader.explain(request) }
    func explain(_ request: AggregateRequest) throws -> QueryPlan { try reader.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try reader.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try reader.history(after: number, limit: limit)
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        reader.end()
        activity.note(thread, -1)
        activity.leave()
    }
}
