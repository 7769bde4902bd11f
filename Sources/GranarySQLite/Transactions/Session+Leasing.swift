import GranaryStoreKit

extension Session {
    /// A statement for whole records, with its values bound. Uses the kept statement for a request of the same shape if
    /// there is one.
    func lease(_ request: FetchRequest, _ layout: EntityLayout) throws -> Lease {
        let hash = request.shapeHash
        if let hash, let statement = statements.statement(hash, shapedLike: request) {
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
            statements.setShape(RequestShape(hash, request), of: statement)
        }
        return lease
    }

    /// A statement for a query, with its values bound, from the cache or newly prepared.
    func lease(_ sql: SQLText, _ layout: EntityLayout?) throws -> Lease {
        if let failure = sql.failure { throw failure }
        let statement: Statement
        // One text may have two statements: one for records, and one for their attributes as columns. The first one is
        // kept.
        if let kept = statements.statement(of: sql.text), !kept.isLent, kept.layout === layout {
            statement = kept
            statement.reset()
        } else {
            statement = try prepare(sql, layout)
        }
        return try lend(statement) { try bind(sql, to: $0) }
    }

    /// - Parameter bind: Binds the statement's parameters.
    private func lend(_ statement: Statement, _ bind: (Lease) throws -> Void) throws -> Lease {
        // Left over if a statement was abandoned while it failed.
        _ = connection.functions.takeFailure()
        statements.noteLoan(of: statement)
        let lease = Lease(statement, self)
        add(lease)
        do {
            try bind(lease)
        } catch {
            giveBack(lease, isFinished: true)
            throw error
        }
        return lease
    }

    /// Takes the statement back; from then on the lease is empty.
    func giveBack(_ lease: Lease, isFinished: Bool) {
        guard let statement = lease.take() else { return }
        forget(lease)
        statements.noteReturn(of: statement)
        if isFinished { statement.reset() } else { leaveUnfinished(statement) }
        if !lease.compiled.isEmpty { connection.functions.forget(lease.compiled) }
        for query in lease.queries { giveBack(query, isFinished: true) }
        if isFinished, !lease.lists.isEmpty { try? uncounted { try lists.remove(lease.lists) } }
        if statement.isKept || (lease.isWorthKeeping && statements.keep(statement)) { return }
        // A statement whose row is lent stays in the list of statements to reset, and is finalized with it.
        if isFinished { statement.finalize() }
    }

    private func prepare(_ sql: SQLText, _ layout: EntityLayout?) throws -> Statement {
        if !sql.lists.isEmpty { try makeListTable() }
        return try Statement(connection, sql.text, layout: layout)
    }

    private func bind(_ sql: SQLText, to lease: Lease) throws {
        guard let statement = lease.statement else { return }
        lease.isWorthKeeping = sql.isWorthKeeping
        if !sql.lists.isEmpty { try fill(sql.lists, of: lease) }
        var answers: [Int: Int64] = [:]
        for (index, parameter) in sql.parameters.enumerated() {
            switch parameter {
            case .value(let value): try statement.bind(copying: value, at: Int32(index + 1))
            case .list(let number): try statement.bind(.integer(lease.lists[number]), at: Int32(index + 1))
            case .pattern(let pattern): try bind(.matcher(TextMatcher(pattern)), to: lease, at: index)
            case .program(let program, let count, let entity):
                try bind(.program(SQLProgram(program, of: entity, arguments: count)), to: lease, at: index)
            case .answers(let number):
                if let known = answers[number] {
                    try statement.bind(.integer(known), at: Int32(index + 1))
                } else {
                    answers[number] = try bind(.answers(KeptAnswers()), to: lease, at: index)
                }
            case .query(let query): try bind(query, to: lease, at: index)
            case .key: break  // `granary_ask` binds it.
            }
        }
    }
}

extension Session {
    /// The rows of a query of this library, by its text.
    func rows(_ sql: String, binding values: [StoredValue] = []) throws -> [[StoredValue]] {
        let lease = try lease(SQLText(sql, binding: values, bounds), nil)
        defer { giveBack(lease, isFinished: true) }
        return try lease.statement?.values() ?? []
    }

    /// Runs a statement of this library that changes rows. Returns how many it changed itself.
    func run(_ sql: String, binding values: [StoredValue] = []) throws -> Int {
        try change(SQLText(sql, binding: values, bounds))
    }

    private func bind(_ query: SQLText, to lease: Lease, at index: Int) throws {
        let inner = try self.lease(query, nil)
        lease.queries.append(inner)
        let key = query.parameters.firstIndex { if case .key = $0 { true } else { false } }
        guard let statement = inner.statement, let key else { throw SQLFunctions.misuse }
        try bind(.query(SQLQuestion(statement, key: Int32(key + 1))), to: lease, at: index)
    }

    /// - Returns: The number under which it is kept.
    @discardableResult
    private func bind(_ compiled: SQLFunctions.Compiled, to lease: Lease, at index: Int) throws -> Int64 {
        let number = connection.functions.keep(compiled)
        lease.compiled.append(number)
        try lease.statement?.bind(.integer(number), at: Int32(index + 1))
        return number
    }
}

extension Session {
    private func makeListTable() throws {
        // In a read, so that not every row of a list is a transaction.
        if commits.isOnVersion, connection.isInAutocommit { try connection.execute("BEGIN") }
        try lists.make()
    }

    private func fill(_ values: [[StoredValue]], of lease: Lease) throws {
        try makeListTable()
        lease.lists = try uncounted { try lists.fill(values) }
    }

    /// Runs changes of rows that are not the store's.
    func uncounted<T>(_ body: () throws -> T) rethrows -> T {
        let before = connection.totalChanges
        defer { uncountedChanges += connection.totalChanges - before }
        return try body()
    }
}
