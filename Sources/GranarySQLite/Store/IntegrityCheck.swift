import GranaryStoreKit

// For a table without row identifiers whose key is the last column, SQLite 3.40 wrongly reports in each row that the
// first column is NULL. So lines about NULL are compared with the rows.
//
// Wrong lines also count towards the greatest number of lines of `PRAGMA integrity_check`. If they have used it up, the
// check runs a second time with a number that is never reached. SQLite collects all lines about pages and returns them
// first: there are fewer than the limit of the first run, because lines about rows followed them. Lines about rows are
// returned one at a time.

/// SQLite's own check of a database, without wrong lines.
struct IntegrityCheck {
    private let connection: Connection
    private let catalog: Catalog
    /// Whether a column really has a NULL, by the line about it.
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

    /// - Returns: The faults, and whether SQLite gave the greatest allowed number of lines. Damage that ends the check
    ///   is the last fault.
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
            // A row may contain several lines, below a heading that names the database.
            for line in String(decoding: utf8, as: UTF8.self).split(separator: "\n")
            where line != "ok" && !line.hasPrefix("*** in ") {
                count += 1
                if try !refutes(line) { faults.append(String(line)) }
            }
        }
        return (faults, count >= limit)
    }

    /// Whether a line wrongly says that a column has a NULL.
    private mutating func refutes(_ line: Substring) throws -> Bool {
        let start = "NULL value in "
        guard line.hasPrefix(start) else { return false }
        if let hasNull = known[line] { return !hasNull }
        let names = line.dropFirst(start.count).split(separator: ".", maxSplits: 1)
        guard names.count == 2, let layout = catalog.layouts.first(where: { $0.name == names[0] }),
            let position = layout.entity.attributes.firstIndex(where: { $0.name == names[1] })
        else { return false }
        // SQLite would not evaluate `IS NULL`, because the column is declared NOT NULL.
        let column = layout.sql.names[position]
        let hasNull = try !connection.values(
            "SELECT 1 FROM \(layout.sql.table) WHERE typeof(\(column)) = 'null' LIMIT 1"
        ).isEmpty
        known[line] = hasNull
        return !hasNull
    }
}
