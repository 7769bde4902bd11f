import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension SQLiteStore {
    /// Opens the database in a folder for a schema of the same meaning as the stored one, or one to which a policy lets the
    /// store be migrated; or for the stored schema, if there is no other. Where records are to be rewritten next, the store
    /// has the stored schema: the caller makes new files. Indexes that the stored schema has and the database lacks are made,
    /// if it is opened for writing.
    ///
    /// - Throws: `uniqueness` if such an index cannot be made; `schemaMismatch`, `notAStore`, `newerFormat`, `corrupt`, `busy`, `permissionDenied`, `io`.
    static func open(
        in folder: String, _ schema: Schema?, _ options: SQLiteOptions, _ policy: MigrationPolicy,
        coordinator: StoreCoordinator = StoreCoordinator()
    ) throws -> SQLiteStore {
        let path = databasePath(in: folder)
        try requireFiles(path)
        var found = try FoundDatabase(path, options)
        if options.access == .readWrite, !found.metadata.missingIndexes.isEmpty {
            try found.change { try makeMissingIndexes(path, options) }
        }
        var schema = schema
        while let target = schema,
            let migration = try SchemaMigration(
                from: found.metadata.schema, to: target, policy, access: options.access)
        {
            if migration.isInstant {
                try found.change { try migrate(path, to: target, options, policy) }
            } else {
                schema = nil
            }
        }
        if let schema, options.access == .readWrite, policy.mayMigrate,
            found.metadata.schema.declaringRelationships(of: schema) != nil
        {
            try found.change { try writeRelationships(of: schema, path, options) }
        }
        let metadata = found.metadata
        if options.access == .readWrite, !metadata.droppedIndexes.isEmpty { LongWork.current?.noteDroppedIndexes() }
        let store = SQLiteStore(
            path: path, schema: schema?.adoptingIDs(from: metadata.schema) ?? metadata.schema, stored: metadata.schema,
            hasChecksums: metadata.rowChecksums, options: options, coordinator: coordinator)
        if let connection = found.takeConnection() { store.keepForReading(connection) }
        return store
    }

    /// Refuses a database that does not exist, and what is not a file in the place of one of its files: SQLite would wait for ever
    /// for the other end of a FIFO.
    private static func requireFiles(_ path: String) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let kind = try FileSystem.status(path + suffix)?.kind
            // SQLite refuses a link to the database itself.
            let isRight = kind == .file || (suffix.isEmpty ? kind == .symbolicLink : kind == nil)
            guard isRight else { throw GranaryError.damagedFile(path + suffix) }
        }
    }
}

/// A database that is being opened: what it says of itself, and the connection that has read it.
private struct FoundDatabase: ~Copyable {
    private let path: String
    private let options: SQLiteOptions
    private(set) var metadata: StoreMetadata
    private var connection: Connection?

    init(_ path: String, _ options: SQLiteOptions) throws {
        (self.path, self.options) = (path, options)
        (metadata, connection) = try FoundDatabase.read(path, options)
    }

    deinit { connection?.close() }

    /// Gives the connection away: the caller closes it. Nil if it was given away before.
    mutating func takeConnection() -> Connection? {
        defer { connection = nil }
        return connection
    }

    /// Runs what changes the database through a connection of its own.
    ///
    /// - Throws: What the body throws; `commitOutcomeUnknown` if the database is changed and cannot be read again.
    mutating func change(_ body: () throws -> Void) throws {
        takeConnection()?.close()
        try body()
        do {
            (metadata, connection) = try FoundDatabase.read(path, options)
        } catch {
            let folder = SQLiteStore.folder(ofDatabase: path)
            throw GranaryError.migrated(at: folder, butNotOpened: error)
        }
    }

    private static func read(_ path: String, _ options: SQLiteOptions) throws -> (StoreMetadata, Connection) {
        // A connection that reads: one that writes would make a database of an empty file.
        let connection = try Connection(path: path, purpose: .reading, options: options)
        do {
            let metadata = try StoreMetadata(connection)
            lookForMissingCommits(connection)
            return (metadata, connection)
        } catch {
            connection.close()
            throw error
        }
    }

    /// Notes how many commits the store lacks, for the work that opens it. A record of commits that cannot be read is passed
    /// over here: the next read reports it.
    private static func lookForMissingCommits(_ connection: Connection) {
        guard let work = LongWork.current, let noted = CommitNote.number(ofDatabase: connection.path),
            let statement = try? Statement(connection, CommitRecord.query)
        else { return }
        defer { statement.finalize() }
        // Others that commit meanwhile only make it greater.
        guard let found = try? CommitRecord(statement).number, noted > found else { return }
        work.note(missingCommits: noted - found)
    }
}
