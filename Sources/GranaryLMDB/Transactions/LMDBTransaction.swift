import CLMDB
import GranaryStoreKit
import GranaryKeyValue
import GranaryPlatform

/// Shared by readers and the writer.
///
/// `stamp` changes with each write, each savepoint boundary and the end. At that moment all LMDB cursors are closed. A
/// cursor object compares its stamp before it uses its pointer: so a cursor that is kept too long is never followed.
class LMDBTransaction: KeyValueReader {
    final let engine: LMDBEngine
    fileprivate(set) final var handles: [MDB_dbi]
    /// The innermost LMDB transaction, or nil once ended.
    final var transaction: OpaquePointer?
    final var stamp: UInt = 0
    /// The open cursors of `stamp`.
    final var cursors: [OpaquePointer] = []

    init(engine: LMDBEngine, transaction: OpaquePointer?, handles: [MDB_dbi], mappedPageSize: Int) {
        self.engine = engine
        self.mappedPageSize = mappedPageSize
        self.transaction = transaction
        self.handles = handles
    }

    /// The transaction, if it can still be used.
    func usable() throws -> OpaquePointer {
        guard let transaction else {
            throw GranaryError.transactionEnded
        }
        return transaction
    }

    func end() {}
    func renew() throws -> Bool { false }

    /// The size of pages if entries lie in the mapped file, each page at a multiple of its size; otherwise 0.
    fileprivate(set) final var mappedPageSize: Int

    /// Called when a cursor has moved far: the pages that it has passed need not stay in memory.
    func letPagesGo() {}

    @inline(__always) final func handle(_ keyspace: Keyspace) throws -> MDB_dbi {
        let number = Int(keyspace.number)
        guard number < handles.count, handles[number] != 0 else {
            throw GranaryError(
                .closed, "keyspace \(number) was not prepared before the transaction began. Prepare it first.")
        }
        return handles[number]
    }

    @inline(__always) final func value(of key: UnsafeRawBufferPointer) throws -> MDB_val {
        guard key.count >= 1, key.count <= 511 else {
            throw GranaryError(.limit, "a key has \(key.count) bytes; LMDB takes 1 to 511. Use a shorter key.")
        }
        return MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    }

    final func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        let transaction = try usable()
        let handle = try handle(keyspace)
        var name = try value(of: key)
        var found = MDB_val()
        let result = mdb_get(transaction, handle, &name, &found)
        guard result == 0 else {
            if result == MDB_NOTFOUND { return nil }
            throw EngineFailures.lmdb(result, "reading", in: engine.folder)
        }
        return try checked(found)
    }

    /// A value, after a check that it lies inside the file.
    @inline(__always) final func checked(_ value: MDB_val) throws -> UnsafeRawBufferPointer {
        let size = mappedPageSize
        if size > 0 {
            let offset = Int(bitPattern: value.mv_data) & (size - 1)
            // A value in the same page as its key ends at the end of the page at the latest.
            if offset + value.mv_size > size { try checkLong(value, offset: offset, pageSize: size) }
        }
        return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }

    /// A value that is longer than its page must begin an overflow page, and end before the last page does.
    @inline(never) private func checkLong(_ value: MDB_val, offset: Int, pageSize: Int) throws {
        var information = MDB_envinfo()
        if offset == StructureWalk.header, let transaction, let data = UnsafeRawPointer(value.mv_data),
            mdb_env_info(mdb_txn_env(transaction), &information) == 0
        {
            let header = data - StructureWalk.header
            let pages = (StructureWalk.header + value.mv_size + pageSize - 1) / pageSize
            let (end, overflow) = header.u64(0).addingReportingOverflow(UInt64(pages))
            if !overflow, end <= UInt64(information.me_last_pgno) + 1 { return }
        }
        throw LMDBFileCheck.corrupt(engine.folder, "a value lies outside the file")
    }

    final func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor {
        let handle = try handle(keyspace)
        return LMDBCursor(transaction: self, handle: handle, cursor: try openCursor(handle))
    }

    final func openCursor(_ handle: MDB_dbi) throws -> OpaquePointer {
        var cursor: OpaquePointer?
        let result = mdb_cursor_open(try usable(), handle, &cursor)
        guard result == 0, let cursor else { throw EngineFailures.lmdb(result, "opening a cursor", in: engine.folder) }
        cursors.append(cursor)
        return cursor
    }

    final func count(in keyspace: Keyspace) throws -> Int {
        var statistics = MDB_stat()
        let result = mdb_stat(try usable(), try handle(keyspace), &statistics)
        guard result == 0 else { throw EngineFailures.lmdb(result, "counting", in: engine.folder) }
        return statistics.ms_entries
    }

    /// Closes every LMDB cursor and makes every cursor object stale.
    @inline(__always) final func invalidateCursors() {
        stamp &+= 1
        guard !cursors.isEmpty else { return }
        for cursor in cursors { mdb_cursor_close(cursor) }
        cursors.removeAll(keepingCapacity: true)
    }

    final func close(_ cursor: OpaquePointer) {
        guard let index = cursors.lastIndex(of: cursor) else { return }
        cursors.swapAt(index, cursors.count - 1)
        cursors.removeLast()
        mdb_cursor_close(cursor)
    }
}

/// A snapshot.
final class LMDBReader: LMDBTransaction {
    /// The shard in which it is counted; nil if it has no transaction.
    private var shard: ReaderShard?

    /// A reader without a transaction.
    init(_ engine: LMDBEngine) { super.init(engine: engine, transaction: nil, handles: [], mappedPageSize: 0) }

    deinit { end() }

    /// Takes a transaction that has begun, after the last one has ended.
    func take(_ transaction: OpaquePointer, _ access: ReaderShard.Access, _ shard: ReaderShard) {
        (self.transaction, self.shard) = (transaction, shard)
        (handles, mappedPageSize) = (access.handles, access.mappedPageSize)
    }

    override func renew() throws -> Bool {
        try engine.begin(self)
        return true
    }

    override func end() {
        guard let transaction, let shard else { return }
        invalidateCursors()
        (self.transaction, self.shard) = (nil, nil)
        engine.ended(transaction, shard)
    }

    /// Removes the file's pages from this process's memory, where a long scan would collect all of them. They stay in
    /// the system's cache, are mapped again when they are used, and pointers to them stay valid: the mapping is of the
    /// file, shared, and never written through.
    override func letPagesGo() {
        guard let transaction, let environment = mdb_txn_env(transaction) else { return }
        var information = MDB_envinfo()
        var statistics = MDB_stat()
        guard mdb_env_info(environment, &information) == 0, mdb_env_stat(environment, &statistics) == 0,
            let start = mapStart(pageSize: Int(statistics.ms_psize))
        else { return }
        madvise(start, (information.me_last_pgno + 1) * Int(statistics.ms_psize), MADV_DONTNEED)
    }

    /// The address at which the file is mapped. LMDB does not report it, but each page begins with its own number.
    private func mapStart(pageSize: Int) -> UnsafeMutableRawPointer? {
        for cursor in cursors {
            var key = MDB_val()
            var value = MDB_val()
            guard mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT) == 0, let data = key.mv_data else { continue }
            let page = UInt(bitPattern: data) / UInt(pageSize) * UInt(pageSize)
            guard let header = UnsafeRawPointer(bitPattern: page) else { continue }
            let number = header.loadUnaligned(as: UInt.self)
            let (offset, overflow) = number.multipliedReportingOverflow(by: UInt(pageSize))
            if !overflow, offset < page { return UnsafeMutableRawPointer(bitPattern: page - offset) }
        }
        return nil
    }
}
