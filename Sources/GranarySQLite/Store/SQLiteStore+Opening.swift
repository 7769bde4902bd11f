import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension SQLiteStore {
    /// Opens the database in a folder for a schema of the same meaning as the stored one.
    ///
    /// - Throws: `schemaMismatch`, `notAStore`, `newerFormat`, `corrupt`, `busy`, `permissionDenied`, `io`.
    static func open(
        in folder: String, _ schema: Schema, _ options: SQLiteOptions,
        coordinator: StoreCoordinator = StoreCoordinator()
    ) throws -> SQLiteStore {
        let path = databasePath(in: folder)
        guard try FileSystem.status(path) != nil else {
            throw GranaryError(.corrupt, "\(path) is missing. Restore the store from a backup.")
        }
        // A connection that reads: one that writes would make a database of an empty file.
        let connection = try Connection(path: path, purpose: .reading, options: options)
        let metadata: StoreMetadata
        do {
            defer { connection.close() }
            metadata = try StoreMetadata(connection)
        }
        guard metadata.schema.fingerprint == schema.fingerprint else { throw schema.mismatch(with: metadata.schema) }
        return SQLiteStore(
            path: path, schema: schema.adoptingIDs(from: metadata.schema), stored: metadata.schema,
            hasChecksums: metadata.rowChecksums, options: options, coordinator: coordinator)
    }
}
