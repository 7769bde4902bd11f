import CSQLite
import GranaryStoreKit

/// SQL that no rule of the store checks: for tests that damage a database.
package enum UncheckedSQL {
    /// Runs statements on a database that no store has open. Foreign keys are not enforced, and
    /// `PRAGMA writable_schema` works.
    package static func run(_ statements: String, onDatabase path: String) throws {
        let handle = try Connection.open(path, readOnly: false)
        defer { sqlite3_close(handle) }
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw Connection.failure(code, handle, path) }
    }
}
