internal import GranaryCore

// A store that counts what its readers are asked: what is to be one query must be one, whatever the answer.

/// How often readers were asked for rows, for one row by its key, for aggregates and for counts.
final class ReadCounter: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var total = 0

    func add() { lock.withLock { total += 1 } }

    /// How many there were since the last time this was asked.
    func take() -> Int {
        lock.withLock {
            defer { total = 0 }
            return total
        }
    }
}

extension Trial {
    /// A further stack, on a store of its own whose reads are counted.
    func counted(_ schema: Schema, by counter: ReadCounter) throws -> Stack {
        let provider = CountedStoreProvider(
            base: subject.provider(folder + "/Counted.granary", .readWrite), counter: counter)
        return try Stack(schema, store: provider)
    }
}

private struct CountedStoreProvider: StoreProvider {
    let base: any StoreProvider
    let counter: ReadCounter

    func open(_ schema: Schema) throws -> any Store { CountedStore(try base.open(schema), counter) }
}

private final class CountedStore: Store {
    private let base: any Store
    private let counter: ReadCounter

    init(_ base: any Store, _ counter: ReadCounter) {
        self.base = base
        self.counter = counter
    }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var location: String? { base.location }
    var coordinator: StoreCoordinator { base.coordinator }
    var capabilities: Capabilities { base.capabilities }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        CountedStoreReader(try base.beginRead(cancellation), counter)
    }
    func beginWrite() throws -> any StoreWriter { try base.beginWrite() }
    func verify() throws -> [String] { try base.verify() }
    func replaceGeneration(with content: GenerationContent) throws { try base.replaceGeneration(with: content) }
    func close() throws { try base.close() }
}

private final class CountedStoreReader: StoreReader {
    private let base: any StoreReader
    private let counter: ReadCounter

    init(_ base: any StoreReader, _ counter: ReadCounter) {
        self.base = base
        self.counter = counter
    }

    var transactionNumber: UInt64 { base.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? {
        counter.add()
        return try base.find(key, in: entity)
    }
    func rows(_ request: FetchRequest) throws -> any RowCursor {
        counter.add()
        return try base.rows(request)
    }
    func count(_ request: FetchRequest) throws -> Int {
        counter.add()
        return try base.count(request)
    }
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor {
        counter.add()
        return try base.aggregate(request)
    }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try base.explain(request) }
    func explain(_ request: AggregateRequest) throws -> QueryPlan { try base.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try base.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try base.history(after: number, limit: limit)
    }
    func end() { base.end() }
}
