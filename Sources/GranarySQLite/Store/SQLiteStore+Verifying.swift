import CSQLite
import GranaryStoreKit

extension SQLiteStore {
    /// Checks pages, indexes and constraints with SQLite's own check, then the schema, and each row: that it can be
    /// decoded, that its text is UTF-8, and its checksum if it has one. Reads the whole file.
    public func verify() throws -> [String] {
        let (session, home): (Session, SessionShard)
        do {
            (session, home) = try takeReadSession()
        } catch let error as GranaryError where error.code == .corrupt {
            return [error.message]
        }
        defer { home.putBack(session) }
        session.connection.cancellation.flag = LongWork.current?.cancellation
        defer { session.connection.cancellation.flag = nil }
        var faults = FaultList()
        try attempt(&faults) { faults in
            var check = IntegrityCheck(session.connection, catalog)
            for fault in try check.faults() { faults.append(fault) }
        }
        try attempt(&faults) { faults in
            let tables = Set(catalog.layouts.map { StoredValue.string($0.name) })
            let rows = try session.connection.values("PRAGMA foreign_key_check").filter { row in
                row.first.map(tables.contains) ?? false
            }
            for (number, row) in rows.enumerated() {
                // Faults beyond the limit are only counted and need no text.
                try faults.append(number < FaultList.limit ? dangling(row, session) : "")
            }
        }
        try attempt(&faults) { faults in
            for index in try StoreMetadata(session.connection).missingIndexes {
                faults.append(
                    "The index \(index.name) of the stored schema is missing. Open the store for writing, which makes it."
                )
            }
        }
        try attempt(&faults) { faults in
            // Read before the database, because other processes may be committing.
            let noted = CommitNote.number(ofDatabase: path)
            let found = try CommitRecord(session.commits.record()).number
            if let noted, noted > found {
                faults.append(
                    "The newest commits are missing: \(noted) were made, and the database has \(found). Its log was damaged, or it was replaced by an older copy. Restore it from a backup, or make what is missing again."
                )
            }
        }
        try attempt(&faults) { _ in try verifyHistory(session) }
        for layout in catalog.layouts where layout.isAssigned {
            try attempt(&faults) { faults in
                let key = try session.connection.values("SELECT max(\(layout.sql.key)) FROM \(layout.sql.table)").first?
                    .first
                guard case .integer(let greatest)? = key, greatest > (try session.lastAssignedKey(layout)) else {
                    return
                }
                faults.append(layout.entity.counterFault)
            }
        }
        var counter = RecordCounter {
            catalog.layouts.reduce(0) { sum, layout in
                let rows = try? session.connection.values("SELECT count(*) FROM \(layout.sql.table)")
                guard case .integer(let count)? = rows?.first?.first else { return sum }
                return sum + Int(clamping: count)
            }
        }
        for table in session.tables {
            try attempt(&faults) { faults in try verify(table.layout, session, &counter, &faults) }
        }
        if let last = catalog.layouts.last { try counter.tell(last.entity) }
        session.endStatements()
        return faults.lines
    }

    public func rebuildIndexes() throws {
        try pauseWriting()
        defer { giveTurn() }
        let session = try writeSession()
        let connection = session.connection
        do {
            try connection.changing(busyAfter: options.busySeconds) {
                try connection.endingWhenCancelled { try makeIndexesAnew(connection) }
            }
        } catch {
            // A connection that could not be rolled back is not used again.
            if !connection.isInAutocommit { dropWriteSession(session) }
            throw SQLiteStore.rebuildingFailure(error)
        }
    }

    /// Makes all indexes again in a transaction that has begun.
    private func makeIndexesAnew(_ connection: Connection) throws {
        // Another program may have dropped some while the store is open.
        _ = try connection.makeMissingIndexes()
        // Only of its own tables: an index of another program may need a function of that program. With `main` before
        // it, the name is not taken for that of a collation.
        let isFollowed = LongWork.current?.onProgress != nil
        var counter = try RecordCounter {
            try catalog.layouts.reduce(0) { try $0 + SQLiteStore.entries(of: $1, connection) }
        }
        for layout in catalog.layouts {
            try counter.tell(layout.entity)
            try connection.execute("REINDEX main.\(layout.sql.table)")
            if isFollowed { try counter.count(SQLiteStore.entries(of: layout, connection), of: layout.entity) }
        }
    }

    /// The total number of entries in the indexes of a table.
    private static func entries(of layout: EntityLayout, _ connection: Connection) throws -> Int {
        guard !layout.entity.indexes.isEmpty,
            case .integer(let rows)? = try connection.values("SELECT count(*) FROM \(layout.sql.table)").first?.first
        else { return 0 }
        return Int(clamping: rows) * layout.entity.indexes.count
    }

    /// The error for the caller if indexes cannot be made.
    private static func rebuildingFailure(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError, error.code != .uniqueness,
            error.underlying.map({ $0.code & 0xFF == SQLITE_CONSTRAINT }) ?? false
        else { return error }
        var named = error
        named.code = .uniqueness
        named.message =
            "Records do not have the uniqueness that an index asks for, so that it cannot be made anew. Run verify, and make their values differ."
        return named
    }

    /// The meaning of a row of `PRAGMA foreign_key_check`: the table, the row's number, the target table, and the
    /// number of the table's foreign key.
    private func dangling(_ row: [StoredValue], _ session: Session) throws -> String {
        guard row.count > 3, case .text(let table) = row[0], case .text(let parent) = row[2],
            case .integer(let foreignKey) = row[3]
        else { return "A reference leads to no record." }
        let (name, target) = (String(decoding: table, as: UTF8.self), String(decoding: parent, as: UTF8.self))
        let keys = try session.connection.values("PRAGMA foreign_key_list(\(EntitySQL.quoted(name)))")
        guard case .text(let column)? = keys.first(where: { $0.first == .integer(foreignKey) })?.dropFirst(3).first,
            let layout = catalog.layouts.first(where: { $0.name == name }),
            let referred = catalog.layouts.first(where: { $0.name == target }),
            let position = layout.entity.attributes.firstIndex(where: { $0.name.utf8.elementsEqual(column) })
        else { return "\(name) refers to a record of \(target) that does not exist" }
        var told: StoredValue?
        // A table without row numbers gives none.
        if case .integer(let number) = row[1] {
            let key = layout.sql.names[layout.entity.positionOfKeyInErrors]
            told = try session.connection.values("SELECT \(key) FROM \(layout.sql.table) WHERE rowid = \(number)")
                .first?.first
        }
        return layout.entity.danglingFault(at: position, ofKey: told, to: referred.entity)
    }

    /// Runs a part of the check. Its error becomes a fault, unless it ends the whole check.
    private func attempt(_ faults: inout FaultList, _ body: (inout FaultList) throws -> Void) throws {
        do {
            try body(&faults)
        } catch let error as GranaryError {
            if error.code == .cancelled { throw error }
            // If one damaged file makes several parts fail, they give the same message.
            faults.appendOnce(error.message)
        } catch {
            faults.append("\(error)")
        }
    }

    private func verifyHistory(_ session: Session) throws {
        guard try session.hasHistory() else { return }
        var last: Int64 = -1
        while let entry = try session.history(after: last, limit: 100).last { last = Int64(clamping: entry.number) }
    }

    private func verify(
        _ layout: EntityLayout, _ session: Session, _ counter: inout RecordCounter, _ faults: inout FaultList
    ) throws {
        let lease = try session.lease(.rows(FetchRequest(entity: layout.index), layout, session.bounds), layout)
        defer { session.giveBack(lease, isFinished: true) }
        guard let statement = lease.statement else { return }
        let rules = layout.entity.attributes.map(ContentRule.init)
        var number = 0
        while try statement.step() {
            number += 1
            try counter.count(layout.entity)
            do {
                try statement.loadRow()
                for position in rules.indices where !rules[position].holds(statement.cells[position]) {
                    faults.append(
                        layout.entity.fault(
                            at: position, ofRow: number, isNull: statement.cells[position].kind == .null))
                }
            } catch let error as GranaryError {
                faults.append("\(layout.entity.path): row \(number): \(error.message)")
            }
        }
    }
}
