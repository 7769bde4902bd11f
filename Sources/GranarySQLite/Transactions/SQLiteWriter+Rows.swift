import CSQLite
import GranaryStoreKit

extension SQLiteWriter {
    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try write(row, .insert, entity)
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try write(row, .upsert, entity)
    }

    private func write(_ row: borrowing Row, _ kind: EntityStatements.Kind, _ entity: Int) throws -> Int64? {
        let session = try writable()
        let table = try session.table(entity)
        let layout = table.layout
        let key = row[layout.keyPosition]
        let makesKey = layout.isAssigned && key.integerValue == 0
        let statement = try table.statement(kind)
        try statement.bind(row, of: layout)
        if kind == .upsert, !makesKey, isFirst(session), try holds(row, table) { return nil }
        if layout.isAssigned { try prepareKey(key, statement, layout, session) }
        if layout.hasChecksum { try bindChecksum(row, statement, layout) }
        do {
            try noting(session) { try statement.run() }
        } catch {
            throw explained(error, row, layout, session)
        }
        noteWritten(row, layout)
        guard layout.isAssigned else { return nil }
        guard makesKey else {
            noteKey(key.integerValue, of: layout)
            return nil
        }
        let made = sqlite3_last_insert_rowid(session.connection.handle)
        noteKey(made, of: layout)
        if layout.hasChecksum { try setChecksum(statement, key: made, table) }
        return made
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let session = try writable()
        let table = try session.table(entity)
        let layout = table.layout
        let statement = try table.statement(.update)
        try statement.bind(row, of: layout)
        if isFirst(session), try holds(row, table) { return true }
        if layout.hasChecksum { try bindChecksum(row, statement, layout) }
        do {
            try noting(session) { try statement.run() }
        } catch {
            throw explained(error, row, layout, session)
        }
        noteWritten(row, layout)
        return session.connection.changes > 0
    }
}

extension SQLiteWriter {
    /// Binds the checksum after the attributes. The statement's own buffer holds the cells during this.
    func bindChecksum(_ row: borrowing Row, _ statement: Statement, _ layout: EntityLayout) throws {
        for position in 0..<layout.count { statement.cells[position] = row[position] }
        try statement.bind(.integer(layout.checksum(of: statement.cells)), at: Int32(layout.count + 1))
    }

    /// Sets the checksum of a row whose key was made when it was inserted; the row is in the statement's buffer.
    private func setChecksum(_ statement: Statement, key: Int64, _ table: EntityStatements) throws {
        statement.cells[table.layout.keyPosition] = .integer(key)
        let setting = try table.statement(.setChecksum)
        try setting.bind(.integer(table.layout.checksum(of: statement.cells)), at: 1)
        try setting.bind(.integer(key), at: 2)
        do {
            try setting.run()
        } catch {
            throw note(error)
        }
    }
}
