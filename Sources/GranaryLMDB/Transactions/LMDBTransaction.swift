internal import CLMDB
internal import GranaryCore
internal import GranaryKeyValue

/// What readers and the writer have in common.
///
/// `stamp` changes with each write, each savepoint boundary and the end. All LMDB cursors are closed at that moment, and a
/// cursor object compares its stamp before it touches its pointer: so a cursor can be kept too long, but never followed.
class LMDBTransaction: KeyValueReader {
    final let engine: LMDBEngine
    final let handles: [MDB_dbi]
    /// The innermost LMDB transaction, or nil once ended.
    final var transaction: OpaquePointer?
    final var stamp: UInt = 0
    /// The open cursors of `stamp`.
    final var cursors: [OpaquePointer] = []

    init(engine: LMDBEngine, transaction: OpaquePointer, handles: [MDB_dbi]) {
        self.engine = engine
        self.transaction = transaction
        self.handles = handles
    }

    /// The transaction, if it can still be used.
    func usable() throws -> OpaquePointer {
        guard let transaction else {
            throw GranaryError(.closed, "the transaction has ended. Begin a new one.")
        }
        return transaction
    }

    func end() {}

    @inline(__always) final func handle(_ keyspace: Keyspace) throws -> MDB_dbi {
        let number = Int(keyspace.number)
        guard number < handles.count, handles[number] != 0 else {
            throw GranaryError(.closed, "keyspace \(number) was not prepared before the transaction began. Prepare it first.")
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
        return UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
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
    deinit { end() }

    override func end() {
        guard let transaction else { return }
        invalidateCursors()
        self.transaction = nil
        engine.ended(self, transaction)
    }
}
