import CSQLite
import GranaryStoreKit

extension SQLiteWriter {
    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        let session = try writable()
        let table = try session.table(entity)
        try table.layout.checkKey(key)
        let plan = session.deletionPlan(table.layout)
        if isWorkedOut(plan), try session.hasRows(plan.referrerQuery, [StoredValue(key)]) {
            return try deleteWorkedOut(ofKey(StoredValue(key), table.layout), table, plan, session) > 0
        }
        do {
            let statement = try table.statement(.delete)
            try statement.bind(key, at: 1)
            try noting(session) { try statement.run() }
        } catch {
            let key = StoredValue(key)
            throw denied(error, table.layout, session) { try self.delete(key, table) }
        }
        return session.connection.changes > 0
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let session = try writable()
        let table = try session.table(request.entity)
        do {
            return try deleteAll(request, table, session)
        } catch {
            throw table.layout.named(error)
        }
    }

    private func deleteAll(
        _ request: FetchRequest, _ table: EntityStatements, _ session: Session
    ) throws -> Int {
        let layout = table.layout
        let plan = session.deletionPlan(layout)
        if isWorkedOut(plan), try session.hasRows(plan.anyReferrerQuery) {
            return try deleteWorkedOut(request, table, plan, session)
        }
        let deletion = deletion(of: request, layout, session)
        do {
            return try noting(session) { try session.change(deletion) }
        } catch {
            throw denied(error, layout, session) { _ = try session.change(deletion) }
        }
    }

    private func deletion(of request: FetchRequest, _ layout: EntityLayout, _ session: Session) -> SQLText {
        var sql = SQLText.deleteAll(request, layout, session.bounds)
        // Without a condition SQLite empties the table as a whole and reports no row. That is decided when the
        // statement is prepared, so the statement for recording must differ.
        if recorder != nil, sql.text == "DELETE FROM \(layout.sql.table)" { sql.text += " WHERE 1" }
        return sql
    }

    /// Whether SQLite's own actions are not sufficient for a row that is referred to.
    private func isWorkedOut(_ plan: DeletionPlan) -> Bool {
        plan.isUnbounded || catalog.hasChecksums && !plan.nullified.isEmpty
            || !deferrals.isEmpty && !plan.denying.isEmpty
    }

    private func ofKey(_ key: StoredValue, _ layout: EntityLayout) -> FetchRequest {
        FetchRequest(entity: layout.index, condition: .compare(position: layout.keyPosition, .equal, key))
    }

    /// Deletes without examining the effects.
    private func delete(_ key: StoredValue, _ table: EntityStatements) throws {
        let statement = try table.statement(.delete)
        try key.withCell {
            try statement.bind($0, at: 1)
            try statement.run()
        }
    }

    /// Whether foreign-key actions went deeper than SQLite allows. Then it has undone the statement.
    private static func isTooDeep(_ error: any Error) -> Bool {
        // For a prepared statement of this library that met no constraint, this code has no other cause.
        (error as? GranaryError)?.underlying?.code == SQLITE_ERROR
    }
}

extension SQLiteWriter {
    private static let fewRows = 20

    /// Deletes the rows of a request with the help of the table of deleted rows.
    ///
    /// - Returns: The number of matching rows.
    private func deleteWorkedOut(
        _ request: FetchRequest, _ table: EntityStatements, _ plan: DeletionPlan, _ session: Session
    ) throws -> Int {
        try session.connection.execute(DeletionPlan.creation)
        return try atomically(session) {
            let (matched, total) = try session.uncounted { try collect(request, table.layout, plan, session) }
            if matched > 0 {
                try refuseDenied(table.layout, plan, session)
                if catalog.hasChecksums { try nullify(plan, session) }
                try deleteCollected(table.layout, total, plan, session)
            }
            try session.uncounted { try session.connection.execute("DELETE FROM \(DeletionPlan.table)") }
            return matched
        }
    }

    /// Fills the table. Returns the number of its rows that match the request, and the total number.
    private func collect(
        _ request: FetchRequest, _ layout: EntityLayout, _ plan: DeletionPlan, _ session: Session
    ) throws -> (matched: Int, total: Int) {
        try session.connection.execute("DELETE FROM \(DeletionPlan.table)")
        var roots = SQLText.keys(request, layout, session.bounds)
        roots.text = "INSERT INTO \(DeletionPlan.table) SELECT \(layout.index), * FROM (\(roots.text))"
        let matched = try session.change(roots)
        var total = matched
        var added = matched
        while added > 0 {
            added = 0
            for closure in plan.closures { added += try session.run(closure) }
            total += added
            if plan.closures.count < 2 { break }
        }
        return (matched, total)
    }

    private func refuseDenied(_ layout: EntityLayout, _ plan: DeletionPlan, _ session: Session) throws {
        for edge in plan.denying {
            let referrer = catalog.layouts[edge.entity]
            let sql = """
                SELECT 1 FROM \(DeletionPlan.table) AS d CROSS JOIN \(referrer.sql.table) AS r \
                ON r.\(referrer.sql.names[edge.position]) = d."key" WHERE d."entity" = \(edge.target) AND NOT EXISTS \
                (SELECT 1 FROM \(DeletionPlan.table) WHERE "entity" = \(edge.entity) AND "key" = r.\(referrer.sql.key)) \
                LIMIT 1
                """
            guard try session.rows(sql).isEmpty else {
                throw GranaryError.denied(layout, by: (edge.entity, edge.position), catalog)
            }
        }
    }

    /// Sets the references of remaining rows to nil, each with a new checksum. Without checksums SQLite does it.
    private func nullify(_ plan: DeletionPlan, _ session: Session) throws {
        for edge in plan.nullified {
            let referrer = catalog.layouts[edge.entity]
            let sql = """
                SELECT r.\(referrer.sql.key) FROM \(DeletionPlan.table) AS d CROSS JOIN \(referrer.sql.table) AS r \
                ON r.\(referrer.sql.names[edge.position]) = d."key" WHERE d."entity" = \(edge.target) AND NOT EXISTS \
                (SELECT 1 FROM \(DeletionPlan.table) WHERE "entity" = \(edge.entity) AND "key" = r.\(referrer.sql.key))
                """
            let none = [Assignment(position: edge.position, value: .null)]
            for key in try session.rows(sql).compactMap(\.first) {
                try set(none, ofRowWith: key, session.table(edge.entity), session)
            }
        }
    }

    // Every row that refers to a deleted row is deleted too, has been set to nil, or is set to nil here. So foreign
    // keys hold afterwards, and if the cascade may be deep, SQLite is told not to follow them during this. It counts
    // the references that dangle while they are deferred: with one outstanding it must see each deletion.
    //
    // Switching this off makes SQLite prepare every statement again, and a few rows are not a deep cascade.
    private func deleteCollected(
        _ layout: EntityLayout, _ total: Int, _ plan: DeletionPlan, _ session: Session
    ) throws {
        let connection = session.connection
        guard plan.isUnbounded, total > SQLiteWriter.fewRows, !connection.hasOutstandingReferences else {
            do {
                return _ = try session.run(deletion(of: layout))
            } catch {
                guard SQLiteWriter.isTooDeep(error) else { throw error }
                throw GranaryError(
                    .limit,
                    "More than 1000 cascades of \(layout.entity.path) follow each other. Delete it where no reference dangles.",
                    about: layout.entity)
            }
        }
        try enforceForeignKeys(false, connection)
        do {
            if !catalog.hasChecksums { try nullifyTogether(plan, session) }
            for entity in plan.reached { _ = try session.run(deletion(of: catalog.layouts[entity])) }
        } catch {
            try enforceForeignKeys(true, connection)
            throw error
        }
        try enforceForeignKeys(true, connection)
    }

    private func nullifyTogether(_ plan: DeletionPlan, _ session: Session) throws {
        for edge in plan.nullified {
            let referrer = catalog.layouts[edge.entity].sql
            let name = referrer.names[edge.position]
            _ = try session.run(
                """
                UPDATE \(referrer.table) SET \(name) = NULL WHERE \(name) IN \
                (SELECT "key" FROM \(DeletionPlan.table) WHERE "entity" = \(edge.target))
                """)
        }
    }

    private func deletion(of layout: EntityLayout) -> String {
        """
        DELETE FROM \(layout.sql.table) WHERE \(layout.sql.key) IN \
        (SELECT "key" FROM \(DeletionPlan.table) WHERE "entity" = \(layout.index))
        """
    }
}

extension Session {
    fileprivate func hasRows(_ query: String?, _ values: [StoredValue] = []) throws -> Bool {
        guard let query else { return false }
        return try !rows(query, binding: values).isEmpty
    }
}
