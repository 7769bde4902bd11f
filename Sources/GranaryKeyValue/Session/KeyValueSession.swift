import GranaryStoreKit

/// Shared by readers and writers: one engine transaction and its working memory.
final class KeyValueSession {
    let base: StoreBase
    let engine: any KeyValueReader
    // Set as a whole by one thread, so accesses never overlap.
    @exclusivity(unchecked) private(set) var cancellation: CancellationFlag?
    @exclusivity(unchecked) private(set) var isEnded = false
    /// Increased with each statement that may have moved memory that cursors point at.
    var version = 0
    @exclusivity(unchecked) private(set) var transactionNumber: UInt64
    /// The version with which the transaction began. Cursors of earlier ones have lower versions.
    @exclusivity(unchecked) private var firstVersion = 0
    /// Working memory for one key, for one more, and for the cells of one row.
    let keyBuffer: UnsafeMutableRawPointer
    let otherKeyBuffer: UnsafeMutableRawPointer
    let cells: UnsafeMutablePointer<Cell>

    init(_ base: StoreBase, _ engine: any KeyValueReader, _ cancellation: CancellationFlag?) throws {
        do {
            let state = try Meta.readState(engine)
            guard state.schemaNumber == base.schemaNumber else { throw GranaryError.schemaReplaced }
            transactionNumber = state.transactionNumber
        } catch {
            engine.end()
            throw error
        }
        self.base = base
        self.engine = engine
        self.cancellation = cancellation
        // One piece of memory: a context opens a session for each call.
        let size = 2 * KeyFormat.bufferSize
        keyBuffer = .allocate(byteCount: size + base.cellCount * MemoryLayout<Cell>.stride, alignment: 16)
        otherKeyBuffer = keyBuffer + KeyFormat.bufferSize
        cells = (keyBuffer + size).initializeMemory(as: Cell.self, repeating: .null, count: base.cellCount)
    }

    deinit {
        end()
        // The other two are in the same memory.
        keyBuffer.deallocate()
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        engine.end()
    }

    /// Begins the next read, after the end of one. Returns false if the engine cannot.
    ///
    /// - Throws: What beginning a read throws. Then the session is of no further use.
    func renew(_ cancellation: CancellationFlag) throws -> Bool {
        guard try engine.renew() else { return false }
        version &+= 1
        firstVersion = version
        isEnded = false
        do {
            let state = try Meta.readState(engine)
            guard state.schemaNumber == base.schemaNumber else { throw GranaryError.schemaReplaced }
            transactionNumber = state.transactionNumber
        } catch {
            end()
            throw error
        }
        self.cancellation = cancellation
        return true
    }

    @inline(__always) func check() throws {
        if isEnded { throw KeyValueSession.closed() }
        if let cancellation { try cancellation.check() }
    }

    /// Called before each step of a cursor that was made at a version.
    @inline(__always) func checkCursor(_ version: Int) throws {
        if isEnded || version != self.version { throw cannotStep(version) }
    }

    @inline(never) private func cannotStep(_ version: Int) -> GranaryError {
        isEnded || version < firstVersion ? KeyValueSession.closed() : .cursorInvalidated
    }

    @inline(never) static func closed() -> GranaryError { .transactionEnded }

    /// Finds a row by its key and reads it into ``cells``. The engine's key is in ``keyBuffer`` afterwards.
    @inline(__always)
    func load(_ key: Cell, of table: Table) throws -> (key: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer)? {
        let count = try table.encodeKey(key, into: keyBuffer)
        let bytes = UnsafeRawBufferPointer(start: keyBuffer, count: count)
        guard let row = try engine.get(bytes, in: table.keyspace) else { return nil }
        try table.layout.read(row, key: bytes, into: cells)
        if table.isCut(bytes), !areSame(cells[table.keyPosition], key) { return nil }
        return (bytes, row)
    }

    func find(_ key: Cell, in entity: Int) throws -> Row? {
        try check()
        let count = try base.withTable(entity) { table in
            try load(key, of: table) == nil ? nil : table.kinds.count
        }
        guard let count else { return nil }
        return Row(cells: cells, count: count)
    }

    /// The first reference of a row whose record does not exist, like ``EntityRules/danglingReference(of:_:at:among:)``
    /// for records. The row's own key is left in ``keyBuffer``.
    ///
    /// - Parameter old: The row that is replaced: unchanged references are not checked.
    func danglingReference(
        of cells: UnsafeMutablePointer<Cell>, _ table: Table, replacing old: UnsafeMutablePointer<Cell>? = nil
    ) throws -> Int? {
        for reference in table.outgoing {
            let cell = cells[reference.position]
            if cell.isNull { continue }
            if let old, areSame(old[reference.position], cell) { continue }
            // A row may refer to itself.
            if reference.target == table.number && areSame(cell, cells[table.keyPosition]) { continue }
            guard try exists(cell, in: base.tables[reference.target]) else { return reference.position }
        }
        return nil
    }

    /// Whether a row with this key exists. The key is in ``otherKeyBuffer`` afterwards.
    func exists(_ key: Cell, in table: Table) throws -> Bool {
        guard table.keyField.accepts(key) else { return false }
        let count = try table.encodeKey(key, into: otherKeyBuffer)
        let bytes = UnsafeRawBufferPointer(start: otherKeyBuffer, count: count)
        guard let row = try engine.get(bytes, in: table.keyspace) else { return false }
        guard table.isCut(bytes) else { return true }
        let cells = CellBuffer(table.layout.cellCount)
        try table.layout.read(row, key: bytes, into: cells.base)
        return areSame(cells.base[table.keyPosition], key)
    }
}

/// Memory for the cells of one row.
final class CellBuffer {
    let base: UnsafeMutablePointer<Cell>

    init(_ count: Int) {
        base = .allocate(capacity: count)
        base.initialize(repeating: .null, count: count)
    }

    deinit { base.deallocate() }
}
