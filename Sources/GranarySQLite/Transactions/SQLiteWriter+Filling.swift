import CSQLite
import GranaryStoreKit

// Indexes are dropped before the rows are added and made afterwards, which sorts them once. Foreign keys are not
// checked during this: rows may refer to later rows.

extension SQLiteWriter {
    func beginFilling() throws {
        let session = try writable()
        let connection = session.connection
        do {
            session.endStatements()
            try enforceForeignKeys(false, connection)
            for object in SchemaSQL(schema, hasChecksums: catalog.hasChecksums).objects where object.type == "index" {
                try connection.execute("DROP INDEX IF EXISTS \(EntitySQL.quoted(object.name))")
            }
            for layout in catalog.layouts { try connection.execute("DELETE FROM \(layout.sql.table)") }
            if try session.hasHistory() { try connection.execute("DELETE FROM \"granary:history\"") }
        } catch {
            throw note(error)
        }
    }

    func append(_ row: borrowing Row, to entity: Int) throws {
        let session = try writable()
        let table = try session.table(entity)
        let statement = try table.statement(.insert)
        try statement.bind(row, of: table.layout)
        if table.layout.hasChecksum { try bindChecksum(row, statement, table.layout) }
        do {
            try statement.run()
        } catch {
            throw explained(error, row, table.layout, session)
        }
    }

    func finishFilling(_ end: FillingEnd) throws {
        let session = try writable()
        let connection = session.connection
        do {
            connection.cancellation.flag = LongWork.current?.cancellation
            connection.watchSteps()
            defer { connection.stopWatchingSteps() }
            try LongWork.checkCancellation()
            session.endStatements()
            let objects = Dictionary(
                SchemaSQL(schema, hasChecksums: catalog.hasChecksums).objects.map { ($0.name, $0) },
                uniquingKeysWith: { first, _ in first })
            for entity in schema.entities {
                for index in entity.indexes {
                    guard let object = objects[SchemaSQL.name(of: index, in: entity)] else { continue }
                    try connection.createIndex(object, index, of: entity)
                }
            }
            if end.checksReferences, let dangling = try danglingRecord(session) { throw dangling }
            for layout in catalog.layouts where layout.isAssigned {
                guard end.lastAssignedKeys.indices.contains(layout.index) else { continue }
                try raiseLastKey(of: layout, to: end.lastAssignedKeys[layout.index], session)
                coordinator.noteAssignedKey(try session.lastAssignedKey(layout), of: layout.index)
            }
            try enforceForeignKeys(true, connection)
            filledNumber = end.transactionNumber
        } catch {
            let failure = note(error)
            if (failure as? GranaryError)?.code == .cancelled { try LongWork.checkCancellation() }
            throw failure
        }
    }
}

extension SQLiteWriter {
    /// Switches foreign keys off or on. If that fails, the transaction can only be ended: references would not be
    /// checked.
    func enforceForeignKeys(_ isOn: Bool, _ connection: Connection) throws {
        do {
            try connection.set(SQLITE_DBCONFIG_ENABLE_FKEY, isOn)
        } catch let error as GranaryError {
            failure = error
            throw error
        }
        enforcesForeignKeys = isOn
    }
}
