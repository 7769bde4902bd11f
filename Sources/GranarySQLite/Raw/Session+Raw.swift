import CSQLite
import GranaryStoreKit

extension Session {
    /// Prepares and binds one statement of the user. The caller finalizes it.
    ///
    /// - Throws: `invalidQuery` with SQLite's message if it is not valid SQL, or with an alternative if it is not
    ///   allowed.
    func prepareRaw(
        _ sql: SQL, _ mode: StatementAuthorizer.Mode
    ) throws -> (statement: Statement, touched: StatementAuthorizer.Touched) {
        if let failure = sql.failure { throw failure }
        // SQLite would read only up to the NUL.
        guard !sql.text.utf8.contains(0) else { throw Session.invalid("The statement has a NUL in it. Bind it.") }
        let (statement, touched) = try authorizer.asked(mode) {
            do {
                return try Statement(connection, sql.text)
            } catch {
                throw Session.explainedRaw(error)
            }
        }
        do {
            try refuseTail(statement, sql.text)
            let parameters = Int(sqlite3_bind_parameter_count(statement.handle))
            guard parameters == sql.values.count else {
                throw Session.invalid(
                    "The statement has \(parameters) parameters and \(sql.values.count) values. Interpolate each value, not inside quotes."
                )
            }
            let isReading = sqlite3_stmt_readonly(statement.handle) != 0
            guard isReading == (mode == .reading) else {
                throw Session.invalid(
                    isReading
                        ? "The statement only reads. Use rows, fetch or value."
                        : "The statement writes. Use execute, in a transaction.")
            }
            try statement.bind(copying: sql.values)
            return (statement, touched)
        } catch {
            statement.finalize()
            throw error
        }
    }

    /// Refuses anything but spaces and comments after the statement.
    private func refuseTail(_ statement: Statement, _ text: String) throws {
        // The text that SQLite keeps ends where the statement ends.
        guard let kept = sqlite3_sql(statement.handle) else { return }
        let count = String(cString: kept).utf8.count
        var tail = String(decoding: text.utf8.dropFirst(count), as: UTF8.self)
        while tail.utf8.contains(where: { $0 > 0x20 && $0 != 0x3B }) {
            var next: OpaquePointer?
            let length = tail.utf8.count
            let (code, left) = tail.withCString { start in
                var rest: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(connection.handle, start, -1, 0, &next, &rest)
                return (code, rest.map { length - (UnsafeRawPointer($0) - UnsafeRawPointer(start)) } ?? 0)
            }
            let isEmpty = next == nil && code == SQLITE_OK
            sqlite3_finalize(next)
            guard isEmpty, left < length else {
                throw Session.invalid("There is more than one statement. Run them one after another.")
            }
            tail = String(decoding: tail.utf8.suffix(left), as: UTF8.self)
        }
    }

    static func invalid(_ message: String) -> GranaryError { GranaryError(.invalidQuery, message) }

    /// The error for a statement that is not Granary's own, without constraints.
    static func explainedRaw(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError, let cause = error.underlying else { return error }
        switch cause.code & 0xFF {
        case SQLITE_OK: return invalid("The statement is empty. Write one.")
        case SQLITE_ERROR where cause.message.hasPrefix("too many levels of trigger"):
            return GranaryError(
                .limit, "More than 1000 cascades follow each other, which SQLite does not do. Use delete or deleteAll."
            ).causedBy(cause)
        case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_RANGE:
            return invalid("SQLite does not take the statement: \(cause.message).").causedBy(cause)
        default: return error
        }
    }
}
