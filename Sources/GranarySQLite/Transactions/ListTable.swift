import GranaryStoreKit

/// Lists too long for parameters: rows of a temporary table, which is in memory and private to the connection.
final class ListTable {
    private let connection: Connection
    private var lastList: Int64 = 0
    /// Whether it was made in this transaction. It may have disappeared since, with a savepoint that was rolled back.
    // Read and set as a whole, by one thread, so accesses never overlap.
    @exclusivity(unchecked) private(set) var wasMade = false

    init(_ connection: Connection) { self.connection = connection }

    /// Makes the table, if it does not exist.
    func make() throws {
        // Checked each time: the table disappears when the savepoint in which it was made is rolled back.
        try connection.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS "granary:list" \
            ("list" INTEGER, "value", PRIMARY KEY ("list", "value")) WITHOUT ROWID
            """)
        wasMade = true
    }

    /// Puts lists into the existing table, and returns their numbers.
    func fill(_ lists: [[StoredValue]]) throws -> [Int64] {
        let insert = try Statement(connection, "INSERT INTO temp.\"granary:list\" VALUES (?1, ?2)")
        defer { insert.finalize() }
        var numbers: [Int64] = []
        for list in lists {
            lastList += 1
            numbers.append(lastList)
            for value in list {
                try insert.bind(.integer(lastList), at: 1)
                try value.withCell {
                    try insert.bind($0, at: 2)
                    try insert.run()
                }
            }
        }
        return numbers
    }

    func remove(_ numbers: [Int64]) throws {
        for list in numbers { try connection.execute("DELETE FROM temp.\"granary:list\" WHERE \"list\" = \(list)") }
    }

    /// Called after the transaction, when none of its lists is needed.
    func drop() {
        guard wasMade else { return }
        wasMade = false
        try? connection.execute("DROP TABLE IF EXISTS temp.\"granary:list\"")
    }
}
