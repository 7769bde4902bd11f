import CLMDB
import GranaryPlatform

/// The read transactions that some of the threads have. While its gate is open, a read begins and ends with this lock alone,
/// which other threads do not take.
///
/// The gate is open while nothing needs all transactions to have ended: the engine opens and shuts those of all shards, see
/// `LMDBEngine+Transactions.swift`.
final class ReaderShard: Sendable {
    /// What a read needs of the environment.
    struct Access {
        let environment: OpaquePointer
        let handles: [MDB_dbi]
        let mappedPageSize: Int
    }

    /// The number of idle transactions that are kept. Each has a slot in LMDB's table of readers.
    private static let mostIdle = 2

    private let lock = Lock()
    // Read and written only while `lock` is held. No access lasts longer, so accesses need not be checked for overlaps.
    /// Nil while the gate is shut.
    @exclusivity(unchecked) nonisolated(unsafe) private var access: Access?
    @exclusivity(unchecked) nonisolated(unsafe) private var active = 0
    /// Transactions that were reset and can be used again.
    @exclusivity(unchecked) nonisolated(unsafe) private var idle: [OpaquePointer] = []
    private let end = CacheLines()

    /// Counts a read transaction that is about to begin; nil if the gate is shut.
    func enter() -> (access: Access, idle: OpaquePointer?)? {
        lock.withLock {
            guard let access else { return nil }
            active += 1
            return (access, idle.popLast())
        }
    }

    /// The same for a read that the engine lets pass although the gate is shut. The engine's lock is held.
    func enterBesideGate() -> OpaquePointer? {
        lock.withLock {
            active += 1
            return idle.popLast()
        }
    }

    /// Counts a read transaction no longer.
    ///
    /// - Parameter transaction: Reset, for the next read; nil if it has not begun.
    /// - Returns: Whether the gate is shut: the engine may be waiting for this.
    func leave(_ transaction: OpaquePointer?) -> Bool {
        lock.withLock {
            if let transaction {
                if access != nil, idle.count < ReaderShard.mostIdle {
                    idle.append(transaction)
                } else {
                    mdb_txn_abort(transaction)
                }
            }
            active -= 1
            return access == nil
        }
    }

    /// Opens the gate, or shuts it if there is no access.
    func setGate(_ access: Access?) { lock.withLock { self.access = access } }

    /// Aborts the idle transactions. Returns whether there were any.
    func abortIdle() -> Bool {
        lock.withLock {
            defer { idle = [] }
            for transaction in idle { mdb_txn_abort(transaction) }
            return !idle.isEmpty
        }
    }

    /// The number of open read transactions.
    var count: Int { lock.withLock { active } }
}
