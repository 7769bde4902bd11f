import GranaryStoreKit

// While `defer_foreign_keys` is on, SQLite counts dangling references for the whole transaction. A part inside a part
// needs its own count: if some references dangled when it began, the rows that it writes are noted and checked one by
// one.

extension SQLiteWriter {
    struct Deferral {
        /// The number of savepoints when it began.
        var depth: Int
        /// Whether references of an outer part dangled when it began.
        var beganDangling: Bool
        /// The rows written since, by entity, if it began with dangling references.
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

    /// Notes a written row if its references must be checked later.
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
