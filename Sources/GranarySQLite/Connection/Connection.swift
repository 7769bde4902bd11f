import CSQLite
import GranaryStoreKit

/// An open connection to a database file, set up so that it trusts neither the file nor text that looks like SQL.
///
/// For one thread at a time: it is opened without SQLite's own mutex.
final class Connection {
    enum Purpose {
        /// The one connection that writes.
        case writing
        case reading
        /// For building a new database that nothing else has open: no log, no syncs.
        case building
    }

    let handle: OpaquePointer
    let path: String
    /// The functions that SQL calls; they live as long as the connection.
    let functions = SQLFunctions()
    /// Checked by SQLite every thousand steps.
    let cancellation = CancellationBox()
    /// How the connection waits for locks.
    let busyWait = BusyWait()
    /// The durability of its commits, once it was set.
    var durability: Durability?
    /// The log's size, as observed by the commits of the writing connection.
    let log = LogSize()
    /// Reports statements; nil while nothing follows them.
    var trace: StatementTrace?
    /// `sqlite3_db_config` for a setting that is on or off. A test replaces it to make it fail.
    var changeSetting = granary_sqlite3_db_config_flag

    /// Opens a file that exists. The path is absolute, so that it is never taken for a URI.
    init(path: String, purpose: Purpose, options: SQLiteOptions) throws {
        self.path = path
        let readOnly = options.access == .readOnly
        Library.limitSleep(seconds: options.busySeconds)
        handle = try Connection.open(path, readOnly: readOnly)
        do {
            try configure(purpose, options)
        } catch {
            sqlite3_close(handle)
            throw error
        }
    }

    /// Ends the connection. Every statement must have been finalized.
    func close() {
        sqlite3_progress_handler(handle, 0, nil, nil)
        let code = sqlite3_close(handle)
        assert(code == SQLITE_OK, "A statement was left open: \(Connection.message(handle))")
    }

    /// Whether SQLite is outside of a transaction, which is also the case after it has rolled back a transaction by
    /// itself.
    var isInAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }
    /// The number of rows changed since the connection was opened, including those changed by foreign keys.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }
    /// The number of rows that the last statement changed itself.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Runs statements without parameters or results.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Switches a setting on or off. Unlike a pragma, this works inside a transaction.
    func set(_ setting: Int32, _ isOn: Bool) throws {
        let code = changeSetting(handle, setting, isOn ? 1 : 0)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The rows of a query with few rows: each column as a value.
    func values(_ sql: String) throws -> [[StoredValue]] {
        let statement = try Statement(self, sql)
        defer { statement.finalize() }
        return try statement.values()
    }

    static func message(_ handle: OpaquePointer?) -> String {
        guard let handle, let text = sqlite3_errmsg(handle) else { return "out of memory" }
        return String(cString: text)
    }
}

/// The flag that a connection's progress handler checks.
final class CancellationBox {
    var flag: CancellationFlag?
    /// Called every thousand steps of a statement.
    var onStep: (() -> Void)?
}
