import CLMDB
import GranaryStoreKit
public import GranaryKeyValue

extension LMDBEngine {
    private static let highestNumber: UInt32 = 1 << 20

    /// Opens a named database `k<number>` for each keyspace, creating those that do not exist, in one committed transaction.
    public func prepare(keyspaces: [Keyspace]) throws {
        for keyspace in keyspaces where keyspace.number > Self.highestNumber {
            throw GranaryError(
                .limit, "keyspace \(keyspace.number) is beyond \(Self.highestNumber). Use smaller numbers.")
        }
        // What another store over this engine has prepared needs no wait for that store's transactions.
        if lock.withLock({ arePrepared(keyspaces) }) { return }
        try turn?.take(seconds: options.busyTimeout)
        defer { turn?.give() }
        try lock.withLock {
            guard !state.isClosed, !state.isRetired else { throw GranaryError.storeClosed }
            if arePrepared(keyspaces) { return }
            guard drain(seconds: options.busyTimeout) else {
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
    }

    private func arePrepared(_ keyspaces: [Keyspace]) -> Bool {
        !state.isClosed && !state.isRetired && !state.needsReopening
            && keyspaces.allSatisfy { $0.number < state.handles.count && state.handles[Int($0.number)] != 0 }
    }

    func preparedNumbers() -> [UInt32] {
        state.handles.indices.filter { state.handles[$0] != 0 }.map { UInt32($0) }
    }

    func reopenHandles() throws { try openHandles(preparedNumbers()) }

    private func openHandles(_ numbers: [UInt32]) throws {
        guard !numbers.isEmpty else { return }
        guard let environment = state.environment else { throw GranaryError.storeClosed }
        var transaction: OpaquePointer?
        let flags = options.readOnly ? UInt32(MDB_RDONLY) : 0
        var result = mdb_txn_begin(environment, nil, flags, &transaction)
        guard result == 0, let transaction else { throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder) }
        var handles = [MDB_dbi](repeating: 0, count: Int(numbers.max() ?? 0) + 1)
        for number in numbers {
            var handle: MDB_dbi = 0
            result = mdb_dbi_open(transaction, "k\(number)", options.readOnly ? 0 : UInt32(MDB_CREATE), &handle)
            guard result == 0 else {
                mdb_txn_abort(transaction)
                if result == MDB_NOTFOUND, options.readOnly {
                    throw GranaryError(
                        .readOnly,
                        "\(folder) has no keyspace \(number) and is open read-only. Open it for writing first.")
                }
                throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder)
            }
            handles[Int(number)] = handle
        }
        result = mdb_txn_commit(transaction)
        guard result == 0 else { throw EngineFailures.lmdb(result, "preparing keyspaces", in: folder) }
        state.handles = handles
    }
}
