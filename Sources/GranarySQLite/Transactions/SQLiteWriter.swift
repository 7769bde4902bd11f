import CSQLite
import GranaryStoreKit

/// The write transaction of SQLite as a store's writer.
final class SQLiteWriter: SQLiteReader, StoreWriter {
    /// A failure after which SQLite may have rolled back by itself: the transaction can only be ended.
    var failure: GranaryError?
    /// The number of changes at the beginning of each savepoint.
    var savepoints: [Int64] = []
    /// The parts that defer references, the innermost last.
    var deferrals: [Deferral] = []
    /// For each entity the last key, if it was needed in this transaction; empty if none was.
    var lastKeys: [Int64] = []
    /// The recorder of this transaction's changes, if there is one.
    var recorder: ChangeRecorder?
    /// Whether an entry of the history was kept.
    var keepsHistory = false
    /// Whether foreign keys are on. They are off while rows are added in any order, or deleted all together.
    var enforcesForeignKeys = true
    /// The number of the commit, if the store was filled.
    var filledNumber: UInt64?
    /// Whether a grouped write is open, in a savepoint of its own.
    var isGrouped = false
    /// The number of changes at the beginning of the open write of the group.
    var changesBefore: Int64 = 0
    private let changesAtBeginning: Int64
    private let numberAtBeginning: UInt64

    /// Whether its commit is synced.
    private let isSynced: Bool

    let store: SQLiteStore

    init(_ session: Session, _ store: SQLiteStore, transactionNumber: UInt64, isSynced: Bool) {
        self.store = store
        self.isSynced = isSynced
        session.uncountedChanges = 0
        changesAtBeginning = session.connection.totalChanges
        numberAtBeginning = transactionNumber
        super.init(session, store.sessions.any, transactionNumber: transactionNumber, cancellation: nil)
    }

    var coordinator: StoreCoordinator { store.coordinator }

    /// The number of rows changed so far, without those that were rolled back.
    func changes(_ session: Session) -> Int64 {
        session.connection.totalChanges - changesAtBeginning - session.uncountedChanges
    }

    /// The session, unless writing in it is useless. Counts as a change: cursors end here.
    @inline(__always) func writable() throws -> Session {
        guard let session else { throw GranaryError.transactionEnded }
        // Compared first, because reading it would copy it.
        if failure != nil { try throwFailure() }
        guard !session.connection.isInAutocommit else { throw GranaryError.rolledBack }
        session.modifications &+= 1
        return session
    }

    @inline(never) private func throwFailure() throws {
        if let failure { throw failure }
    }

    /// Notes a failure that ends the transaction.
    @inline(never) func note(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError else { return error }
        let isInAutocommit = session?.connection.isInAutocommit ?? true
        let isConstraint = error.underlying.map { $0.code & 0xFF == SQLITE_CONSTRAINT } ?? false
        if isInAutocommit || !isConstraint && [.full, .io, .corrupt].contains(error.code) { failure = error }
        return error
    }

    override func end() {
        guard let session else { return }
        forgetSession()
        session.endWriting()
        var isSound = true
        if !enforcesForeignKeys {
            do { try enforceForeignKeys(true, session.connection) } catch { isSound = false }
        }
        store.endWrite(session, isSound: isSound)
    }

    func commit() throws -> UInt64 {
        guard let session else { throw GranaryError.transactionEnded }
        if let failure {
            end()
            throw failure
        }
        guard !session.connection.isInAutocommit else {
            end()
            throw GranaryError.rolledBack
        }
        session.endStatements()
        var number = numberAtBeginning
        do {
            number = try filledNumber ?? newestNumber(session)
            if number != numberAtBeginning || filledNumber != nil {
                try CommitRecord(number: number, committer: store.committer).write(session.connection)
            }
            try session.connection.execute("COMMIT")
        } catch let error as GranaryError {
            try failedCommit(session, error, of: number)
            return number
        }
        if number != numberAtBeginning { store.noteCommit(number, isSynced: isSynced) }
        end()
        return number
    }

    /// The number of the newest commit, if the transaction were committed now.
    func newestNumber(_ session: Session) throws -> UInt64 {
        // SQLite also counts rows that were set to their old values, and those of a failed call; the recorder is more
        // exact.
        let hasChanged = recorder.map { !$0.isEmpty || keepsHistory } ?? true
        guard hasChanged, changes(session) > changesBefore else { return transactionNumber }
        return try StoredCount.next(after: transactionNumber)
    }

    /// Undoes the rest of the transaction. If SQLite cannot tell whether the commit is in the file, this finds out, and
    /// returns if it is.
    private func failedCommit(_ session: Session, _ error: GranaryError, of number: UInt64) throws {
        // Any other error occurred before the commit was written.
        guard let cause = error.underlying, cause.code & 0xFF == SQLITE_IOERR else {
            end()
            throw error
        }
        let before = numberAtBeginning
        forgetSession()
        try store.resolveCommit(session, before, number, error)
    }
}

extension GranaryError {
    static var rolledBack: GranaryError {
        GranaryError(.closed, "SQLite has rolled the transaction back. End it, and begin again.")
    }
}
