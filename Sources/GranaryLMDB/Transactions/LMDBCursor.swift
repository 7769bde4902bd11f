internal import CLMDB
internal import GranaryCore
internal import GranaryKeyValue

/// A place in a keyspace. Standing nowhere, ``next()`` and ``previous()`` return nil.
final class LMDBCursor: KeyValueCursor {
    private let transaction: LMDBTransaction
    private let handle: MDB_dbi
    private var cursor: OpaquePointer
    private var stamp: UInt
    private var stands = false
    /// How many entries it has passed.
    private var steps = 0

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
    func next() throws -> KeyValueEntry? { try step(MDB_NEXT) }
    func previous() throws -> KeyValueEntry? { try step(MDB_PREV) }

    func seek(atOrAfter key: UnsafeRawBufferPointer) throws -> KeyValueEntry? {
        if key.isEmpty { return try first() }
        guard key.count > 511 else { return try seekShort(key) }
        // No stored key is longer than 511 bytes: one that equals the beginning of this key comes before it.
        let beginning = UnsafeRawBufferPointer(rebasing: key.prefix(511))
        guard let entry = try seekShort(beginning) else { return nil }
        return entry.key.elementsEqual(beginning) ? try next() : entry
    }

    private func seekShort(_ key: UnsafeRawBufferPointer) throws -> KeyValueEntry? {
        try renew()
        return try result(
            of: MDB_SET_RANGE,
            from: MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)))
    }

    @inline(__always) private func step(_ operation: MDB_cursor_op) throws -> KeyValueEntry? {
        try check()
        guard stands else { return nil }
        steps &+= 1
        if steps & 0x7FFF == 0 { transaction.letPagesGo() }
        return try result(of: operation, from: MDB_val())
    }

    @inline(__always) private func move(_ operation: MDB_cursor_op) throws -> KeyValueEntry? {
        try renew()
        return try result(of: operation, from: MDB_val())
    }

    /// Opens the LMDB cursor again if a write has closed it: what is placed anew may be used again.
    @inline(__always) private func renew() throws {
        if stamp != transaction.stamp {
            cursor = try transaction.openCursor(handle)
            stamp = transaction.stamp
            stands = false
        }
    }

    @inline(__always) private func check() throws {
        guard transaction.transaction != nil else {
            throw GranaryError(.closed, "the cursor's transaction has ended. Begin a new one.")
        }
        guard stamp == transaction.stamp else {
            throw GranaryError(
                .cursorInvalidated, "the transaction has written since the cursor was placed. Place it anew.")
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
            value: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
}
