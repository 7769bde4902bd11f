import GranaryStoreKit

/// A transaction that reads a state.
protocol StateReading: RowSource, StoreReader {
    var state: State { get }
}

extension StateReading {
    var transactionNumber: UInt64 { state.number }

    func row(_ key: StoredValue, of entity: Int) throws -> StoredRow? { state.tables[entity].rows[key] }

    func forEachRow(
        of entity: Int, where condition: ResolvedCondition?, _ body: (StoredRow) throws -> Void
    ) throws {
        let (search, table) = (try RowSearch(condition, of: entity, rules), state.tables[entity])
        if search.isScan {
            for row in table.rows.values { try body(row) }
        } else {
            for key in search.keys(in: table) { if let row = table.rows[key] { try body(row) } }
        }
    }

    func keys(holding value: StoredValue, _ lookup: Int, of entity: Int) throws -> [StoredValue] {
        state.tables[entity].keys(holding: value, lookup)
    }

    func lastAssignedKey(of entity: Int) throws -> Int64 {
        try check()
        _ = try rules.entity(at: entity)
        return state.tables[entity].lastKey
    }
}

/// One committed state.
final class PlainFileReader: StateReading {
    let rules: SchemaRules
    private(set) var state: State
    var lent: StoredRow?
    private let cancellation: CancellationFlag
    private var isEnded = false

    init(_ state: State, _ rules: SchemaRules, _ cancellation: CancellationFlag) {
        self.state = state
        self.rules = rules
        self.cancellation = cancellation
    }

    func check() throws {
        try cancellation.check()
        if isEnded { throw GranaryError.transactionEnded }
    }

    func end() { isEnded = true }
}

/// The write transaction: it changes a copy of the state, which a commit makes the newest.
final class PlainFileWriter: StateReading, StoreWriter, RowTarget {
    let rules: SchemaRules
    let coordinator: StoreCoordinator
    private(set) var state: State
    private(set) var version = 0
    var lent: StoredRow?
    private var savepoints: [State] = []
    /// Nil once the transaction has ended.
    private var engine: PlainFileEngine?
    private var recorder: ChangeRecorder?
    /// The number that the commit gets which fills the store; nil if it is not being filled.
    private var filledNumber: UInt64?

    /// Made by the holder of the turn.
    init(_ engine: PlainFileEngine, _ state: State, _ rules: SchemaRules, _ coordinator: StoreCoordinator) {
        self.engine = engine
        self.state = state
        self.rules = rules
        self.coordinator = coordinator
    }

    deinit { end() }

    func check() throws { if engine == nil { throw GranaryError.transactionEnded } }

    func end() {
        engine?.resumeWriting()
        engine = nil
    }

    var deferred: DeferredReferences {
        get { state.deferred }
        set { state.deferred = newValue }
    }

    func setLastAssignedKey(_ key: Int64, of entity: Int) { state.tables[entity].lastKey = key }

    func put(_ change: RowChange) {
        version += 1
        state.tables[change.entity].put(change.key, change.new)
        state.tables[change.entity].written.insert(change.key)
        if let recorder { change.record(into: recorder) }
    }

    func record(into recorder: ChangeRecorder) { self.recorder = recorder }

    func beginFilling() throws {
        try check()
        for entity in state.tables.indices {
            for key in state.tables[entity].rows.keys {
                state.tables[entity].put(key, nil)
                state.tables[entity].written.insert(key)
            }
        }
        version += 1
    }

    func finishFilling(_ end: FillingEnd) throws {
        try checkFilling(end)
        filledNumber = end.transactionNumber
    }

    func beginSavepoint() throws {
        try check()
        try rules.limits.checkSavepoint(insideOf: savepoints.count)
        savepoints.append(state)
        recorder?.beginSavepoint()
    }

    func releaseSavepoint() throws {
        try check()
        guard savepoints.popLast() != nil else { throw GranaryError.noSavepoint }
        recorder?.releaseSavepoint()
    }

    func rollbackSavepoint() throws {
        try check()
        guard let saved = savepoints.popLast() else { throw GranaryError.noSavepoint }
        state = saved
        version += 1
        recorder?.rollbackSavepoint()
    }

    func commit() throws -> UInt64 {
        try check()
        defer { end() }
        while deferred.isActive { try checkReferences() }
        let isChanged = filledNumber != nil || state.tables.contains { !$0.written.isEmpty }
        if let engine, isChanged { state = try engine.commit(state, as: filledNumber) }
        return state.number
    }
}
