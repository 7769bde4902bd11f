import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension SQLiteStore {
    static let databaseName = "db.sqlite"
    /// The version of the tables' format.
    static let format: Int32 = 1
    /// "Gran": shown by the command `file` and others.
    static let applicationID: Int32 = 0x4772_616E

    static func databasePath(in folder: String) -> String { "\(folder)/\(databaseName)" }

    static func folder(ofDatabase path: String) -> String { String(path.dropLast(databaseName.count + 1)) }

    /// Makes an empty database in a folder. Nothing is synced here: the whole folder is synced afterwards.
    static func create(in folder: String, _ schema: Schema, _ options: SQLiteOptions) throws {
        try build(in: folder, schema.forNewStore, options).close()
    }

    /// Makes an empty database in a folder, and opens it to be filled and closed by the caller alone. Nothing is
    /// synced.
    static func build(in folder: String, _ schema: Schema, _ options: SQLiteOptions) throws -> SQLiteStore {
        let path = databasePath(in: folder)
        // Made first, with mode 0600, which SQLite then also gives to the files beside it.
        _ = try OpenFile(path, .creating)
        var options = options
        options.access = .readWrite
        options.isBuilding = true
        let connection = try Connection(path: path, purpose: .building, options: options)
        defer { connection.close() }
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(format)")
        try connection.execute("BEGIN IMMEDIATE")
        for object in SchemaSQL(schema, hasChecksums: options.rowChecksums).objects {
            try connection.execute(object.sql)
        }
        try StoreMetadata(schema: schema, rowChecksums: options.rowChecksums).write(connection)
        try CommitRecord(number: 0, committer: 0).insert(connection)
        try connection.execute("COMMIT")
        return SQLiteStore(
            path: path, schema: schema, stored: schema, hasChecksums: options.rowChecksums, options: options,
            coordinator: StoreCoordinator())
    }

    /// Makes the database of a building connection use a write-ahead log from now on. No other connection has it open.
    static func switchToLog(_ connection: Connection) throws {
        guard try connection.values("PRAGMA journal_mode = WAL").first?.first == .string("wal") else {
            throw GranaryError(
                .unsupported,
                "\(connection.path) is on a file system without shared memory, which SQLite's log needs. Keep the store on a local disk."
            )
        }
    }
}
