import GranaryStoreKit

extension SQLiteStore: SQLExecuting {
    package func execute(sql: String) throws {
        try takeTurn()
        defer { giveTurn() }
        let connection = try writeSession().connection
        try connection.changing(busyAfter: options.busySeconds) {
            try connection.execute(sql)
            // The tables and indexes must still be those of the schema, and nothing else may exist.
            _ = try StoreMetadata(connection, isStrict: true)
        }
    }
}
