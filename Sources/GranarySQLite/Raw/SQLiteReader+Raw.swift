import CSQLite
import GranaryStoreKit

extension SQLiteReader {
    /// Calls a closure with the statement at each of its rows.
    func forEachRaw(
        _ sql: SQL, columns: (_ names: [String]) throws -> Void, _ body: (Statement) throws -> Void
    ) throws {
        let (statement, _) = try live().prepareRaw(sql, .reading)
        defer { statement.finalize() }
        try columns(
            (0..<sqlite3_column_count(statement.handle)).map { column in
                sqlite3_column_name(statement.handle, column).map { String(cString: $0) } ?? ""
            })
        while true {
            if let cancellation, cancellation.isSet { throw GranaryError.readCancelled }
            do {
                guard try statement.step() else { return }
            } catch {
                throw Session.explainedRaw(error)
            }
            try body(statement)
        }
    }

    func rawRows(_ sql: SQL) throws -> [SQLRow] {
        var names: [String] = []
        var rows: [SQLRow] = []
        try forEachRaw(sql, columns: { names = $0 }) { statement in
            let values = names.indices.map { StoredValue(statement.cell(at: Int32($0))) }
            rows.append(SQLRow(columns: names, values: values))
        }
        return rows
    }

    /// The first column of the first row; nil if there is no row, or the value is NULL.
    func rawValue<Value: AttributeValue>(_ sql: SQL, as type: Value.Type) throws -> Value? {
        var name = ""
        var found: StoredValue?
        do {
            try forEachRaw(
                sql,
                columns: { names in
                    guard let first = names.first, names.count == 1 else {
                        throw Session.invalid(
                            "The statement has \(names.count) columns, not one. Select one, or use rows.")
                    }
                    name = first
                },
                { statement in
                    found = StoredValue(statement.cell(at: 0))
                    throw FirstRow()
                })
        } catch is FirstRow {}
        guard let found, found != .null else { return nil }
        return try SQLRow(columns: [name], values: [found]).value(at: 0, as: type)
    }

    /// Stops reading rows.
    private struct FirstRow: Error {}

    /// The rows as records of an entity. Its attributes are found by name among the columns.
    func rawRecords<R: Record>(_ type: R.Type, _ sql: SQL, _ engine: EngineAccess) throws -> [R] {
        let entity = try engine.entity(of: type)
        let layout = try live().table(entity).layout
        let cells = UnsafeMutablePointer<Cell>.allocate(capacity: layout.count)
        cells.initialize(repeating: .null, count: layout.count)
        defer { cells.deallocate() }
        var places: [Int32] = []
        var records: [R] = []
        try forEachRaw(
            sql,
            columns: { names in
                places = try layout.entity.attributes.map { attribute in
                    do {
                        return Int32(try names.position(ofColumn: attribute.name))
                    } catch let error as GranaryError {
                        throw error.about(layout.entity, attribute.name)
                    }
                }
            },
            { statement in
                for position in 0..<layout.count {
                    cells[position] = statement.cell(at: places[position])
                    try layout.check(cells[position], at: position)
                }
                let row = Row(cells: UnsafePointer(cells), count: layout.count)
                records.append(try engine.record(type, of: entity, from: row))
            })
        return records
    }
}
