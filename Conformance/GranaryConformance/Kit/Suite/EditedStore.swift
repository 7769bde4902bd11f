import GranaryCore

// An EditContext is a writer that keeps what is written to itself until it is saved. So a store whose writers are contexts,
// saved when they commit, runs the whole suite through contexts: every way of asking and writing there is.

extension ConformanceSubject {
    /// The same store, with every write made in a context over it and saved at commit; or in a context over such a context.
    public func throughContexts(levels: Int = 1) -> ConformanceSubject {
        let provider = provider
        var subject = ConformanceSubject(
            name + (levels > 1 ? "-child-context" : "-context"),
            capabilities: capabilities.subtracting([.rawSQL, .groupCommit])
        ) { path, access in
            EditedStoreProvider(base: provider(path, access), levels: levels)
        }
        subject.peers = peers
        subject.storeName = storeName
        subject.ledger = ledger
        subject.damage = damage
        subject.writesThroughContexts = true
        subject.isParted = isParted
        return subject
    }
}

private struct EditedStoreProvider: StoreProvider {
    let base: any StoreProvider
    let levels: Int

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        EditedStore(try base.open(schema, migration: migration), levels)
    }
    func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        EditedStore(try base.open(schema, migration: migration, contents: contents), levels)
    }
    func exists() throws -> Bool? { try base.exists() }
    func destroy() throws { try base.destroy() }
    func openStored() throws -> any Store { EditedStore(try base.openStored(), levels) }

    func moveAside() throws -> String { try base.moveAside() }
    var readingOnly: any StoreProvider { EditedStoreProvider(base: base.readingOnly, levels: levels) }
}

private final class EditedStore: Store {
    private let base: any Store
    private let levels: Int

    init(_ base: any Store, _ levels: Int) {
        self.base = base
        self.levels = levels
    }

    var kind: String { base.kind }
    var schema: Schema { base.schema }
    var location: String? { base.location }
    var coordinator: StoreCoordinator { base.coordinator }
    var capabilities: Capabilities {
        var capabilities = base.capabilities
        capabilities.features.remove(.rawSQL)
        capabilities.features.remove(.groupCommit)
        return capabilities
    }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try base.beginRead(cancellation) }
    func beginWrite() throws -> any StoreWriter { EditedWriter(try base.beginWrite(), self, levels) }
    func verify() throws -> [String] { try base.verify() }
    func compact() throws { try base.compact() }
    func replaceContents(with contents: StoreContents) throws { try base.replaceContents(with: contents) }
    func rebuildIndexes() throws { try base.rebuildIndexes() }
    func removeDroppedIndexes() throws { try base.removeDroppedIndexes() }
    func backUp(to path: String) throws { try base.backUp(to: path) }
    func close() throws { try base.close() }
}

/// A store's writer that is written to by contexts alone.
private final class EditedWriter: StoreWriter {
    private let base: any StoreWriter
    let schema: Schema
    /// The context nearest to the store first. Each is over the one before.
    private let overlays: [Overlay]
    private var statements = 0
    private var openSavepoints = 0
    private var openDeferrals = 0
    private var isPrepared = false

    /// What is written to and read from.
    private var top: Overlay { overlays[overlays.count - 1] }

    init(_ base: any StoreWriter, _ store: EditedStore, _ levels: Int) {
        self.base = base
        let (schema, coordinator) = (store.schema, store.coordinator)
        self.schema = schema
        var overlays = [Overlay(schema, coordinator, over: base)]
        while overlays.count < levels {
            let below = overlays[overlays.count - 1]
            overlays.append(Overlay(schema, coordinator) { OverlayReader(base, below.pending, schema) })
        }
        for overlay in overlays { overlay.limits = store.capabilities.limits }
        self.overlays = overlays
    }

    /// Hands changes from each context to the one below now and then, so that all of them hold some.
    private func settle() throws {
        statements += 1
        guard overlays.count > 1, openSavepoints == 0, statements % 3 == 0 else { return }
        try merge(downTo: 1)
    }

    private func merge(downTo level: Int) throws {
        for upper in stride(from: overlays.count - 1, through: max(level, 1), by: -1) {
            try merge(overlays[upper], into: overlays[upper - 1])
        }
        if level == 0 { try merge(overlays[0], into: base) }
    }

    private func merge(_ overlay: Overlay, into writer: any StoreWriter) throws {
        try overlay.merge(into: writer)
        overlay.replace(PendingChanges(schema))
    }

    var transactionNumber: UInt64 { base.transactionNumber }
    func find(_ key: Cell, in entity: Int) throws -> Row? { try top.find(key, in: entity) }
    func rows(_ request: FetchRequest) throws -> any RowCursor { try top.rows(request) }
    func count(_ request: FetchRequest) throws -> Int { try top.count(request) }
    func explain(_ request: FetchRequest) throws -> QueryPlan { try top.explain(request) }
    func lastAssignedKey(of entity: Int) throws -> Int64 { try top.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try base.history(after: number, limit: limit)
    }

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try settle()
        return try top.insert(row, into: entity)
    }
    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try settle()
        return try top.update(row, in: entity)
    }
    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try settle()
        return try top.upsert(row, into: entity)
    }
    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        try settle()
        return try top.delete(key, from: entity)
    }
    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try settle()
        return try top.updateAll(request, setting: values)
    }
    func deleteAll(_ request: FetchRequest) throws -> Int {
        try settle()
        return try top.deleteAll(request)
    }
    func deferReferences() throws {
        try top.deferReferences()
        openDeferrals += 1
    }
    func checkReferences() throws {
        try top.checkReferences()
        openDeferrals -= 1
    }
    func beginSavepoint() throws {
        try top.beginSavepoint()
        openSavepoints += 1
    }
    func releaseSavepoint() throws {
        try top.releaseSavepoint()
        openSavepoints -= 1
    }
    func rollbackSavepoint() throws {
        try top.rollbackSavepoint()
        openSavepoints -= 1
    }
    func record(into recorder: ChangeRecorder) throws { try base.record(into: recorder) }
    func keepHistory(_ entry: HistoryEntry) throws { try base.keepHistory(entry) }
    func deleteHistory(through number: UInt64) throws { try base.deleteHistory(through: number) }
    func beginFilling() throws { try base.beginFilling() }
    func append(_ row: borrowing Row, to entity: Int) throws { try base.append(row, to: entity) }
    func finishFilling(_ end: FillingEnd) throws { try base.finishFilling(end) }

    func prepareCommit() throws {
        isPrepared = true
        while openDeferrals > 0 { try checkReferences() }
        while openSavepoints > 0 { try releaseSavepoint() }
        try merge(downTo: 0)
        try base.prepareCommit()
    }

    func commit() throws -> UInt64 {
        do {
            // Who writes to a store without a stack has not prepared it.
            if !isPrepared { try prepareCommit() }
        } catch {
            end()
            throw error
        }
        endOverlays()
        return try base.commit()
    }

    func end() {
        endOverlays()
        base.end()
    }

    private func endOverlays() { for overlay in overlays { overlay.end() } }
}
