import CLMDB
import GranaryPlatform
import GranaryStoreKit

// LMDB writes the pages of a commit, syncs them, and then writes one of the two meta pages, which makes them valid. If
// that last write fails, the commit may be on the disk all the same. LMDB writes the old numbers back, which may fail
// too, and does not sync them: after a loss of power the new page may be there, and with it the commit that was
// reported as failed.
//
// No reader has seen that commit: as long as any process has the file open, all of them take the number of the newest
// state from the lock file, where LMDB has not counted it. So the commit is undone: the page is written once more, as a
// state older than the one before the commit, and synced. The system cannot skip a write that it has just been given,
// as it may skip one that failed before. This process still has its turn to write, so there is no other commit in
// between.

extension LMDBEngine {
    /// Makes sure that a failed commit is not on the disk.
    ///
    /// - Parameter number: LMDB's number of the transaction.
    /// - Returns: The error to throw.
    func resolveCommit(_ number: UInt64, _ failure: GranaryError) -> GranaryError {
        do {
            // LMDB refuses every further transaction only if it has tried to write the meta page.
            guard hasFailedForGood else { return failure }
            var statistics = MDB_stat()
            if let environment = lock.withLock({ state.environment }) { mdb_env_stat(environment, &statistics) }
            let pageSize = Int(statistics.ms_psize)
            let page = try LMDBFileCheck.metaPage(before: number, pageSize: pageSize, path: dataPath)
            let file = try OpenFile(dataPath, .writing)
            try file.write(page, at: Int64(number % 2) * Int64(pageSize))
            try file.synchronize()
            return failure
        } catch {
            var unknown = GranaryError(
                .commitOutcomeUnknown,
                "The disk failed while committing, and again when the commit was undone. Read what should have been written, and write it again if it is not there."
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
