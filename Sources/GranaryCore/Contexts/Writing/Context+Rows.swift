import GranaryStoreKit

// Rows that are in cells already, as an import has them: written without a `StoredValue` for each cell.
extension Context {
    /// Adds a record. Returns the key if the store assigned one.
    package func insert(row: borrowing Row, into entity: Int) throws -> Int64? {
        try checkOpen()
        do {
            let assigned = try writer.insert(row, into: entity)
            noteWritten()
            return assigned
        } catch { throw explained(error, row, entity) }
    }

    /// Replaces the record with the same key. Returns false, having done nothing, if no record has the key.
    package func update(row: borrowing Row, in entity: Int) throws -> Bool {
        try checkOpen()
        guard hasVersions, schema.entities[entity].version != nil || types.creationTime(of: entity) != nil else {
            do {
                let isThere = try writer.update(row, in: entity)
                if isThere { noteWritten() }
                return isThere
            } catch { throw explained(error, row, entity) }
        }
        rowWriter.pointee.reset(count: row.count)
        for position in 0..<row.count { try rowWriter.pointee.setCopy(of: row[position], at: position) }
        try takeVersion(entity)
        return try rowWriter.pointee.withRow { row in
            do {
                let isThere = try writer.update(row, in: entity)
                if isThere { noteWritten() }
                return isThere
            } catch { throw explained(error, row, entity) }
        }
    }

    /// The row of a record as it is now; nil if there is none.
    func storedRow(_ key: StoredValue, in entity: Int) throws -> StoredRow? {
        try key.withCell { key in
            guard let row = try writer.find(key, in: entity) else { return nil }
            return StoredRow(row)
        }
    }

    /// Replaces the record with the same key by this row as it is: its version is neither compared nor raised.
    func overwrite(with row: StoredRow, in entity: Int) throws {
        try row.withRow { (row: borrowing Row) throws in
            do {
                if try writer.update(row, in: entity) { noteWritten() }
            } catch { throw explained(error, row, entity) }
        }
    }
}
