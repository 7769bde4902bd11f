import CSQLite
import GranaryStoreKit

/// A connection with its prepared statements. For one transaction at a time, and one thread at a time.
///
/// Statements for rows by key are kept by entity, those for queries by their text. A statement in use by a cursor is
/// held by one ``Lease``. A statement whose last row is still lent to a caller is not reset until
/// it is used again or the transaction ends.
// What each read touches is not checked for overlapping access: a session is used by one thread at a time, and nothing
// holds one of these properties while it calls what may change it.
final class Session {
    let connection: Connection
    let catalog: Catalog
    /// By entity.
    let tables: [EntityStatements]
    /// Grows with every change to rows in the transaction: a cursor made before is no longer valid.
    var modifications = 0
    /// What the engine did to rows that is no change of the store: temporary tables, and what was rolled back.
    var uncountedChanges: Int64 = 0
    var bounds = SQLText.Bounds()

    private(set) lazy var authorizer = StatementAuthorizer(catalog, connection)
    /// By entity.
    private var deletionPlans: [DeletionPlan?]

    /// The statements of queries.
    let statements = StatementCache()
    let commits: CommitQueries
    let held: HeldState
    let lists: ListTable
    private var sequenceStatement: Statement?
    @exclusivity(unchecked) private var madeChangeHook: ChangeHook?
    @exclusivity(unchecked) private var leases: [Lease] = []
    @exclusivity(unchecked) private var unfinished: [Statement] = []

    init(_ connection: Connection, _ catalog: Catalog, holdsStates: Bool = false) {
        self.connection = connection
        self.catalog = catalog
        commits = CommitQueries(connection, catalog)
        held = HeldState(isEnabled: holdsStates)
        lists = ListTable(connection)
        tables = catalog.layouts.map { EntityStatements($0, connection) }
        deletionPlans = Array(repeating: nil, count: catalog.layouts.count)
        let limit = sqlite3_limit(connection.handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)
        bounds.parameters = Int(limit)
    }

    /// Begins to read one state, the newest, and gives the number of its last commit.
    ///
    /// Without BEGIN, SQLite goes on to read one state for as long as any statement is on a row. One is left there until
    /// ``endReading()``, which costs less than BEGIN and COMMIT: the one that tells whether another connection has committed.
    ///
    /// A state that the session holds since the last read is gone on with, if it still is the newest.
    func beginReading() throws -> UInt64 {
        if holdsNewest(), let number = commits.lastNumber { return number }
        let statement = try commits.version()
        held.noteLog()
        // It has a row always. Without one nothing would hold the state.
        guard try statement.step() else { throw connection.failure(SQLITE_INTERNAL) }
        held.confirmLog(of: connection)
        return try commits.number(at: statement.cell(at: 0).integerValue)
    }

    /// Ends what ``beginReading()`` began.
    func endReading() {
        held.forget()
        endStatements()
        commits.resetVersion()
        if !connection.isInAutocommit { try? connection.execute("COMMIT") }
        lists.drop()
        connection.cancellation.flag = nil
    }

    /// Ends a write transaction, which is rolled back if it was not committed.
    func endWriting() {
        endStatements()
        if !connection.isInAutocommit { try? connection.execute("ROLLBACK") }
        endRecording()
        lists.drop()
    }

    /// The greatest key SQLite knows of for an entity with assigned keys, 0 if there is none.
    func lastAssignedKey(_ layout: EntityLayout) throws -> Int64 {
        // Without such an entity the database has no such table.
        guard layout.isAssigned else { return 0 }
        let statement =
            try sequenceStatement ?? Statement(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?1")
        sequenceStatement = statement
        defer { statement.reset() }
        try statement.bind(copying: .string(layout.name), at: 1)
        return try statement.step() ? statement.cell(at: 0).integerValue : 0
    }

    /// Made when it is first asked for; nil if this SQLite has none.
    func changeHook() -> ChangeHook? {
        if madeChangeHook == nil { madeChangeHook = ChangeHook(catalog, connection) }
        return madeChangeHook
    }

    /// Has nothing noted any more.
    func endRecording() { madeChangeHook?.stop() }

    func table(_ entity: Int) throws -> EntityStatements {
        guard tables.indices.contains(entity) else {
            throw GranaryError.noEntity(at: entity)
        }
        return tables[entity]
    }

    func deletionPlan(_ layout: EntityLayout) -> DeletionPlan {
        if let plan = deletionPlans[layout.index] { return plan }
        let plan = DeletionPlan(layout.index, catalog.layouts)
        deletionPlans[layout.index] = plan
        return plan
    }

    /// Finalizes all and closes the connection.
    func close() {
        endStatements()
        for table in tables { table.finalize() }
        statements.finalizeAll()
        commits.finalizeAll()
        sequenceStatement?.finalize()
        endRecording()
        connection.close()
    }

    /// Resets every statement and takes them back from cursors, so that the transaction can end.
    func endStatements() {
        // Most reads have none.
        if !leases.isEmpty { endLeases() }
        while let statement = unfinished.popLast() {
            statement.reset()
            statement.isListed = false
        }
    }

    private func endLeases() {
        for lease in leases {
            connection.functions.forget(lease.compiled)
            guard let statement = lease.take() else { continue }
            if statement.isKept {
                statement.reset()
                statement.isLent = false
            } else {
                statement.finalize()
            }
        }
        leases.removeAll(keepingCapacity: true)
    }

    func add(_ lease: Lease) {
        lease.place = leases.count
        leases.append(lease)
    }

    /// Takes a lease off the list; the last takes its place.
    func forget(_ lease: Lease) {
        guard let last = leases.popLast(), last !== lease else { return }
        last.place = lease.place
        leases[lease.place] = last
    }

    /// Has the statement reset when the transaction ends, if not before: its row is lent.
    func leaveUnfinished(_ statement: Statement) {
        guard !statement.isListed else { return }
        statement.isListed = true
        unfinished.append(statement)
    }
}
