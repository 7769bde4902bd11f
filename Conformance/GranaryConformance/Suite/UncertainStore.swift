internal import GranaryCore

// A store whose commits hold, but say once that this is not known: what an engine says when the disk fails while it commits
// and again when it is asked.

extension Trial {
    /// A further stack, on a store of its own of which the next commit will not be known, each time the flag is set.
    func uncertain(_ schema: Schema, _ flag: Flag) throws -> Stack {
        let provider = subject.provider(folder + "/Uncertain.granary", .readWrite)
        return try Stack(schema, store: UncertainStoreProvider(base: provider, flag: flag))
    }
}

/// Set from anywhere, and taken once.
final class Flag: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isSet = false

    func set() { lock.withLock { isSet = true } }

    func take() -> Bool {
        lock.withLock {
            defer { isSet = false }
            return isSet
        }
    }
}

private struct UncertainStoreProvider: StoreProvider {
    let base: any StoreProvider
    let flag: Flag

    func open(_ schema: Schema) throws -> any Store { UncertainStore(try base.open(schema), flag) }
}

private final class UncertainStore: Store {
    private let base: any Store
    private let flag: Flag

    init(_ base: any Store, _ flag: Flag) {
        self.base = base
        self.flag = flag
    }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var location: String? { base.location }
    var coordinator: StoreCoordinator { base.coordinator }
    var capabilities: Capabilities { base.capabilities }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { UncertainWriter(try base.beginWrite(), flag) }
    func verify() throws -> [String] { try base.verify() }
    func close() throws { try base.close() }
}

private final class UncertainWriter: StoreWriter {
    private let base: any StoreWriter
    private let flag: Flag

    init(_ base: any StoreWriter, _ flag: Flag) {
        self.base = base
        self.flag = flag
    }

    func commit() throws -> UInt64 {
        let number = try base.commit()
        if flag.take() { throw GranaryError(.commitOutcomeUnknown, "The disk failed while committing.") }
        return number
    }

    var transactionNumber: UInt64 { base.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try base.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try base.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try base.count(request) }
    func aggregate(_ request: AggregateRequest) throws -> any RowCursor { try base.aggregate(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try base.explain(request) }
    func explain(_ request: AggregateRequest) throws -> QueryPlan { try base.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try base.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try base.history(after: number, limit: limit)
    }
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? { try base.insert(row, into: entity) }
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool { try base.update(row, in: entity) }
    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? { try base.upsert(row, into: entity) }
    func delete(_ key: Cell, from entity: Int) throws -> Bool { try base.delete(key, from: entity) }
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try base.updateAll(request, setting: values)
    }
    func deleteAll(_ request: FetchRequest) throws -> Int { try base.deleteAll(request) }
    func deferReferences() throws { try base.deferReferences() }
    func checkReferences() throws { try base.checkReferences() }
    func beginSavepoint() throws { try base.beginSavepoint() }
    func releaseSavepoint() throws { try base.releaseSavepoint() }
    func rollbackSavepoint() throws { try base.rollbackSavepoint() }
    func record(into recorder: ChangeRecorder) throws { try base.record(into: recorder) }
    func keepHistory(_ entry: HistoryEntry) throws { try base.keepHistory(entry) }
    func deleteHistory(through number: UInt64) throws { try base.deleteHistory(through: number) }
    func prepareCommit() throws { try base.prepareCommit() }
    func end() { base.end() }
}
