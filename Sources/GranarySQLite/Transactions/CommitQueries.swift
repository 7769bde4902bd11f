import GranaryStoreKit

/// How a session finds out which commit is the last one.
// Properties that each read uses are not checked for overlapping access, as in the session.
final class CommitQueries {
    private let connection: Connection
    private let catalog: Catalog
    private var recordStatement: Statement?
    /// The recompilations of ``recordStatement`` up to which the schema is known to be the one that the store was
    /// opened with.
    @exclusivity(unchecked) private var knownRecompilations: Int32 = -1
    @exclusivity(unchecked) private var versionStatement: Statement?
    /// The last result of ``number(at:)``.
    @exclusivity(unchecked) private var last: (version: Int64, number: UInt64)?

    init(_ connection: Connection, _ catalog: Catalog) {
        self.connection = connection
        self.catalog = catalog
    }

    /// The statement that reads the record of commits.
    func record() throws -> Statement {
        if let recordStatement { return recordStatement }
        let statement = try Statement(connection, CommitRecord.query)
        recordStatement = statement
        return statement
    }

    /// The record of the last commit, in a transaction that has just begun.
    ///
    /// SQLite compiles the statement again after any change of its schema; then Granary's own schema is compared. This
    /// happens after a migration by another process, but also after `ANALYZE`, or when the first history entry is kept.
    ///
    /// - Throws: `schemaMismatch` if the store has been migrated since it was opened.
    func readRecord() throws -> CommitRecord {
        let statement = try record()
        let record = try CommitRecord(statement)
        if statement.recompilations != knownRecompilations {
            guard try StoreMetadata.fingerprint(connection) == catalog.fingerprint else {
                throw GranaryError.schemaReplaced
            }
            knownRecompilations = statement.recompilations
        }
        return record
    }

    /// The statement that counts how often this connection found a commit of another connection. It always has a row.
    func version() throws -> Statement {
        if let versionStatement { return versionStatement }
        let statement = try Statement(connection, "PRAGMA data_version")
        versionStatement = statement
        return statement
    }

    /// Whether ``version()`` is on its row, so that SQLite goes on reading one state.
    var isOnVersion: Bool { versionStatement?.isActive == true }

    func resetVersion() { versionStatement?.reset() }

    /// The last number found.
    var lastNumber: UInt64? { last?.number }

    /// The number of the last commit. If the version is unchanged, so is the number, which is then not read.
    func number(at version: Int64) throws -> UInt64 {
        if let last, last.version == version { return last.number }
        let number = try readRecord().number
        last = (version, number)
        return number
    }

    func finalizeAll() {
        recordStatement?.finalize()
        versionStatement?.finalize()
    }
}
