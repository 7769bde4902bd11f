import GranaryStoreKit

// A statement first checks everything that can make it fail, then writes; so a statement that throws has written
// nothing. Only the engine itself may still fail during the writes (full, input or output): then a part of the
// statement is written, and the writer refuses everything except its end.

/// The single write transaction of a ``KeyValueStore``.
final class KeyValueStoreWriter: StoreWriter {
    /// The state that a savepoint restores.
    struct State {
        /// The greatest key of each entity with assigned keys; nil until it is needed.
        var counters: ContiguousArray<Int64?>
        var hasChanged = false
        /// The number of the last write that has ended; see ``GroupWriting``.
        var number: UInt64
        /// For each open ``deferReferences()``, the beginning of its rows.
        var deferrals: [Int] = []
        /// The used length of ``deferredRows``.
        var deferredCount = 0
    }

    let session: KeyValueSession
    let base: StoreBase
    let engine: any KeyValueWriter
    var state: State
    var savepoints: [State] = []
    /// Rows whose references are still to be checked: table, length of the key, key.
    var deferredRows: [UInt8] = []
    /// The recorder of changes to rows, if there is one.
    var recorder: ChangeRecorder?
    var failure: (any Error)?
    /// Whether the outermost savepoint is the beginning of a grouped write.
    var isGrouped = false
    private var committedNumber: UInt64?
    /// The number of the commit, if the store was filled.
    var filledNumber: UInt64?
    /// Called after the commit, before the next writer's turn.
    var didCommit: () -> Void = {}
    /// The number of bytes of rows appended since the last partial commit.
    var uncommittedBytes = 0

    /// The cells of the row being written.
    let newCells: UnsafeMutablePointer<Cell>
    /// Room for two keys for each index, the removed and the added entry, and their lengths.
    let slots: UnsafeMutableRawPointer
    let slotCounts: UnsafeMutablePointer<Int>
    /// Room for one key for each table: the greatest possible.
    let greatest: GreatestKeys
    private var cursors: ContiguousArray<(keyspace: Keyspace, cursor: any KeyValueCursor)> = []
    private(set) var scratch: UnsafeMutableRawBufferPointer

    init(_ session: KeyValueSession, _ engine: any KeyValueWriter) {
        self.session = session
        self.engine = engine
        base = session.base
        state = State(
            counters: ContiguousArray(repeating: nil, count: base.tables.count), number: session.transactionNumber)
        newCells = .allocate(capacity: base.cellCount)
        newCells.initialize(repeating: .null, count: base.cellCount)
        slots = .allocate(byteCount: max(1, base.indexCount * 2 * KeyFormat.bufferSize), alignment: 8)
        slotCounts = .allocate(capacity: base.indexCount * 2 + 1)
        slotCounts.initialize(repeating: 0, count: base.indexCount * 2 + 1)
        greatest = GreatestKeys(base.tables.count)
        scratch = .allocate(byteCount: 1024, alignment: 8)
    }

    deinit {
        session.end()
        newCells.deallocate()
        slots.deallocate()
        slotCounts.deallocate()
        scratch.deallocate()
    }

    var schema: Schema { base.schema }
    var transactionNumber: UInt64 { committedNumber ?? state.number }

    func find(_ key: Cell, in entity: Int) throws -> Row? {
        try check()
        return try session.find(key, in: entity)
    }
    func rows(_ request: FetchRequest) throws -> any RowCursor {
        try check()
        return try session.rows(request)
    }
    func count(_ request: FetchRequest) throws -> Int {
        try check()
        return try session.count(request)
    }
    func explain(_ request: FetchRequest) throws -> QueryPlan {
        try check()
        return try session.explain(request)
    }
    func end() {
        dropCursors()
        session.end()
    }

    @inline(__always) func check() throws {
        if session.isEnded { throw KeyValueSession.closed() }
        if let failure { throw failure }
    }

    @inline(__always) func begin(_ entity: Int) throws -> Table {
        try check()
        return try base.table(entity)
    }

    /// Runs a closure that writes, and returns its result. If the engine fails, the transaction can only be ended.
    @inline(__always) @discardableResult func writing(_ body: () throws -> Bool) throws -> Bool {
        session.version &+= 1
        dropCursors()
        do {
            let hasWritten = try body()
            if hasWritten && !state.hasChanged { state.hasChanged = true }
            return hasWritten
        } catch {
            failure = error
            throw error
        }
    }

    /// A cursor for short searches; the same cursor is returned until something is written.
    func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor {
        for (other, cursor) in cursors where other == keyspace { return cursor }
        let cursor = try engine.cursor(in: keyspace)
        cursors.append((keyspace, cursor))
        return cursor
    }

    func dropCursors() {
        if !cursors.isEmpty { cursors.removeAll(keepingCapacity: true) }
    }

    /// Copies bytes that the engine is about to change.
    func copyToScratch(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if scratch.count < bytes.count {
            scratch.deallocate()
            scratch = .allocate(byteCount: bytes.count * 2, alignment: 8)
        }
        scratch.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(rebasing: scratch.prefix(bytes.count))
    }

    func commit() throws -> UInt64 {
        try check()
        defer { end() }
        try endDeferrals()
        while !savepoints.isEmpty { try releaseSavepoint() }
        guard state.hasChanged || state.number != session.transactionNumber else {
            try engine.commit()
            return session.transactionNumber
        }
        for (number, counter) in state.counters.enumerated() {
            guard let counter else { continue }
            let name = Meta.counter(base.tables[number].entity.id)
            try Meta.write(UInt64(bitPattern: counter), name, engine)
        }
        let number = try filledNumber ?? newestNumber()
        try Meta.write(Meta.State(transactionNumber: number, schemaNumber: base.schemaNumber), engine)
        try engine.commit(beforeNextWriter: didCommit)
        committedNumber = number
        return number
    }
}

extension KeyValueStoreWriter {
    /// The number of the newest commit, if the transaction were committed now.
    func newestNumber() throws -> UInt64 {
        state.hasChanged ? try StoredCount.next(after: state.number) : state.number
    }

    /// Checks the references of all rows that are still to be checked.
    func endDeferrals() throws {
        guard !state.deferrals.isEmpty else { return }
        state.deferrals = [0]
        try checkReferences()
    }
}

/// For each table an upper bound of its keys, so that a greater key is new and can be appended without a search.
final class GreatestKeys {
    private static let stride = 192
    private let base: UnsafeMutableRawPointer
    private let count: Int

    init(_ count: Int) {
        self.count = count
        base = .allocate(byteCount: max(1, count) * GreatestKeys.stride, alignment: 8)
        forget()
    }

    /// Reads the bound of each table anew: a bound from a savepoint that is undone may be too small for the restored
    /// rows.
    func forget() {
        for number in 0..<count {
            base.storeBytes(of: -1, toByteOffset: number * GreatestKeys.stride, as: Int.self)
        }
    }

    deinit { base.deallocate() }

    /// Whether the key is after all keys of its table, whose last key is read the first time.
    @inline(__always)
    func isBeyond(_ key: UnsafeRawBufferPointer, _ table: Table, _ engine: any KeyValueWriter) throws -> Bool {
        let place = base + table.number * GreatestKeys.stride
        var length = place.load(as: Int.self)
        if length < 0 {
            length = 0
            if let last = try engine.cursor(in: table.keyspace).last() { length = keep(last.key, at: place) }
            place.storeBytes(of: length, as: Int.self)
        }
        return compareBytes(key, UnsafeRawBufferPointer(start: place + 8, count: length)) > 0
    }

    /// Notes a greater key.
    @inline(__always) func advance(to key: UnsafeRawBufferPointer, _ table: Table) {
        let place = base + table.number * GreatestKeys.stride
        place.storeBytes(of: keep(key, at: place), as: Int.self)
    }

    @inline(__always) private func keep(_ key: UnsafeRawBufferPointer, at place: UnsafeMutableRawPointer) -> Int {
        let count = min(key.count, GreatestKeys.stride - 8)
        if let source = key.baseAddress { (place + 8).copyMemory(from: source, byteCount: count) }
        return count
    }
}
