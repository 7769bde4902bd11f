import CLMDB
import GranaryStoreKit
import GranaryKeyValue
import GranaryPlatform

/// The single write transaction. Savepoints are LMDB's nested transactions.
///
/// After LMDB has failed in a way that spoils the transaction (the map or the disk is full), every further call throws
/// that error again until the savepoint in which it happened is rolled back, or the transaction ends.
final class LMDBWriter: LMDBTransaction, KeyValueWriter {
    private let thread = pthread_self()
    /// The transactions around the innermost one, the outermost first.
    private var parents: [OpaquePointer] = []
    private var failure: GranaryError?
    /// Whether its commit survives a loss of power.
    var isSynced = true
    /// The bytes of pages that may have been changed so far.
    private var written = 0
    /// LMDB refuses a transaction that has changed more than 131 071 pages, half a gigabyte. A group of writes ends
    /// long before.
    private static let mostWritten = 64 << 20
    private static let page = 4096

    var hasRoom: Bool { written < LMDBWriter.mostWritten }

    deinit { end() }

    override func usable() throws -> OpaquePointer {
        let transaction = try super.usable()
        if let failure { throw failure }
        return transaction
    }

    func reserve(_ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode) throws
        -> UnsafeMutableRawBufferPointer?
    {
        let transaction = try usable()
        let handle = try handle(keyspace)
        var name = try value(of: key)
        guard count >= 0, count <= engine.limits.valueSize else {
            throw GranaryError(
                .limit, "a value has \(count) bytes; the limit is \(engine.limits.valueSize). Store it in parts.")
        }
        // Cursors must be closed before a write, but a write that changes nothing must not close them.
        if mode == .insert, !cursors.isEmpty, try get(key, in: keyspace) != nil { return nil }
        invalidateCursors()
        var room = MDB_val(mv_size: count, mv_data: nil)
        var flags = UInt32(MDB_RESERVE)
        switch mode {
        case .insert: flags |= UInt32(MDB_NOOVERWRITE)
        case .replace: break
        case .append: flags |= UInt32(MDB_APPEND)
        }
        var result = mdb_put(transaction, handle, &name, &room, flags)
        if result == MDB_KEYEXIST {
            guard mode == .append else { return nil }
            room = MDB_val(mv_size: count, mv_data: nil)
            result = mdb_put(transaction, handle, &name, &room, UInt32(MDB_RESERVE))
        }
        guard result == 0 else { throw spoilt(result, "writing") }
        written &+= max(count, LMDBWriter.page)
        return UnsafeMutableRawBufferPointer(start: room.mv_data, count: count)
    }

    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        let transaction = try usable()
        let handle = try handle(keyspace)
        var name = try value(of: key)
        if !cursors.isEmpty, try get(key, in: keyspace) == nil { return false }
        invalidateCursors()
        let result = mdb_del(transaction, handle, &name, nil)
        if result == MDB_NOTFOUND { return false }
        guard result == 0 else { throw spoilt(result, "deleting") }
        written &+= LMDBWriter.page
        return true
    }

    /// When going from one key to the next, LMDB looks first at the position of its cursor.
    func delete(_ keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in keyspace: Keyspace) throws -> Int {
        let transaction = try usable()
        let handle = try handle(keyspace)
        invalidateCursors()
        var cursor: OpaquePointer?
        let opened = mdb_cursor_open(transaction, handle, &cursor)
        guard opened == 0, let cursor else { throw EngineFailures.lmdb(opened, "opening a cursor", in: engine.folder) }
        defer { mdb_cursor_close(cursor) }
        var count = 0
        for key in keys {
            var name = try value(of: key)
            var result = mdb_cursor_get(cursor, &name, nil, MDB_SET)
            if result == MDB_NOTFOUND { continue }
            if result == 0 { result = mdb_cursor_del(cursor, 0) }
            guard result == 0 else { throw spoilt(result, "deleting") }
            count += 1
        }
        written &+= count &* LMDBWriter.page
        return count
    }

    func deleteAll(in keyspace: Keyspace) throws {
        let transaction = try usable()
        let handle = try handle(keyspace)
        invalidateCursors()
        let result = mdb_drop(transaction, handle, 0)
        guard result == 0 else { throw spoilt(result, "emptying a keyspace") }
    }

    // MARK: Savepoints

    // Another thread may call these while the transaction's own one waits: only the mutex that the outermost transaction
    // holds belongs to a thread.

    func beginSavepoint() throws {
        let transaction = try usable()
        invalidateCursors()
        var child: OpaquePointer?
        let result = mdb_txn_begin(engine.environment, transaction, 0, &child)
        guard result == 0, let child else {
            throw EngineFailures.lmdb(result, "beginning a savepoint", in: engine.folder)
        }
        parents.append(transaction)
        self.transaction = child
    }

    func releaseSavepoint() throws {
        let child = try usable()
        guard let parent = parents.popLast() else { throw GranaryError.noSavepoint }
        invalidateCursors()
        let result = mdb_txn_commit(child)
        transaction = parent
        guard result == 0 else { throw spoilt(result, "releasing a savepoint") }
    }

    func rollbackSavepoint() throws {
        guard let child = transaction else { _ = try super.usable(); return }
        guard let parent = parents.popLast() else { throw failure ?? GranaryError.noSavepoint }
        invalidateCursors()
        mdb_txn_abort(child)
        transaction = parent
        if failure?.underlying?.code == MDB_MAP_FULL { engine.lacksRoom() }
        failure = nil
    }

    // MARK: Ends

    func commit() throws {
        guard transaction != nil else { _ = try super.usable(); return }
        try checkThread()
        if let failure {
            end()
            throw failure
        }
        while !parents.isEmpty {
            do {
                try releaseSavepoint()
            } catch {
                end()
                throw error
            }
        }
        guard let transaction else { return }
        invalidateCursors()
        let number = UInt64(mdb_txn_id(transaction))
        let result = mdb_txn_commit(transaction)
        self.transaction = nil
        // Noted now and not at the begin: a sync in between says nothing about this commit.
        guard result != 0 else { return engine.endedWriting(failure: nil, isUnsynced: !isSynced) }
        let failure = EngineFailures.lmdb(result, "committing", in: engine.folder)
        let error = engine.resolveCommit(number, failure)
        engine.endedWriting(failure: error, reopens: true)
        throw error
    }

    /// LMDB holds every page that a transaction has written in memory until it ends.
    func commitPart() throws {
        let transaction = try usable()
        try checkThread()
        guard engine.options.isBuilding, parents.isEmpty else { return }
        invalidateCursors()
        let environment = mdb_txn_env(transaction)
        var next: OpaquePointer?
        var result = mdb_txn_commit(transaction)
        if result == 0 {
            beginWriting(environment)
            result = mdb_txn_begin(environment, nil, 0, &next)
        }
        self.transaction = next
        guard result == 0 else {
            let error = EngineFailures.lmdb(result, "committing", in: engine.folder)
            engine.endedWriting(failure: error, reopens: true)
            throw error
        }
    }

    override func end() {
        guard let transaction else { return }
        guard isOnItsThread else {
            // LMDB's mutex belongs to the other thread: ending it here would block every later writer for ever.
            self.transaction = nil
            stamp &+= 1
            cursors = []
            engine.abandon(parents.first ?? transaction, of: thread)
            return
        }
        invalidateCursors()
        self.transaction = nil
        // Aborting a transaction aborts those inside it.
        mdb_txn_abort(parents.first ?? transaction)
        parents = []
        engine.endedWriting(failure: failure)
    }

    private var isOnItsThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    private func checkThread() throws {
        guard isOnItsThread else {
            throw GranaryError(
                .wrongThread,
                "a write transaction was used on another thread than it began on. End it on its own thread.")
        }
    }

    private func spoilt(_ result: Int32, _ doing: String) -> GranaryError {
        let error = EngineFailures.lmdb(result, doing, in: engine.folder)
        failure = error
        return error
    }
}
