import CSQLite
import GranaryStoreKit

/// A connection with its prepared statements. For one transaction at a time, and one thread at a time.
///
/// Statements for rows by key are kept by entity, those for queries by their text. A statement that a cursor uses is
/// held by one ``Lease``. A statement whose last row is still lent to a caller is not reset until it is used again or
/// the transaction ends.
// Properties that each read uses are not checked for overlapping access: a session is used by one thread at a time, and
// no access to one of these properties lasts while other code is called that may change it.
final class Session {
    let connection: Connection
    let catalog: Catalog
    /// The statements of each entity, by position.
    let tables: [EntityStatements]
    /// Increased with every change to rows in the transaction, which makes earlier cursors invalid.
    var modifications = 0
    /// The engine's changes that are not changes of the store: those of temporary tables, and those that were rolled
    /// back.
    var uncountedChanges: Int64 = 0
    var bounds = SQLText.Bounds()

    private(set) lazy var authorizer = StatementAuthorizer(catalog, connection)
    /// The deletion plan of each entity, by position.
    private var deletionPlans: [DeletionPlan?]

    /// The statements of queries.
    let statements = StatementCache()
    let commits: CommitQueries
    let held: HeldState
    let lists: ListTable
    private(set) lazy var words = WordStatements(connection)
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

    /// Begins to read the newest state, and returns the number of its last commit.
    ///
    /// Without BEGIN, SQLite goes on reading one state for as long as any statement is on a row. One is left on its row
    /// until ``endReading()``, which costs less than BEGIN and COMMIT: the statement that shows whether another
    /// connection has committed.
    ///
    /// A state that the session has held since the last read is continued if it is still the newest.
    func beginReading() throws -> UInt64 {
        if holdsNewest(), let number = commits.lastNumber { return number }
        let statement = try commits.version()
        held.noteLog()
        // It always has a row. Without a row nothing would hold the state.
        guard try statement.step() else { throw connection.failure(SQLITE_INTERNAL) }
        held.confirmLog(of: connection)
        return try commits.number(at: statement.cell(at: 0).integerValue)
    }

    /// Ends ``beginReading()``.
    func endReading() {
        held.forget()
        endStatements()
        commits.resetVersion()
        if !connection.isInAutocommit { try? connection.execute("COMMIT") }
        lists.drop()
        connection.cancellation.flag = nil
    }

    /// Ends a write transaction. It is rolled back if it was not committed.
    func endWriting() {
        endStatements()
        if !connection.isInAutocommit { try? connection.execute("ROLLBACK") }
        endRecording()
        lists.drop()
    }

    /// The greatest key of an entity with assigned keys that SQLite knows, or 0.
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

    /// Made when first needed; nil if this SQLite does not support it.
    func changeHook() -> ChangeHook? {
        if madeChangeHook == nil { madeChangeHook = ChangeHook(catalog, connection) }
        return madeChangeHook
    }

    /// Stops recording.
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
        words.finalizeAll()
        sequenceStatement?.finalize()
        endRecording()
        connection.close()
    }

    /// Resets every statement and takes all of them back from cursors, so that the transaction can end.
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

    /// Removes a lease from the list; the last one takes its place.
    func forget(_ lease: Lease) {
        guard let last = leases.popLast(), last !== lease else { return }
        last.place = lease.place
        leases[lease.place] = last
    }

    /// Marks the statement to be reset when the transaction ends, if not before: its row is lent.
    func leaveUnfinished(_ statement: Statement) {
        guard !statement.isListed else { return }
        statement.isListed = true
        unfinished.append(statement)
    }
}
