import CLMDB
import GranaryStoreKit
public import GranaryKeyValue

extension LMDBEngine {
    private static let highestNumber: UInt32 = 1 << 20

    /// Opens a named database `k<number>` for each keyspace, creating those that do not exist, in one committed
    /// transaction.
    ///
    /// A read transaction opens existing databases, so opening a store does not wait for a writer of another process.
    /// It waits for its turn to write only if a database must be created.
    public func prepare(keyspaces: [Keyspace]) throws {
        for keyspace in keyspaces where keyspace.number > Self.highestNumber {
            throw GranaryError(
                .limit, "keyspace \(keyspace.number) is beyond \(Self.highestNumber). Use smaller numbers.")
        }
        // If another store over this engine has prepared the keyspaces, there is no need to wait for that store's
        // transactions.
        if try lock.withLock({ try arePrepared(keyspaces) || excludingReaders { try prepareExisting(keyspaces) } }) {
            return
        }
        try turn?.take(seconds: options.busySeconds)
        defer { turn?.give() }
        try lock.withLock { try excludingReaders { try prepareNow(keyspaces) } }
    }

    /// Opens the databases of keyspaces, and makes those that do not exist. This thread has the turn to write. `lock` is held,
    /// and no reader can begin.
    private func prepareNow(_ keyspaces: [Keyspace]) throws {
        guard !state.isClosed, !state.isRetired else { throw GranaryError.storeClosed }
        if arePrepared(keyspaces) { return }
        guard drain(seconds: options.busySeconds) else {
            throw GranaryError(.busy, "a transaction was open while keyspaces were prepared. End it first.")
        }
        let numbers = Set(keyspaces.map(\.number)).union(preparedNumbers())
        if numbers.count + 8 > Int(state.maximumDatabases) {
            state.maximumDatabases = Self.room(for: numbers.count)
            state.needsReopening = true
        }
        if state.needsReopening || state.wantedMapSize != nil { try settle() }
        do {
            try openHandles(numbers.sorted())
        } catch let error as GranaryError {
            // Handles opened in a transaction that was aborted are invalid.
            state.needsReopening = true
            if error.code == .full { askForGrowth() }
            throw error
        }
    }

    private func arePrepared(_ keyspaces: [Keyspace]) -> Bool {
        !state.isClosed && !state.isRetired && !state.needsReopening
            && keyspaces.allSatisfy { $0.number < state.handles.count && state.handles[Int($0.number)] != 0 }
    }

    /// Opens the databases of keyspaces in a read transaction, and returns whether all of them exist. `lock` is held.
    private func prepareExisting(_ keyspaces: [Keyspace]) throws -> Bool {
        guard !state.isClosed, !state.isRetired else { throw GranaryError.storeClosed }
        guard openTransactions == 0, !state.needsReopening, state.wantedMapSize == nil else { return false }
        let numbers = Set(keyspaces.map(\.number)).union(preparedNumbers())
        guard numbers.count + 8 <= Int(state.maximumDatabases) else { return false }
        return try openExistingHandles(numbers.sorted())
    }

    func preparedNumbers() -> [UInt32] {
        state.handles.indices.filter { state.handles[$0] != 0 }.map { UInt32($0) }
    }

    func reopenHandles() throws { try openHandles(preparedNumbers()) }

    private func openHandles(_ numbers: [UInt32]) throws {
        if try numbers.isEmpty || openExistingHandles(numbers) { return }
        guard let environment = state.environment else { throw GranaryError.storeClosed }
        var transaction: OpaquePointer?
        let result = mdb_txn_begin(environment, nil, 0, &transaction)
        guard result == 0, let transaction else { throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder) }
        _ = try openHandles(numbers, in: transaction, flags: UInt32(MDB_CREATE))
    }

    /// Opens the databases of keyspaces in a read transaction, which does not wait for a writer. If one of them does
    /// not exist, opens none and returns false.
    ///
    /// - Throws: `readOnly` if a database does not exist and the engine is read-only.
    private func openExistingHandles(_ numbers: [UInt32]) throws -> Bool {
        guard let environment = state.environment else { throw GranaryError.storeClosed }
        var transaction: OpaquePointer?
        let result = Self.beginReading(environment, &transaction)
        guard result == 0, let transaction else {
            guard options.readOnly else { return false }
            throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder)
        }
        guard let missing = try openHandles(numbers, in: transaction, flags: 0) else { return true }
        guard options.readOnly else { return false }
        throw GranaryError(
            .readOnly, "\(folder) has no keyspace \(missing) and is open read-only. Open it for writing first.")
    }

    /// Opens the databases of keyspaces in a transaction and commits it. If one cannot be opened, aborts it.
    ///
    /// - Returns: The first keyspace that does not exist; nil if all are open.
    private func openHandles(
        _ numbers: [UInt32], in transaction: OpaquePointer, flags: UInt32
    ) throws -> UInt32? {
        var handles = [MDB_dbi](repeating: 0, count: Int(numbers.max() ?? 0) + 1)
        for number in numbers {
            var handle: MDB_dbi = 0
            let result = mdb_dbi_open(transaction, "k\(number)", flags, &handle)
            guard result == 0 else {
                mdb_txn_abort(transaction)
                if result == MDB_NOTFOUND { return number }
                throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder)
            }
            handles[Int(number)] = handle
        }
        let result = mdb_txn_commit(transaction)
        guard result == 0 else { throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder) }
        state.handles = handles
        return nil
    }
}
