import CSQLite
import GranaryStoreKit

/// A connection with its prepared statements. For one transaction at a time, and one thread at a time.
///
/// Statements for rows by key are kept by entity, those for queries by their text. A statement in use by a cursor is
/// held by a ``Lease``, and nobody else uses it. A statement whose last row is still lent to a caller is not reset until
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

    private var cache: [String: Statement] = [:]
    /// The statement lent last, if it is kept.
    private var recent: Statement?
    /// Those of the cache that were written for plain requests, and the hashes of their shapes.
    private var shaped: [Statement] = []
    private var shapeHashes: [UInt64] = []
    private var commitStatement: Statement?
    /// The recompilations of ``commitStatement`` up to which the schema is known to be the one that the store was opened
    /// with.
    @exclusivity(unchecked) private var knownRecompilations: Int32 = -1
    @exclusivity(unchecked) private var versionStatement: Statement?
    /// What ``beginReading()`` found last.
    @exclusivity(unchecked) private var lastCommit: (version: Int64, number: UInt64)?
    private var sequenceStatement: Statement?
    /// Whether states are held between reads.
    @exclusivity(unchecked) var holdsStates: Bool
    /// Where the header of the log's index is, once the connection has read.
    @exclusivity(unchecked) var logIndex: UnsafeRawPointer?
    /// That of the state which is read or held.
    @exclusivity(unchecked) var logHeader = granary_log_header()
    @exclusivity(unchecked) var isStateKnown = false
    /// Whether it holds a state between two reads.
    @exclusivity(unchecked) var isHolding = false
    /// When it was put back, in the store's count.
    @exclusivity(unchecked) var heldSince = 0
    /// When it was put back for the first time with the state that it holds.
    @exclusivity(unchecked) var takenAt: Int?
    @exclusivity(unchecked) private var madeChangeHook: ChangeHook?
    private var uses = 0
    @exclusivity(unchecked) private var leases: [Lease] = []
    @exclusivity(unchecked) private var unfinished: [Statement] = []
    private var lastList: Int64 = 0
    @exclusivity(unchecked) private(set) var hasListTable = false

    private static let cacheSize = 64

    init(_ connection: Connection, _ catalog: Catalog, holdsStates: Bool = false) {
        self.connection = connection
        self.holdsStates = holdsStates
        self.catalog = catalog
        tables = catalog.layouts.map { EntityStatements($0, connection) }
        deletionPlans = Array(repeating: nil, count: catalog.layouts.count)
        let limit = sqlite3_limit(connection.handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)
        bounds.parameters = Int(limit)
    }

    /// The statement that reads the record of commits.
    func commitQuery() throws -> Statement {
        if let commitStatement { return commitStatement }
        let statement = try Statement(connection, CommitRecord.query)
        commitStatement = statement
        return statement
    }

    /// The record of the last commit, in a transaction that has just begun.
    ///
    /// SQLite compiles the statement again after any change of its schema, which is when Granary's own is compared: after a
    /// migration by another process, but also after `ANALYZE`, or when the first history is kept.
    ///
    /// - Throws: `schemaMismatch` if the store has been migrated since it was opened.
    func readCommitRecord() throws -> CommitRecord {
        let statement = try commitQuery()
        let record = try CommitRecord(statement)
        if statement.recompilations != knownRecompilations {
            guard try StoreMetadata.fingerprint(connection) == catalog.fingerprint else {
                throw GranaryError.schemaReplaced
            }
            knownRecompilations = statement.recompilations
        }
        return record
    }

    /// Begins to read one state, the newest, and gives the number of its last commit.
    ///
    /// Without BEGIN, SQLite goes on to read one state for as long as any statement is on a row. One is left there until
    /// ``endReading()``, which costs less than BEGIN and COMMIT. It is the one that tells how often this connection found
    /// that another had committed: where that number is as before the record of commits is, too, and is not read.
    ///
    /// One that the session holds since the last read is gone on with, if it still is the newest.
    func beginReading() throws -> UInt64 {
        if holdsNewest(), let lastCommit { return lastCommit.number }
        let statement = try versionStatement ?? prepareVersion()
        noteLog()
        // It has a row always. Without one nothing would hold the state.
        guard try statement.step() else { throw connection.failure(SQLITE_INTERNAL) }
        confirmLog()
        let version = statement.cell(at: 0).integerValue
        if let lastCommit, lastCommit.version == version { return lastCommit.number }
        let number = try readCommitRecord().number
        lastCommit = (version, number)
        return number
    }

    private func prepareVersion() throws -> Statement {
        let statement = try Statement(connection, "PRAGMA data_version")
        versionStatement = statement
        return statement
    }

    /// Ends what ``beginReading()`` began.
    func endReading() {
        isStateKnown = false
        endStatements()
        versionStatement?.reset()
        if !connection.isInAutocommit { try? connection.execute("COMMIT") }
        forgetLists()
        connection.cancellation.flag = nil
    }

    /// Ends a write transaction, which is rolled back if it was not committed.
    func endWriting() {
        endStatements()
        if !connection.isInAutocommit { try? connection.execute("ROLLBACK") }
        endRecording()
        forgetLists()
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
        for statement in cache.values { statement.finalize() }
        cache.removeAll()
        (shaped, shapeHashes) = ([], [])
        recent = nil
        commitStatement?.finalize()
        versionStatement?.finalize()
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

    /// Has the statement reset when the transaction ends, if not before: its row is lent.
    func leaveUnfinished(_ statement: Statement) {
        guard !statement.isListed else { return }
        statement.isListed = true
        unfinished.append(statement)
    }
}

extension Session {
    /// A statement for whole records, with its values bound: if there is one for a request of the same shape, that.
    func lease(_ request: FetchRequest, _ layout: EntityLayout) throws -> Lease {
        let hash = request.shapeHash
        if let hash, let statement = statement(hash, shapedLike: request) {
            statement.reset()
            return try lend(statement) { lease in
                lease.isWorthKeeping = true
                var parameter: Int32 = 0
                try request.forEachParameter { value in
                    parameter += 1
                    try statement.bind(copying: value, at: parameter)
                }
            }
        }
        let sql = SQLText.rows(request, layout, bounds)
        let lease = try lease(sql, layout)
        if let hash, let statement = lease.statement, statement.shape == nil, sql.isShape(of: request) {
            statement.shape = RequestShape(hash, request)
            if statement.isKept { keepShape(of: statement) }
        }
        return lease
    }

    /// One that nobody uses.
    private func statement(_ hash: UInt64, shapedLike request: FetchRequest) -> Statement? {
        for (index, other) in shapeHashes.enumerated() where other == hash {
            let statement = shaped[index]
            if !statement.isLent, let shape = statement.shape, shape.request.hasShape(of: request) { return statement }
        }
        return nil
    }

    private func keepShape(of statement: Statement) {
        guard let shape = statement.shape else { return }
        shaped.append(statement)
        shapeHashes.append(shape.hash)
    }

    private func forgetShape(of statement: Statement) {
        guard let index = shaped.firstIndex(where: { $0 === statement }) else { return }
        shaped.remove(at: index)
        shapeHashes.remove(at: index)
    }

    /// A statement for a query, with its values bound, out of the cache or prepared.
    func lease(_ sql: SQLText, _ layout: EntityLayout?) throws -> Lease {
        if let failure = sql.failure { throw failure }
        let statement: Statement
        // Of one text there may be a statement for records, and one for their attributes as columns: the first is kept.
        if let kept = kept(sql.text), !kept.isLent, kept.layout === layout {
            statement = kept
            statement.reset()
        } else {
            statement = try prepare(sql, layout)
        }
        return try lend(statement) { try bind(sql, to: $0) }
    }

    /// - Parameter bind: Gives the statement's parameters their values.
    private func lend(_ statement: Statement, _ bind: (Lease) throws -> Void) throws -> Lease {
        // Left over where a statement was given up while it failed.
        _ = connection.functions.takeFailure()
        statement.isLent = true
        if statement.isKept, recent !== statement { recent = statement }
        let lease = Lease(statement, self)
        lease.place = leases.count
        leases.append(lease)
        do {
            try bind(lease)
        } catch {
            giveBack(lease, isFinished: true)
            throw error
        }
        return lease
    }

    /// The statement of a text that the cache holds. Often it is the one that was asked for last, which a comparison of texts
    /// tells sooner than a hash.
    private func kept(_ text: String) -> Statement? {
        if let recent, recent.isKept, recent.sql == text { return recent }
        return cache[text]
    }

    /// Takes the statement back; from then on the lease is empty.
    func giveBack(_ lease: Lease, isFinished: Bool) {
        guard let statement = lease.take() else { return }
        forget(lease)
        statement.isLent = false
        if isFinished { statement.reset() } else { leaveUnfinished(statement) }
        if !lease.compiled.isEmpty { connection.functions.forget(lease.compiled) }
        if isFinished, !lease.lists.isEmpty { try? forget(lease.lists) }
        uses += 1
        statement.lastUse = uses
        if statement.isKept { return }
        guard lease.isWorthKeeping, cache[statement.sql] == nil, makeRoom() else {
            // One whose row is lent stays in the list of those to reset, and goes with it.
            if isFinished { statement.finalize() }
            return
        }
        statement.isKept = true
        cache[statement.sql] = statement
        keepShape(of: statement)
    }

    /// Takes a lease off the list; the last takes its place.
    private func forget(_ lease: Lease) {
        guard let last = leases.popLast(), last !== lease else { return }
        last.place = lease.place
        leases[lease.place] = last
    }

    /// Gives up the statement that was used longest ago if the cache is full.
    private func makeRoom() -> Bool {
        guard cache.count >= Session.cacheSize else { return true }
        guard let oldest = cache.values.lazy.filter({ !$0.isLent }).min(by: { $0.lastUse < $1.lastUse }) else {
            return false
        }
        cache[oldest.sql] = nil
        oldest.isKept = false
        forgetShape(of: oldest)
        if recent === oldest { recent = nil }
        if !oldest.isActive { oldest.finalize() }
        return true
    }

    private func prepare(_ sql: SQLText, _ layout: EntityLayout?) throws -> Statement {
        if !sql.lists.isEmpty { try makeListTable() }
        return try Statement(connection, sql.text, layout: layout)
    }

    private func bind(_ sql: SQLText, to lease: Lease) throws {
        guard let statement = lease.statement else { return }
        lease.isWorthKeeping = sql.isWorthKeeping
        if !sql.lists.isEmpty { lease.lists = try fill(sql.lists) }
        for (index, parameter) in sql.parameters.enumerated() {
            switch parameter {
            case .value(let value): try statement.bind(copying: value, at: Int32(index + 1))
            case .list(let number): try statement.bind(.integer(lease.lists[number]), at: Int32(index + 1))
            case .pattern(let pattern): try bind(.matcher(TextMatcher(pattern)), to: lease, at: index)
            case .program(let program, let count, let entity):
                try bind(.program(SQLProgram(program, of: entity, arguments: count)), to: lease, at: index)
            }
        }
    }
}

extension Session {
    /// The rows of a query of ours, by its text.
    func rows(_ sql: String, binding values: [StoredValue] = []) throws -> [[StoredValue]] {
        let lease = try lease(SQLText(sql, binding: values, bounds), nil)
        defer { giveBack(lease, isFinished: true) }
        return try lease.statement?.values() ?? []
    }

    /// Runs a statement of ours that changes rows, and says how many it changed itself.
    func run(_ sql: String, binding values: [StoredValue] = []) throws -> Int {
        try change(SQLText(sql, binding: values, bounds))
    }

    private func bind(_ compiled: SQLFunctions.Compiled, to lease: Lease, at index: Int) throws {
        let number = connection.functions.keep(compiled)
        lease.compiled.append(number)
        try lease.statement?.bind(.integer(number), at: Int32(index + 1))
    }
}

// Lists too long for parameters: rows of a temporary table, which is in memory and private to the connection.
extension Session {
    private func makeListTable() throws {
        // In a read, so that not every row of a list is a transaction.
        if let versionStatement, versionStatement.isActive, connection.isInAutocommit {
            try connection.execute("BEGIN")
        }
        // Asked each time: it goes when the savepoint in which it was made is rolled back.
        try connection.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS "granary:list" \
            ("list" INTEGER, "value", PRIMARY KEY ("list", "value")) WITHOUT ROWID
            """)
        hasListTable = true
    }

    private func fill(_ lists: [[StoredValue]]) throws -> [Int64] {
        try makeListTable()
        return try uncounted {
            let insert = try Statement(connection, "INSERT INTO temp.\"granary:list\" VALUES (?1, ?2)")
            defer { insert.finalize() }
            var numbers: [Int64] = []
            for list in lists {
                lastList += 1
                numbers.append(lastList)
                for value in list {
                    try insert.bind(.integer(lastList), at: 1)
                    try value.withCell {
                        try insert.bind($0, at: 2)
                        try insert.run()
                    }
                }
            }
            return numbers
        }
    }

    private func forget(_ lists: [Int64]) throws {
        try uncounted {
            for list in lists { try connection.execute("DELETE FROM temp.\"granary:list\" WHERE \"list\" = \(list)") }
        }
    }

    /// After the transaction: nothing of its lists is needed.
    func forgetLists() {
        guard hasListTable else { return }
        hasListTable = false
        try? connection.execute("DROP TABLE IF EXISTS temp.\"granary:list\"")
    }

    /// Runs what changes rows that are not the store's.
    func uncounted<T>(_ body: () throws -> T) rethrows -> T {
        let before = connection.totalChanges
        defer { uncountedChanges += connection.totalChanges - before }
        return try body()
    }
}
