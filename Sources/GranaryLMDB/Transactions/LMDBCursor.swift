import CLMDB
import GranaryStoreKit
import GranaryKeyValue

// A call of the library costs more than most entries. A snapshot's pages lie in the mapped file and do not change, so
// the cursor itself moves from one entry of a page to the next, and the library's cursor stays behind. The library's
// cursor is moved to the current place before the step to another page.

/// A position in a keyspace. Without a position, ``next()`` and ``previous()`` return nil.
final class LMDBCursor: KeyValueCursor {
    /// The number of entries after which passed pages are released from memory. The size of pages is limited too.
    /// Entries count because each entry of an index may have led to a page elsewhere.
    private static let mostEntries = 1 << 17
    private static let mostBytes = 16 << 20

    private let transaction: LMDBTransaction
    private let handle: MDB_dbi
    private var cursor: OpaquePointer
    private var stamp: UInt
    private var stands = false
    /// The numbers of entries and bytes passed since pages were last released.
    private var passedEntries = 0
    private var passedBytes = 0
    /// The page around the position, once the library has stepped to it.
    private var page: LeafPage?
    private var index = 0
    /// Whether the library's cursor is at another entry of the page.
    private var isBehind = false
    private var pageSize: Int { transaction.mappedPageSize }

    init(transaction: LMDBTransaction, handle: MDB_dbi, cursor: OpaquePointer) {
        self.transaction = transaction
        self.handle = handle
        self.cursor = cursor
        stamp = transaction.stamp
    }

    deinit {
        if stamp == transaction.stamp, transaction.transaction != nil { transaction.close(cursor) }
    }

    func first() throws -> KeyValueEntry? { try move(MDB_FIRST) }
    func last() throws -> KeyValueEntry? { try move(MDB_LAST) }
    func next() throws -> KeyValueEntry? { try step(1, MDB_NEXT) }
    func previous() throws -> KeyValueEntry? { try step(-1, MDB_PREV) }

    func seek(atOrAfter key: UnsafeRawBufferPointer) throws -> KeyValueEntry? {
        if key.isEmpty { return try first() }
        guard key.count > 511 else { return try seekShort(key) }
        // No stored key is longer than 511 bytes: a stored key that equals the beginning of this key comes before it.
        let beginning = UnsafeRawBufferPointer(rebasing: key.prefix(511))
        guard let entry = try seekShort(beginning) else { return nil }
        return entry.key.elementsEqual(beginning) ? try next() : entry
    }

    func next(into entries: UnsafeMutableBufferPointer<KeyValueEntry>) throws -> Int {
        guard !entries.isEmpty, let first = try next() else { return 0 }
        entries.initializeElement(at: 0, to: first)
        guard let page else { return 1 }
        var count = 1
        while count < entries.count, let entry = page.entry(index &+ count) {
            entries.initializeElement(at: count, to: entry)
            count &+= 1
        }
        index &+= count &- 1
        isBehind = isBehind || count > 1
        passedEntries &+= count &- 1
        return count
    }

    func skip(_ most: Int, before bound: UnsafeRawBufferPointer?) throws -> Int {
        var count = 0
        while count < most, let entry = try next() {
            if let bound, compareBytes(entry.key, bound) >= 0 { break }
            count += 1
            guard let page, let rest = page.count(from: index + 1, before: bound) else { continue }
            let passed = min(rest, most - count)
            guard passed > 0, page.key(index + passed) != nil else { continue }
            index += passed
            isBehind = true
            count += passed
        }
        return count
    }

    private func seekShort(_ key: UnsafeRawBufferPointer) throws -> KeyValueEntry? {
        try renew()
        return try result(
            of: MDB_SET_RANGE,
            from: MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)))
    }

    @inline(__always) private func step(_ distance: Int, _ operation: MDB_cursor_op) throws -> KeyValueEntry? {
        try check()
        guard stands else { return nil }
        passedEntries &+= 1
        if let page, let entry = page.entry(index &+ distance) {
            index &+= distance
            isBehind = true
            return entry
        }
        return try stepBeyond(operation)
    }

    /// The library's step from the current position.
    @inline(never) private func stepBeyond(_ operation: MDB_cursor_op) throws -> KeyValueEntry? {
        if isBehind, let key = page?.key(index), try seekShort(key) == nil { return nil }
        page = nil
        isBehind = false
        guard let entry = try result(of: operation, from: MDB_val()) else { return nil }
        passedBytes &+= max(pageSize, entry.value.count)
        if passedEntries >= LMDBCursor.mostEntries || passedBytes >= LMDBCursor.mostBytes {
            (passedEntries, passedBytes) = (0, 0)
            transaction.letPagesGo()
        }
        if pageSize > 0, let around = LeafPage(holding: entry.key, size: pageSize),
            let index = around.index(of: entry.key)
        {
            page = around
            self.index = index
        }
        return entry
    }

    @inline(__always) private func move(_ operation: MDB_cursor_op) throws -> KeyValueEntry? {
        try renew()
        return try result(of: operation, from: MDB_val())
    }

    /// Opens the LMDB cursor again if a write has closed it: a cursor may be used again after it is placed anew.
    @inline(__always) private func renew() throws {
        page = nil
        isBehind = false
        if stamp != transaction.stamp {
            cursor = try transaction.openCursor(handle)
            stamp = transaction.stamp
            stands = false
        }
    }

    @inline(__always) private func check() throws {
        guard transaction.transaction != nil else {
            throw GranaryError.transactionEnded
        }
        guard stamp == transaction.stamp else {
            throw GranaryError.cursorInvalidated
        }
    }

    @inline(__always) private func result(of operation: MDB_cursor_op, from begin: MDB_val) throws -> KeyValueEntry? {
        var key = begin
        var value = MDB_val()
        let result = mdb_cursor_get(cursor, &key, &value, operation)
        guard result == 0 else {
            stands = false
            if result == MDB_NOTFOUND { return nil }
            throw EngineFailures.lmdb(result, "moving a cursor", in: transaction.engine.folder)
        }
        stands = true
        return KeyValueEntry(
            key: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
            value: try transaction.checked(value))
    }
}
