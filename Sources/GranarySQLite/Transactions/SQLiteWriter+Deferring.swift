import GranaryStoreKit

// SQLite counts the references that dangle while `defer_foreign_keys` is on, for all of the transaction. A part inside
// a part needs its own: where some dangled already when it began, the rows it writes are remembered and looked at one
// by one.

extension SQLiteWriter {
    struct Deferral {
        /// How many savepoints there were.
        var depth: Int
        /// Whether references of an outer part dangled when it began.
        var beganDangling: Bool
        /// What was written since, by entity, if it began dangling.
        var rows: [(entity: Int, key: StoredValue)] = []
    }

    func deferReferences() throws {
        let session = try writing()
        if deferrals.isEmpty { try session.connection.execute("PRAGMA defer_foreign_keys = ON") }
        deferrals.append(
            Deferral(depth: savepoints.count, beganDangling: session.connection.hasOutstandingReferences))
    }

    func checkReferences() throws {
        let session = try writing()
        guard let deferral = deferrals.last else { return }
        if session.connection.hasOutstandingReferences {
            if deferral.beganDangling {
                try check(deferral.rows, session)
            } else {
                throw try danglingReference(session) ?? GranaryError.dangling(of: nil)
            }
        }
        try endDeferral(session)
    }

    func endDeferral(_ session: Session) throws {
        let ended = deferrals.removeLast()
        if deferrals.isEmpty {
            try session.connection.execute("PRAGMA defer_foreign_keys = OFF")
        } else if let outer = deferrals.indices.last, deferrals[outer].beganDangling {
            deferrals[outer].rows += ended.rows
        }
    }

    /// Remembers a row that was written, where its references will have to be looked at.
    @inline(__always) func noteWritten(_ row: borrowing Row, _ layout: EntityLayout) {
        guard let last = deferrals.indices.last, deferrals[last].beganDangling, !layout.references.isEmpty else {
            return
        }
        deferrals[last].rows.append((layout.index, StoredValue(row[layout.keyPosition])))
    }

    private func check(_ rows: [(entity: Int, key: StoredValue)], _ session: Session) throws {
        for (entity, key) in rows {
            let layout = catalog.layouts[entity]
            let request = FetchRequest(
                entity: entity, condition: .compare(position: layout.keyPosition, .equal, key))
            let lease = try session.lease(.rows(request, layout, session.bounds), layout)
            defer { session.giveBack(lease, isFinished: true) }
            guard let statement = lease.statement, try statement.step() else { continue }
            try statement.loadRow()
            for reference in layout.references where !statement.cells[reference.position].isNull {
                let target = catalog.layouts[reference.target]
                let named = FetchRequest(
                    entity: target.index,
                    condition: .compare(
                        position: target.keyPosition, .equal, StoredValue(statement.cells[reference.position])))
                guard try session.value(.count(named, target, session.bounds)) == 0 else { continue }
                throw GranaryError.dangling(layout.entity, reference.position)
            }
        }
    }
}
