import CSQLite
import GranaryStoreKit

// Turns SQLite's error for a broken constraint into the error of every store. For uniqueness its message names table
// and columns ("UNIQUE constraint failed: Artist.name, Artist.born"), and names have no commas or dots. For foreign
// keys it names nothing: then the reference is searched for, only after a failure.

extension SQLiteWriter {
    /// The error for a failed insertion or update of a row.
    @inline(never) func explained(
        _ error: any Error, _ row: borrowing Row, _ layout: EntityLayout, _ session: Session
    ) -> any Error {
        var references: [(Int, StoredValue)] = []
        for reference in layout.references {
            references.append((reference.position, StoredValue(row[reference.position])))
        }
        return explained(error, layout, session, references)
    }

    /// The error for a failed change of rows that set attributes to these values.
    @inline(never) func explained(
        _ error: any Error, _ layout: EntityLayout, _ session: Session, _ values: [(Int, StoredValue)]
    ) -> any Error {
        let noted = note(error)
        guard let error = noted as? GranaryError, let cause = error.underlying,
            cause.code & 0xFF == SQLITE_CONSTRAINT
        else { return noted }
        switch cause.code {
        case granary_SQLITE_CONSTRAINT_UNIQUE, granary_SQLITE_CONSTRAINT_PRIMARYKEY, granary_SQLITE_CONSTRAINT_ROWID:
            let attributes =
                layout.sql.indexedAttributes(in: cause.message) ?? SQLiteWriter.columns(in: cause.message)
            return GranaryError.notUnique(layout.entity, attributes).causedBy(cause)
        case granary_SQLITE_CONSTRAINT_NOTNULL:
            let attribute = SQLiteWriter.columns(in: cause.message).first
            let position = layout.entity.attributes.firstIndex { $0.name == attribute } ?? layout.keyPosition
            return GranaryError.refused(.null, layout.entity, position).causedBy(cause)
        case granary_SQLITE_CONSTRAINT_FOREIGNKEY: return dangling(layout, session, values).causedBy(cause)
        case granary_SQLITE_CONSTRAINT_CHECK: return GranaryError.valueNotAllowed(layout.entity).causedBy(cause)
        default: return GranaryError.typeNotAllowed(layout.entity).causedBy(cause)
        }
    }

    /// The error for a failed deletion. `again` deletes once more, with references deferred, to find the reference that
    /// would dangle.
    @inline(never) func denied(
        _ error: any Error, _ layout: EntityLayout, _ session: Session, _ again: () throws -> Void
    ) -> any Error {
        let noted = note(error)
        guard let error = noted as? GranaryError, let cause = error.underlying,
            cause.code == granary_SQLITE_CONSTRAINT_FOREIGNKEY
        else { return noted }
        do {
            let referrer = try brokenReference(session, again)
            return GranaryError.denied(layout, by: referrer, catalog).causedBy(cause)
        } catch {
            return note(error)
        }
    }

    /// The reference that a failed statement would have left dangling. `again` runs the statement with references
    /// deferred, and is undone.
    func brokenReference(_ session: Session, _ again: () throws -> Void) throws -> (entity: Int, position: Int)? {
        let connection = session.connection
        let before = changes(session)
        var broken: (entity: Int, position: Int)?
        recorder?.beginSavepoint()
        defer { recorder?.rollbackSavepoint() }
        do {
            try connection.execute("SAVEPOINT \"granary:why\"; PRAGMA defer_foreign_keys = ON")
            try again()
            broken = try danglingPosition(session)
        } catch {}
        try connection.execute(
            "ROLLBACK TO \"granary:why\"; RELEASE \"granary:why\"; PRAGMA defer_foreign_keys = OFF")
        session.uncountedChanges += changes(session) - before
        return broken
    }

    private func dangling(
        _ layout: EntityLayout, _ session: Session, _ values: [(Int, StoredValue)]
    ) -> GranaryError {
        for (position, value) in values where value != .null {
            guard let reference = layout.references.first(where: { $0.position == position }) else { continue }
            let target = catalog.layouts[reference.target]
            let request = FetchRequest(
                entity: target.index, condition: .compare(position: target.keyPosition, .equal, value))
            guard let found = try? session.value(.count(request, target, session.bounds)), found == 0 else { continue }
            return .dangling(layout.entity, position)
        }
        return .dangling(of: layout.entity)
    }

    /// The attributes in a message of SQLite about columns.
    static func columns(in message: String) -> [String] {
        guard let colon = message.firstIndex(of: ":") else { return [] }
        return message[message.index(after: colon)...].split(separator: ",").compactMap { part in
            part.split(separator: ".", maxSplits: 1).last.map(String.init)
        }
    }
}

extension SQLiteWriter {
    /// The first dangling reference in the store, as an error.
    func danglingReference(_ session: Session) throws -> GranaryError? {
        guard let found = try danglingPosition(session) else { return nil }
        return .dangling(catalog.layouts[found.entity].entity, found.position)
    }

    /// The first record in the store, in the order of keys, with a dangling reference, as an error with its key.
    func danglingRecord(_ session: Session) throws -> GranaryError? {
        for layout in catalog.layouts {
            var first: (key: StoredValue, told: StoredValue, position: Int)?
            for reference in layout.references {
                let target = catalog.layouts[reference.target]
                let name = layout.sql.names[reference.position]
                let told = layout.sql.names[layout.entity.positionOfKeyInErrors]
                let sql = """
                    SELECT a.\(layout.sql.key), a.\(told) FROM \(layout.sql.table) AS a \
                    WHERE a.\(name) IS NOT NULL AND NOT EXISTS \
                    (SELECT 1 FROM \(target.sql.table) AS b WHERE b.\(target.sql.key) = a.\(name)) \
                    ORDER BY a.\(layout.sql.key) LIMIT 1
                    """
                guard let row = try session.connection.values(sql).first, row.count == 2 else { continue }
                if let first, !(row[0] < first.key) { continue }
                first = (row[0], row[1], reference.position)
            }
            guard let first else { continue }
            var error = GranaryError.dangling(layout.entity, first.position)
            error.key = first.told
            return error
        }
        return nil
    }

    /// Checks all references: only for errors.
    private func danglingPosition(_ session: Session) throws -> (entity: Int, position: Int)? {
        for layout in catalog.layouts {
            for reference in layout.references {
                let target = catalog.layouts[reference.target]
                let name = layout.sql.names[reference.position]
                let sql = """
                    SELECT 1 FROM \(layout.sql.table) AS a WHERE a.\(name) IS NOT NULL AND NOT EXISTS \
                    (SELECT 1 FROM \(target.sql.table) AS b WHERE b.\(target.sql.key) = a.\(name)) LIMIT 1
                    """
                if try !session.connection.values(sql).isEmpty { return (layout.index, reference.position) }
            }
        }
        return nil
    }
}

extension Connection {
    /// Whether a dangling reference is still to be checked.
    var hasOutstandingReferences: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }
}

extension GranaryError {
    /// - Parameter referrer: The reference that forbids the deletion, if it is known.
    static func denied(
        _ layout: EntityLayout, by referrer: (entity: Int, position: Int)?, _ catalog: Catalog
    ) -> GranaryError {
        guard let referrer else { return .denied(of: layout.entity) }
        return .denied(by: catalog.layouts[referrer.entity].entity, referrer.position)
    }

    func causedBy(_ cause: EngineFailure) -> GranaryError {
        causedBy(cause.engine, cause.code, cause.message)
    }
}
