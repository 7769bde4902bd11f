internal import CSQLite
import GranaryCore

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
        let statement = try table.statement(kind)
        try statement.bind(row, of: layout)
        let key = row[layout.keyPosition]
        let makesKey = layout.isAssigned && key.integerValue == 0
        if layout.isAssigned { try prepareKey(key, makesKey, statement, layout, session) }
        if layout.hasChecksum { try bindChecksum(row, statement, layout) }
        do {
            try statement.run()
        } catch {
            throw explained(error, row, layout, session)
        }
        noteWritten(row, layout)
        guard makesKey else { return nil }
        let made = sqlite3_last_insert_rowid(session.connection.handle)
        if layout.hasChecksum { try setChecksum(statement, key: made, table) }
        return made
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let session = try writable()
        let table = try session.table(entity)
        let layout = table.layout
        let statement = try table.statement(.update)
        try statement.bind(row, of: layout)
        if layout.hasChecksum { try bindChecksum(row, statement, layout) }
        do {
            try statement.run()
        } catch {
            throw explained(error, row, layout, session)
        }
        noteWritten(row, layout)
        return session.connection.changes > 0
    }
}

// Keys that SQLite makes. It answers SQLITE_FULL after the last there can be, and with that has rolled the transaction
// back: so it is found out before. `sqlite_sequence` is asked once a transaction, unless keys are near the end.
extension SQLiteWriter {
    private static let nearEnd = Int64.max - (1 << 40)

    private func prepareKey(
        _ key: Cell, _ makesKey: Bool, _ statement: Statement, _ layout: EntityLayout, _ session: Session
    ) throws {
        guard makesKey else {
            if key.integerValue > SQLiteWriter.nearEnd { nearsLastKey[layout.index] = true }
            return
        }
        if nearsLastKey[layout.index] ?? true {
            let last = try lastKey(layout, session)
            nearsLastKey[layout.index] = last > SQLiteWriter.nearEnd
            guard last < Int64.max else {
                throw GranaryError(
                    .limit, "\(layout.name) has no key left: its last is the greatest there is. Give keys yourself.",
                    entity: layout.name, attributes: [layout.entity.key])
            }
        }
        try statement.bind(.null, at: Int32(layout.keyPosition + 1))
    }

    private func lastKey(_ layout: EntityLayout, _ session: Session) throws -> Int64 {
        let statement = try Statement(session.connection, "SELECT seq FROM sqlite_sequence WHERE name = ?1")
        defer { statement.finalize() }
        try statement.bind(copying: .string(layout.name), at: 1)
        return try statement.step() ? statement.cell(at: 0).integerValue : 0
    }
}

extension SQLiteWriter {
    /// Binds the checksum behind the attributes. The statement's own buffer holds the cells meanwhile.
    func bindChecksum(_ row: borrowing Row, _ statement: Statement, _ layout: EntityLayout) throws {
        for position in 0..<layout.count { statement.cells[position] = row[position] }
        try statement.bind(.integer(layout.checksum(of: statement.cells)), at: Int32(layout.count + 1))
    }

    /// The checksum of a row whose key was made on inserting it; the row is in the statement's buffer.
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
