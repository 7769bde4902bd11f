import CLMDB
public import GranaryStoreKit
public import GranaryKeyValue
import GranaryPlatform
import Synchronization

/// How transactions begin and end.
///
/// Growing the map, and closing and reopening the environment, are only right while this process has no transaction
/// open: LMDB does not refuse, it unmaps under the reader. So each transaction is counted from before it begins until after
/// it has ended, and both happen only with `lock` held and the count at 0 (``settle()``). A caller that needs that state waits
/// for it with ``drain(seconds:)``, during which new readers wait too - for a bounded time, because the thread that waits may
/// itself hold a snapshot.
///
/// Readers take `lock` only while the gates are shut. Otherwise each counts in the shard of its thread: with one lock for all,
/// two threads with short reads are slower than one.
extension LMDBEngine {
    private static let longestDrain = 1.0
    /// The number of commits, or of new pages, after which the slots of readers are examined, which takes some
    /// microseconds.
    private static let mostCommits = 64
    private static let mostGrowth = 256

    public func beginRead() throws -> any KeyValueReader {
        let reader = LMDBReader(self)
        try begin(reader)
        return reader
    }

    /// Begins the transaction of a reader that has none.
    func begin(_ reader: LMDBReader) throws {
        let shard = readers.own
        var attempts = 0
        while true {
            var (access, transaction) = try shard.enter() ?? enterBesideGate(shard)
            let result = Self.beginReading(access.environment, &transaction)
            if result == 0, let transaction { return reader.take(transaction, access, shard) }
            attempts += 1
            _ = shard.leave(nil)
            try failedToBegin(result, mayRetry: attempts < 4)
        }
    }

    /// Counts a new reader while the gates are shut, after growing or reopening if that was requested.
    @inline(never) private func enterBesideGate(_ shard: ReaderShard) throws -> (ReaderShard.Access, OpaquePointer?) {
        try lock.withLock {
            let environment = try prepareToBegin(isWriter: false)
            return (
                ReaderShard.Access(
                    environment: environment, handles: state.handles, mappedPageSize: state.mappedPageSize),
                shard.enterBesideGate()
            )
        }
    }

    /// Opens or shuts the gates of the shards when the state has changed. `lock` is held.
    func setGates() {
        let wanted = state.hasOpenGates ? state.preparations : nil
        guard wanted != gates else { return }
        gates = wanted
        for shard in readers.all {
            guard wanted != nil, let environment = state.environment else {
                shard.setGate(nil)
                continue
            }
            // A list of its own, because readers count references to it.
            let handles = Array(unsafeUninitializedCapacity: state.handles.count) {
                (copy: inout UnsafeMutableBufferPointer<MDB_dbi>, count: inout Int) in
                count = copy.initialize(fromContentsOf: state.handles)
            }
            shard.setGate(
                ReaderShard.Access(environment: environment, handles: handles, mappedPageSize: state.mappedPageSize))
        }
    }

    /// The number of open transactions, of either kind. Exact while the gates are shut. `lock` is held.
    var openTransactions: Int { readers.all.reduce(state.writing) { $0 + $1.count } }

    /// Runs a body while no reader can begin. `lock` is held.
    func excludingReaders<T>(_ body: () throws -> T) rethrows -> T {
        state.excluding += 1
        defer { state.excluding -= 1 }
        return try body()
    }

    /// Begins a read transaction that shows exactly the commit of its number. It costs some nanoseconds more than
    /// LMDB's own begin.
    ///
    /// LMDB takes the number of the last commit, and then copies the roots of the trees from that commit's meta page.
    /// There are two meta pages, which commits write in turn. A thread that waits for a processor between the two steps
    /// may copy the data of a commit with a number that is greater by two or by hundreds, or of one that is writing at
    /// that moment. The next snapshot of the same thread might then be older than this one. The page was not written to
    /// in between if no commit has a higher number, or if another transaction still begins with the same number.
    ///
    /// - Parameter transaction: An idle transaction to reuse, or nil to make one. Afterwards the transaction that has
    ///   begun; nil if none has.
    /// - Returns: LMDB's result: 0 if a transaction has begun.
    static func beginReading(_ environment: OpaquePointer, _ transaction: inout OpaquePointer?) -> Int32 {
        var result: Int32 = 0
        if let idle = transaction {
            result = mdb_txn_renew(idle)
        } else {
            result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        }
        var information = MDB_envinfo()
        while result == 0, let begun = transaction {
            // The page must be copied before the numbers are compared.
            atomicMemoryFence(ordering: .acquiring)
            mdb_env_info(environment, &information)
            if information.me_last_txnid == mdb_txn_id(begun) { return 0 }
            var witness: OpaquePointer?
            result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &witness)
            if result == 0, mdb_txn_id(witness) == mdb_txn_id(begun) {
                mdb_txn_abort(witness)
                return 0
            }
            mdb_txn_abort(begun)
            transaction = witness
        }
        if result != 0, let transaction { mdb_txn_abort(transaction) }
        transaction = nil
        return result
    }

    public func beginWrite() throws -> any KeyValueWriter { try beginWrite(options.durability) }

    public func beginWrite(_ durability: Durability) throws -> any KeyValueWriter {
        guard let turn else { throw readOnlyError }
        endAbandoned()
        try turn.take(seconds: WriterPatience.seconds(upTo: options.busySeconds))
        do {
            var attempts = 0
            while true {
                let (environment, handles) = try enterToWrite()
                var transaction: OpaquePointer?
                // Only the owner of the turn changes this.
                mdb_env_set_flags(environment, UInt32(MDB_NOMETASYNC), durability == .full ? 0 : 1)
                let result = mdb_txn_begin(environment, nil, 0, &transaction)
                if result == 0, let transaction {
                    // Pages that it has changed may be anywhere in memory.
                    let writer = LMDBWriter(
                        engine: self, transaction: transaction, handles: handles, mappedPageSize: 0)
                    writer.isSynced = durability == .full
                    return writer
                }
                attempts += 1
                lock.withLock { state.writing -= 1 }
                try failedToBegin(result, mayRetry: attempts < 4)
            }
        } catch {
            turn.give()
            throw error
        }
    }

    var readOnlyError: GranaryError {
        .readOnly(folder)
    }

    private func enterToWrite() throws -> (OpaquePointer, [MDB_dbi]) {
        try lock.withLock {
            let environment = try prepareToBegin(isWriter: true)
            clearDeadReaders(environment)
            state.writing += 1
            return (environment, state.handles)
        }
    }

    /// The environment for a new transaction, after growing or reopening if that was requested. `lock` is held.
    private func prepareToBegin(isWriter: Bool) throws -> OpaquePointer {
        let deadline = Deadline(seconds: Self.longestDrain)
        while state.draining > 0, !isWriter, !deadline.isOver { _ = changed.wait(lock, seconds: deadline.remaining) }
        guard !state.isClosed, !state.isRetired else { throw GranaryError.storeClosed }
        if state.needsReopening {
            guard drain(seconds: options.busySeconds) else {
                throw GranaryError(
                    .busy, "the environment must be opened again and a transaction is open. End it first.")
            }
            try settle()
        } else if state.wantedMapSize != nil, isWriter || openTransactions == 0 {
            if drain(seconds: isWriter ? Self.longestDrain : 0) { try settle() }
        }
        guard let environment = state.environment else { throw GranaryError.storeClosed }
        return environment
    }

    /// Clears the slots of readers whose process has died, from time to time: after some commits, and after the file
    /// has grown. While such a slot exists, no page that was freed since can be reused, and the file grows with each
    /// commit. `lock` is held.
    private func clearDeadReaders(_ environment: OpaquePointer) {
        var information = MDB_envinfo()
        mdb_env_info(environment, &information)
        state.commitsUnchecked += 1
        let growth = information.me_last_pgno - state.lastPageChecked
        guard state.commitsUnchecked >= Self.mostCommits || growth >= Self.mostGrowth else { return }
        var cleared: Int32 = 0
        mdb_reader_check(environment, &cleared)
        state.commitsUnchecked = 0
        state.lastPageChecked = information.me_last_pgno
    }

    /// Returns if another attempt is useful to begin a transaction, which is no longer counted.
    private func failedToBegin(_ result: Int32, mayRetry: Bool) throws {
        lock.lock()
        defer { lock.unlock() }
        changed.broadcast()
        closeIfRetired()
        let error = EngineFailures.lmdb(result, "beginning a transaction", in: folder)
        guard mayRetry else { throw error }
        switch result {
        case MDB_READERS_FULL:
            var cleared: Int32 = 0
            if let environment = state.environment { mdb_reader_check(environment, &cleared) }
            let hadIdle = abortIdle()
            guard cleared > 0 || hadIdle else { throw error }
        case MDB_MAP_RESIZED:
            // Another process has written beyond the end of this process's map.
            let meta = try LMDBFileCheck.checkMetaBesideWriters(path: dataPath)
            state.wantedMapSize = max(state.mapSize, (Int(clamping: meta.lastPage) + 1) * meta.pageSize * 2)
            guard drain(seconds: Self.longestDrain) else { throw error }
            try settle()
        case MDB_PANIC, MDB_BAD_RSLOT, MDB_BAD_TXN, EINVAL:
            state.needsReopening = true
        default:
            throw error
        }
    }

    /// Waits until no transaction is open. Returns whether that is so. `lock` is held before and after.
    func drain(seconds: Double) -> Bool {
        guard openTransactions > 0 else { return true }
        let deadline = Deadline(seconds: seconds)
        state.draining += 1
        defer {
            state.draining -= 1
            changed.broadcast()
        }
        while openTransactions > 0, !deadline.isOver { _ = changed.wait(lock, seconds: deadline.remaining) }
        return openTransactions == 0
    }

    /// Grows the map or reopens, whichever is due. `lock` is held and no transaction is open.
    func settle() throws {
        guard state.needsReopening || state.wantedMapSize != nil else { return }
        try reopen(mapSize: state.wantedMapSize)
    }

    /// Notes that the map is too small. `lock` is held.
    func askForGrowth() {
        var cleared: Int32 = 0
        if let environment = state.environment { mdb_reader_check(environment, &cleared) }
        guard state.mapSize < options.maximumMapSize else { return }
        state.wantedMapSize = min(options.maximumMapSize, state.mapSize * 2)
    }

    /// Notes that the map was too small for a savepoint, which was rolled back.
    func lacksRoom() { lock.withLock { askForGrowth() } }

    public var hasMoreRoom: Bool { lock.withLock { state.wantedMapSize != nil } }

    /// For an open transaction, which prevents the environment from changing.
    var environment: OpaquePointer? { lock.withLock { state.environment } }

    // MARK: Ends

    func ended(_ transaction: OpaquePointer, _ shard: ReaderShard) {
        mdb_txn_reset(transaction)
        guard shard.leave(transaction) else { return }
        lock.withLock {
            changed.broadcast()
            closeIfRetired()
        }
    }

    /// Aborts all idle read transactions. Returns whether there were any.
    func abortIdle() -> Bool { readers.all.reduce(false) { $1.abortIdle() || $0 } }

    /// Called when a write transaction has ended, also in LMDB.
    ///
    /// - Parameter isUnsynced: Whether it has made a commit that a loss of power may lose.
    func endedWriting(failure: GranaryError?, reopens: Bool = false, isUnsynced: Bool = false) {
        lock.withLock {
            state.writing -= 1
            if isUnsynced { state.hasUnsynced = true }
            if reopens { state.needsReopening = true }
            if failure?.underlying?.code == MDB_MAP_FULL { askForGrowth() }
            if state.draining > 0 { changed.broadcast() }
            closeIfRetired()
        }
        turn?.give()
    }

    /// Keeps a write transaction that only its own thread can end, for that thread's next ``beginWrite()``.
    func abandon(_ transaction: OpaquePointer, of thread: pthread_t) {
        lock.withLock { state.abandoned = (transaction, thread) }
    }

    private func endAbandoned() {
        let transaction = lock.withLock { () -> OpaquePointer? in
            guard let abandoned = state.abandoned, pthread_equal(abandoned.thread, pthread_self()) != 0 else {
                return nil
            }
            state.abandoned = nil
            return abandoned.transaction
        }
        guard let transaction else { return }
        mdb_txn_abort(transaction)
        endedWriting(failure: nil)
    }
}
