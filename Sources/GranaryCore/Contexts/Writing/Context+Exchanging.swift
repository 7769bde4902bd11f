// Uniqueness holds at the end of a call, not within it: records of one call may exchange unique values, and `updateAll`
// may shift them. Stores check row by row, which is quick and nearly always enough. Only if that fails, the call runs a
// second time, and the records that get other unique values first get placeholders.

extension Context {
    /// Runs a call that writes several records. If it fails with `uniqueness`, puts placeholders in the records and
    /// runs it again.
    ///
    /// - Parameter rows: The new records, with their entities.
    func exchanging<T>(
        _ rows: () throws -> [(entity: Int, row: StoredRow)], _ body: () throws -> T
    ) throws -> T {
        do {
            return try body()
        } catch let error as GranaryError where error.code == .uniqueness {
            let rows = try rows()
            guard rows.count > 1 else { throw error }
            return try deferringReferences {
                for (entity, row) in rows { try putPlaceholders(before: row, entity) }
                return try body()
            }
        }
    }

    /// A record as it would be written.
    func row<R: Record>(of record: R, _ entity: Int) throws -> StoredRow {
        try encode(record, entity)
        return rowWriter.pointee.withRow { StoredRow($0) }
    }

    /// The second attempt of `updateAll`: all records get placeholders before any record gets its values.
    func updateAllWithPlaceholders(_ request: FetchRequest, _ values: [Assignment], _ entity: Entity) throws -> Int {
        // Pending changes need no placeholders. A placeholder would hide which attributes are changed by additions
        // alone.
        if let overlay = writer as? Overlay {
            return try overlay.updateAll(request, setting: values, checkingAtEnd: true)
        }
        var rows: [StoredRow] = []
        let cursor = try writer.rows(request)
        while let row = try cursor.next() { rows.append(try entity.applying(values, to: StoredRow(row))) }
        rows.sort { $0.value(at: entity.keyPosition) < $1.value(at: entity.keyPosition) }
        do {
            return try deferringReferences {
                for row in rows { try putPlaceholders(before: row, request.entity) }
                for row in rows { _ = try row.withRow { try writer.update($0, in: request.entity) } }
                return rows.count
            }
        } catch let error as GranaryError where error.code == .uniqueness {
            try throwDanglingReference(of: rows, in: request.entity)
            throw error
        }
    }

    // An engine may check uniqueness at each record, and references at the end of a statement. Every store reports the
    // error of the first record, by key, that breaks a rule.

    /// Writes records one after the other, and takes everything back.
    ///
    /// - Throws: `danglingReference` if that is the first rule that the records break.
    private func throwDanglingReference(of rows: [StoredRow], in entity: Int) throws {
        struct Undone: Error {}
        do {
            try savepoint {
                for row in rows { _ = try row.withRow { try writer.update($0, in: entity) } }
                throw Undone()
            }
        } catch let error as GranaryError where error.code == .danglingReference {
            throw error
        } catch {}
    }

    /// Puts placeholders for the unique values of a record that differ from those of `row`. Returns whether it put any.
    @discardableResult package func putPlaceholders(before row: StoredRow, _ entity: Int) throws -> Bool {
        let described = schema.entities[entity]
        let old: StoredRow? = try row.withRow { (row: borrowing Row) throws in
            guard let old = try writer.find(row[described.keyPosition], in: entity) else { return nil }
            return StoredRow(old)
        }
        guard let old else { return false }
        // Another record may have the placeholder by chance if the type has few values.
        for _ in 0..<10 {
            guard let interim = described.withPlaceholders(in: old, differingFrom: row) else { return false }
            do {
                _ = try interim.withRow { try writer.update($0, in: entity) }
                return true
            } catch let error as GranaryError where error.code == .uniqueness {}
        }
        return false
    }
}
