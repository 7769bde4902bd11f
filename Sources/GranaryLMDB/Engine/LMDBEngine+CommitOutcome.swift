internal import CLMDB
internal import GranaryCore

// LMDB writes the pages of a commit, syncs them, and then writes one of the two meta pages, which makes them count. If that
// last write fails the commit may be on the disk all the same. LMDB writes the old numbers back, but does not sync them:
// after a loss of power the new page may be there, and the commit that was reported as failed with it.
//
// What other processes see, and what is there after a kill, is the page as the system has it now. So the page is written
// once more as it is, and synced. The system cannot leave out a write that it has just been given, as it may leave out one
// that failed before. From then on the page on the disk is the one that the answer was read from. This process still has its
// turn to write, so that no other commit comes between.

extension LMDBEngine {
    /// Finds out whether a commit that failed holds.
    ///
    /// - Parameter number: LMDB's number of the transaction.
    /// - Returns: What to throw; nil if the commit holds.
    func resolveCommit(_ number: UInt64, _ failure: GranaryError) -> GranaryError? {
        do {
            // Only where the meta page was tried does LMDB refuse every further transaction.
            guard hasFailedForGood else { return failure }
            let meta = try LMDBFileCheck.checkMeta(path: dataPath)
            let offset = Int(number % 2) * meta.pageSize
            var page = [UInt8](repeating: 0, count: meta.pageSize)
            try page.withUnsafeMutableBytes { try PageFile(path: dataPath).read($0, at: offset) }
            let file = try OpenFile(dataPath, .writing)
            try file.write(page, at: Int64(offset))
            try file.synchronize()
            return meta.transaction >= number ? nil : failure
        } catch {
            var unknown = GranaryError(
                .commitOutcomeUnknown,
                "The disk failed while committing, and again when asked whether the commit holds. Read what should have been written, and write it again if it is not there."
            )
            unknown.underlying = failure.underlying
            return unknown
        }
    }

    private var hasFailedForGood: Bool {
        guard let environment = lock.withLock({ state.environment }) else { return true }
        var transaction: OpaquePointer?
        let result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        if result == 0, let transaction { mdb_txn_abort(transaction) }
        return result == MDB_PANIC
    }
}
