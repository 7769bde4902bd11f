import GranaryStoreKit

// SQLite 3.40 says of a table without row identifiers whose key is the last column that its first column is NULL, in each row.
// A line about NULL is therefore compared with the rows.
//
// The lines that are wrong count as well towards the number of lines that `PRAGMA integrity_check` gives at most. If they used
// it up, the check runs a second time with a number that is never reached. SQLite keeps all lines about pages at once, and
// gives them first: there are fewer than the limit of the first run, as lines about rows followed them. Lines about rows are
// given one at a time.

/// SQLite's own check of a database, without the lines that are wrong.
struct IntegrityCheck {
    private let connection: Connection
    private let catalog: Catalog
    /// Whether a column has a NULL, by the line about it.
    private var known: [Substring: Bool] = [:]

    init(_ connection: Connection, _ catalog: Catalog) {
        self.connection = connection
        self.catalog = catalog
    }

    /// At most ``FaultList/limit`` faults. They name pages, tables, indexes and row numbers, not values.
    mutating func faults() throws -> [String] {
        let first = try run(lines: FaultList.limit)
        guard first.isFull, first.faults.count < FaultList.limit else { return first.faults }
        return try run(lines: Int(Int32.max)).faults
    }

    /// - Returns: The faults, and whether SQLite gave as many lines as it was allowed to. Damage that ends the check is the last
    ///   fault.
    private mutating func run(lines limit: Int) throws -> (faults: [String], isFull: Bool) {
        let statement = try Statement(connection, "PRAGMA integrity_check(\(limit))")
        defer { statement.finalize() }
        var (faults, count): ([String], Int) = ([], 0)
        while faults.count < FaultList.limit {
            do {
                guard try statement.step() else { break }
            } catch let error as GranaryError where error.code == .corrupt {
                faults.append(error.message)
                break
            }
            guard case .text(let utf8) = StoredValue(statement.cell(at: 0)) else { continue }
            // One row may have several lines, below a heading that names the database.
            for line in String(decoding: utf8, as: UTF8.self).split(separator: "\n")
            where line != "ok" && !line.hasPrefix("*** in ") {
                count += 1
                if try !refutes(line) { faults.append(String(line)) }
            }
        }
        return (faults, count >= limit)
    }

    /// Whether a line says that a column has a NULL that has none.
    private mutating func refutes(_ line: Substring) throws -> Bool {
        let start = "NULL value in "
        guard line.hasPrefix(start) else { return false }
        if let hasNull = known[line] { return !hasNull }
        let names = line.dropFirst(start.count).split(separator: ".", maxSplits: 1)
        guard names.count == 2, let layout = catalog.layouts.first(where: { $0.name == names[0] }),
            let position = layout.entity.attributes.firstIndex(where: { $0.name == names[1] })
        else { return false }
        // `IS NULL` would not be computed: the column is declared NOT NULL.
        let column = layout.sql.names[position]
        let hasNull = try !connection.values(
            "SELECT 1 FROM \(layout.sql.table) WHERE typeof(\(column)) = 'null' LIMIT 1"
        ).isEmpty
        known[line] = hasNull
        return !hasNull
    }
}
