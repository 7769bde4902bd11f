import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension SQLiteStore {
    /// Opens the database in a folder for a schema with the same meaning as the stored one, or for one to which the
    /// policy allows a migration, or for the stored schema if no other is given. If the next migration stage rewrites
    /// records, the returned store has the stored schema, and the caller makes new files. Missing indexes of the stored
    /// schema are made if the database is opened for writing.
    ///
    /// - Throws: `uniqueness` if such an index cannot be made; `schemaMismatch`, `notAStore`, `newerFormat`, `corrupt`,
    ///   `busy`, `permissionDenied`, `io`.
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
        if let connection = found.takeConnection() { store.sessions.keep(connection) }
        return store
    }

    /// Refuses a database that does not exist, and anything but a regular file in the place of its files: SQLite would
    /// wait for ever for the other end of a FIFO.
    private static func requireFiles(_ path: String) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let kind = try FileSystem.status(path + suffix)?.kind
            // SQLite itself refuses a link to the database.
            let isRight = kind == .file || (suffix.isEmpty ? kind == .symbolicLink : kind == nil)
            guard isRight else { throw GranaryError.damagedFile(path + suffix) }
        }
    }
}

/// A database that is being opened: its metadata, and the connection that has read them.
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

    /// Passes the connection to the caller, who closes it. Nil if it was passed on before.
    mutating func takeConnection() -> Connection? {
        defer { connection = nil }
        return connection
    }

    /// Runs a change of the database through a separate connection.
    ///
    /// - Throws: The error of the body; `commitOutcomeUnknown` if the database is changed and cannot be read again.
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
        // A reading connection: a writing one would make a database of an empty file.
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

    /// Notes how many commits the store lacks, for the work that opens it. If the record of commits cannot be read,
    /// this is ignored here, because the next read reports it.
    private static func lookForMissingCommits(_ connection: Connection) {
        guard let work = LongWork.current, let noted = CommitNote.number(ofDatabase: connection.path),
            let statement = try? Statement(connection, CommitRecord.query)
        else { return }
        defer { statement.finalize() }
        // Commits by others in the meantime only increase the number.
        guard let found = try? CommitRecord(statement).number, noted > found else { return }
        work.note(missingCommits: noted - found)
    }
}
