import GranaryStoreKit

/// The rows of a table that refer to a key, by an index that begins with the reference.
final class IndexedReferrers: ReferringRows {
    private let session: KeyValueSession
    private let table: Table
    private let index: TableIndex
    private let position: Int
    private let cursor: any KeyValueCursor
    private let cells: CellBuffer
    private let prefix: UnsafeMutableRawPointer
    private var prefixCount = 0
    /// Whether the key was too long, so that each row must be checked.
    private var isCut = false
    private var key = Cell.null
    private var isFirst = true
    private var isAtEnd = true
    private var count = 0

    init(_ session: KeyValueSession, _ table: Table, _ index: TableIndex, _ position: Int) throws {
        self.session = session
        self.table = table
        self.index = index
        self.position = position
        cursor = try session.engine.cursor(in: index.keyspace)
        cells = CellBuffer(table.layout.cellCount)
        prefix = .allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
    }

    deinit { prefix.deallocate() }

    func begin(_ key: Cell) throws {
        isFirst = true
        isAtEnd = !index.kinds[0].accepts(key)
        if isAtEnd { return }
        self.key = key
        var encoder = KeyEncoder(prefix, limit: KeyFormat.indexPrefix)
        encoder.putTagged(key, as: index.kinds[0])
        prefixCount = encoder.count
        isCut = encoder.isCut
    }

    func skip() throws -> Bool {
        while let entry = try advance() {
            if try !isCut || read(entry) { return true }
        }
        return false
    }

    func next() throws -> UnsafePointer<Cell>? {
        while let entry = try advance() {
            if try read(entry) { return UnsafePointer(cells.base) }
        }
        return nil
    }

    private func advance() throws -> KeyValueEntry? {
        if isAtEnd { return nil }
        count &+= 1
        if count & 63 == 0, let cancellation = session.cancellation { try cancellation.check() }
        let bytes = UnsafeRawBufferPointer(start: prefix, count: prefixCount)
        let entry = isFirst ? try cursor.seek(atOrAfter: bytes) : try cursor.next()
        isFirst = false
        if let entry, hasPrefix(entry.key, bytes) { return entry }
        isAtEnd = true
        return nil
    }

    /// Reads the row of an entry. Returns whether it refers to the key.
    private func read(_ entry: KeyValueEntry) throws -> Bool {
        guard let (_, rowKey) = index.split(entry.key), !rowKey.isEmpty,
            let row = try session.engine.get(rowKey, in: table.keyspace)
        else { throw index.outOfStep(table) }
        try table.layout.read(row, key: rowKey, into: cells.base)
        return !isCut || areSame(cells.base[position], key)
    }
}

/// The rows of a table that refer to a key, found by reading all of them. Every attribute that refers to an entity has
/// an index, so this is only for other attributes.
final class ScannedReferrers: ReferringRows {
    private let session: KeyValueSession
    private let table: Table
    private let position: Int
    private var stream: RowStream?

    init(_ session: KeyValueSession, _ table: Table, _ position: Int) {
        self.session = session
        self.table = table
        self.position = position
    }

    func begin(_ key: Cell) throws {
        let condition = ResolvedCondition.compare(position: position, .equal, StoredValue(key))
        stream = key.isNull ? nil : try session.stream(FetchRequest(entity: table.number, condition: condition))
    }

    func skip() throws -> Bool { try stream?.step() ?? false }

    func next() throws -> UnsafePointer<Cell>? { try skip() ? stream?.position : nil }
}
