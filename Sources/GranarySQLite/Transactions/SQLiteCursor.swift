import CSQLite
import GranaryStoreKit

/// A statement lent to a cursor. When the transaction ends, the session takes it back, and the cursor finds it gone.
/// Session and lease hold each other until then.
final class Lease {
    // Constants, so that a step retains nothing.
    fileprivate let held: Statement
    fileprivate let owner: Session
    /// True until the transaction ends or the statement is given back.
    fileprivate private(set) var isLive = true
    let modifications: Int
    /// Its index in the session's list.
    var place = 0
    var isWorthKeeping = false
    /// The numbers of its lists in the temporary table.
    var lists: [Int64] = []
    /// The numbers of its patterns, programs, kept answers and queries.
    var compiled: [Int64] = []
    /// Those of the queries that it runs.
    var queries: [Lease] = []

    init(_ statement: Statement, _ session: Session) {
        held = statement
        owner = session
        modifications = session.modifications
    }

    /// The statement; nil once it was given back.
    var statement: Statement? { isLive ? held : nil }
    var session: Session? { isLive ? owner : nil }

    func take() -> Statement? {
        defer { isLive = false }
        return statement
    }
}

/// Rows of a query. Used on its transaction's thread.
final class SQLiteCursor: RowCursor {
    private let lease: Lease
    private let rows: StatementRows
    private let hasChecksum: Bool
    private let layout: EntityLayout
    /// The columns of rows that are not an entity's.
    private let columns: SQLiteColumns?
    // A constant that always exists, so that a step retains nothing.
    private let cancellation: CancellationFlag
    private let transaction: TransactionMark
    private var isFinished = false
    private var failure: (any Error)?
    /// For rows that cannot be cancelled; never set.
    private static let never = CancellationFlag()

    init(_ lease: Lease, _ layout: EntityLayout, _ transaction: TransactionMark, _ cancellation: CancellationFlag?) {
        self.lease = lease
        rows = lease.held.beginRows()
        hasChecksum = layout.hasChecksum
        self.layout = layout
        columns = nil
        self.transaction = transaction
        self.cancellation = cancellation ?? SQLiteCursor.never
    }

    init(_ lease: Lease, _ columns: SQLiteColumns, _ transaction: TransactionMark, _ cancellation: CancellationFlag?) {
        self.lease = lease
        rows = lease.held.beginRows()
        hasChecksum = false
        layout = columns.layout
        self.columns = columns
        self.transaction = transaction
        self.cancellation = cancellation ?? SQLiteCursor.never
    }

    deinit {
        // The last row may still be lent, until the next call to the reader.
        lease.session?.giveBack(lease, isFinished: false)
    }

    func next() throws -> Row? {
        guard lease.isLive else { return try ended() }
        guard lease.owner.modifications == lease.modifications else {
            return try finish(GranaryError.cursorInvalidated)
        }
        if cancellation.isSet { return try finish(GranaryError.readCancelled) }
        do {
            // Like the statement's own step, but using the statement only where necessary.
            let code = sqlite3_step(rows.handle)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw lease.held.failed(code) }
                isFinished = true
                lease.owner.giveBack(lease, isFinished: true)
                return nil
            }
            if let columns { return try columns.row(of: lease.held) }
            let loaded = rows.load()
            guard loaded == rows.count else { throw lease.held.mismatch(loaded) }
            if hasChecksum { try lease.held.verifyChecksum() }
        } catch {
            return try finish(layout.named(error))
        }
        return Row(cells: UnsafePointer(rows.cells), count: rows.count)
    }

    private func finish(_ error: any Error) throws -> Row? {
        failure = error
        lease.session?.giveBack(lease, isFinished: true)
        throw error
    }

    private func ended() throws -> Row? {
        guard !transaction.isEnded else { throw GranaryError.transactionEnded }
        if let failure { throw failure }
        guard isFinished else { throw GranaryError.transactionEnded }
        return nil
    }
}

/// The state that a transaction shares with its cursors.
final class TransactionMark {
    var isEnded = false
}
