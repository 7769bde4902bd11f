import GranaryStoreKit

/// How a session learns which commit is the last one.
// What each read touches is not checked for overlapping access, as in the session.
final class CommitQueries {
    private let connection: Connection
    private let catalog: Catalog
    private var recordStatement: Statement?
    /// The recompilations of ``recordStatement`` up to which the schema is known to be the one that the store was opened
    /// with.
    @exclusivity(unchecked) private var knownRecompilations: Int32 = -1
    @exclusivity(unchecked) private var versionStatement: Statement?
    /// What ``number(at:)`` found last.
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
    /// SQLite compiles the statement again after any change of its schema, which is when Granary's own is compared: after a
    /// migration by another process, but also after `ANALYZE`, or when the first history is kept.
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

    /// The statement that tells how often this connection found that another had committed. It always has a row.
    func version() throws -> Statement {
        if let versionStatement { return versionStatement }
        let statement = try Statement(connection, "PRAGMA data_version")
        versionStatement = statement
        return statement
    }

    /// Whether ``version()`` is on its row, by which SQLite goes on to read one state.
    var isOnVersion: Bool { versionStatement?.isActive == true }

    func resetVersion() { versionStatement?.reset() }

    /// The number found last.
    var lastNumber: UInt64? { last?.number }

    /// The number of the last commit. Where the version is as before the number is, too, and is not read.
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
