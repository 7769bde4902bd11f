import ConformanceKit
import GranaryCore
import GranaryPlatform

final class BrokenStore: Store {
    let base: any Store
    let schema: Schema
    let fault: Fault
    let coordinator: StoreCoordinator
    /// Whether opening it has changed its schema.
    let isMigrated: Bool
    /// What a reset with the fault keeps of the contents before.
    let kept: Kept?
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var old: (any StoreReader)?
    nonisolated(unsafe) private var open: BrokenWriter?
    nonisolated(unsafe) private var noted: [RecordChange] = []
    nonisolated(unsafe) private var replacements = 0
    nonisolated(unsafe) private var filled: Bool

    /// Rows by entity, and history.
    struct Kept: Sendable {
        var rows: [[[StoredValue]]] = []
        var history: [HistoryEntry] = []
    }

    init(
        _ base: any Store, schema: Schema, fault: Fault, isMigrated: Bool = false, isFilled: Bool = false,
        kept: Kept? = nil
    ) {
        self.base = base
        self.schema = schema
        self.fault = fault
        self.isMigrated = isMigrated
        self.kept = kept
        filled = isFilled
        coordinator = fault == .stacksShareNoObservers ? StoreCoordinator() : base.coordinator
    }

    var kind: String { base.kind }
    var location: String? { base.location }
    var capabilities: Capabilities {
        var capabilities = base.capabilities
        if fault == .claimsRowChecksums { capabilities.features.formSymmetricDifference([.rowChecksums]) }
        if fault == .claimsPersistence { capabilities.features.insert(.persistence) }
        // Its writers are not.
        capabilities.features.remove(.groupCommit)
        return capabilities
    }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        let cancellation = fault == .ignoresCancellation ? CancellationFlag() : cancellation
        let waiting = lock.withLock {
            defer { old = nil }
            return old
        }
        if let waiting { return BrokenReader(waiting, self) }
        return BrokenReader(try base.beginRead(cancellation), self)
    }

    func beginWrite() throws -> any StoreWriter {
        let writer = BrokenWriter(try base.beginWrite(), self)
        lock.withLock { open = writer }
        return writer
    }

    /// The transaction under way, for readers that look into it.
    func withOpenWriter<T>(_ body: (BrokenWriter?) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(open)
    }

    func willEnd() { lock.withLock { open = nil } }

    /// Keeps a snapshot of the state before a commit for the next reader.
    func keepOld() throws {
        guard fault == .readersLagBehind else { return }
        let reader = try base.beginRead(CancellationFlag())
        let before = lock.withLock {
            defer { old = reader }
            return old
        }
        before?.end()
    }

    /// Keeps the changes of a commit, and returns those of the commit before.
    func exchangeNoted(_ changes: [RecordChange]) -> [RecordChange] {
        lock.withLock {
            defer { noted = changes }
            return noted
        }
    }

    /// How often the contents were replaced.
    var replacementCount: Int { lock.withLock { replacements } }
    /// Whether the records came from filling.
    var isFilled: Bool { lock.withLock { filled } }

    func verify() throws -> [String] {
        let faults = try base.verify()
        return fault == .verifyInventsFault && faults.isEmpty ? ["A page has another checksum."] : faults
    }

    func replaceContents(with contents: StoreContents) throws {
        if fault == .resetDoesNothing { return contents.didGoLive() }
        var broken = StoreContents(schema: contents.schema) { [self] new, old in
            let filling = BrokenStore(new, schema: schema, fault: fault, kept: try kept(old))
            try contents.fill(filling, replacing: old)
        }
        broken.seed = contents.seed
        if fault != .resetDoesNotGoLive { broken.wentLive = { contents.didGoLive() } }
        do {
            try base.replaceContents(with: broken)
        } catch {
            if fault == .failedResetLosesRecord { try? base.loseRecord() }
            throw error
        }
        lock.withLock {
            replacements += 1
            filled = true
        }
    }

    private func kept(_ old: (any StoreReader)?) throws -> Kept {
        var kept = Kept()
        guard let old else { return kept }
        if fault == .resetKeepsRecords {
            kept.rows = try schema.entities.indices.map { try old.rows(FetchRequest(entity: $0)).all() }
        }
        if fault == .resetKeepsHistory { kept.history = try old.history(after: 0, limit: 1000) }
        return kept
    }

    func compact() throws {
        guard fault.areas == [.compacting] else { return try base.compact() }
        try rewrite()
    }

    func rebuildIndexes() throws {
        try base.rebuildIndexes()
        if fault == .rebuildingLosesRecord { try rewrite() }
    }

    /// Replaces the contents by a copy of them, in which the fault shows.
    private func rewrite() throws {
        let contents = StoreContents { [fault] new, old in
            guard let old else { return }
            var transfer = try StoreTransfer(from: old, into: new)
            switch fault {
            case .compactingNumbersCommit: transfer.transactionNumber += 1
            case .compactingForgetsHistory: transfer.keepsHistory = false
            // The writer assigns keys again.
            case .compactingForgetsKeys: break
            default:
                var isFirst = true
                transfer.checksReferences = false
                transfer.convert = { row, entity, output in
                    if !isFirst { try output.append(row, to: entity) }
                    isFirst = false
                }
            }
            try transfer.run()
        }
        try base.replaceContents(with: contents)
        lock.withLock { filled = true }
    }

    func removeDroppedIndexes() throws { try base.removeDroppedIndexes() }
    func backUp(to path: String) throws { try base.backUp(to: path) }
    func foreignReads() -> [ForeignRead] { base.foreignReads() }
    func foreignBlockage() -> Duration? { base.foreignBlockage() }
    func synchronize() throws { try base.synchronize() }

    func close() throws {
        lock.withLock { old }?.end()
        if fault != .closingKeepsOpen { try base.close() }
    }
}
