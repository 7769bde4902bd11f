import CSQLite
import GranaryStoreKit

/// A transaction of SQLite as a store's reader, and the reading part of its writer.
class SQLiteReader: StoreReader {
    // Read and set as a whole, by one thread, so accesses never overlap.
    @exclusivity(unchecked) private(set) var session: Session?
    /// Gets the session back.
    private let home: SessionShard
    let cancellation: CancellationFlag?
    /// Of a writer, the number of the last write of its group that has ended.
    @exclusivity(unchecked) final var transactionNumber: UInt64
    // Like the session.
    @exclusivity(unchecked) private var cursorMark: TransactionMark?

    /// A reader over a session whose transaction has begun. Its shard gets the session back when the transaction has
    /// ended.
    init(_ session: Session, _ home: SessionShard, transactionNumber: UInt64, cancellation: CancellationFlag?) {
        self.session = session
        self.home = home
        self.transactionNumber = transactionNumber
        self.cancellation = cancellation
    }

    deinit { end() }

    final var schema: Schema { catalog.schema }
    final var catalog: Catalog { home.catalog }
    /// Made for the first cursor.
    private var mark: TransactionMark {
        if let cursorMark { return cursorMark }
        let mark = TransactionMark()
        cursorMark = mark
        return mark
    }

    /// The session. Throws after the transaction's end or cancellation.
    @inline(__always) final func live() throws -> Session {
        guard let session else { throw GranaryError.transactionEnded }
        if let cancellation, cancellation.isSet { throw GranaryError.readCancelled }
        return session
    }

    final func find(_ key: Cell, in entity: Int) throws -> Row? {
        let session = try live()
        let table = try session.table(entity)
        try table.checkKey(key)
        let statement = try table.statement(.find)
        try statement.bind(key, at: 1)
        guard try statement.step() else {
            statement.reset()
            return nil
        }
        session.leaveUnfinished(statement)
        try statement.loadRow()
        return Row(cells: UnsafePointer(statement.cells), count: table.attributeCount)
    }

    final func rows(_ request: FetchRequest) throws -> any RowCursor {
        let session = try live()
        let layout = try session.table(request.entity).layout
        if let aggregation = request.aggregation {
            let lease = try session.lease(.aggregate(request, aggregation, layout, session.bounds), nil)
            return SQLiteCursor(lease, SQLiteColumns(aggregation.columnTypes, layout), mark, cancellation)
        }
        guard let columns = request.columns else {
            let lease = try session.lease(request, layout)
            return SQLiteCursor(lease, layout, mark, cancellation)
        }
        let lease = try session.lease(.rows(request, layout, session.bounds), nil)
        return SQLiteCursor(lease, SQLiteColumns(columns.map(\.type), layout), mark, cancellation)
    }

    final func count(_ request: FetchRequest) throws -> Int {
        let session = try live()
        let layout = try session.table(request.entity).layout
        do {
            return try session.value(.count(request, layout, session.bounds))
        } catch {
            throw layout.named(error)
        }
    }

    final func explain(_ request: FetchRequest) throws -> QueryPlan {
        let session = try live()
        let layout = try session.table(request.entity).layout
        guard let aggregation = request.aggregation else {
            var reader = PlanReader(request, layout)
            return try reader.plan(of: .rows(request, layout, session.bounds), session)
        }
        var reader = PlanReader(request, layout, groups: aggregation.groups)
        return try reader.plan(of: .aggregate(request, aggregation, layout, session.bounds), session)
    }

    func end() {
        guard let session else { return }
        forgetSession()
        session.pauseReading()
        home.putBack(session)
    }

    /// Releases the session without giving it back.
    final func forgetSession() {
        session = nil
        cursorMark?.isEnded = true
    }
}

extension Session {
    /// The single integer that a statement returns.
    func value(_ sql: SQLText) throws -> Int {
        let lease = try lease(sql, nil)
        defer { giveBack(lease, isFinished: true) }
        guard let statement = lease.statement, try statement.step() else { return 0 }
        return Int(statement.cell(at: 0).integerValue)
    }

    /// Runs a statement that changes rows. Returns how many it changed itself.
    func change(_ sql: SQLText) throws -> Int {
        let lease = try lease(sql, nil)
        defer { giveBack(lease, isFinished: true) }
        try lease.statement?.run()
        return connection.changes
    }
}
