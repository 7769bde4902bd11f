import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension Connection {
    /// The error for a result code of this connection, with SQLite's own message. The message contains no stored
    /// values, because every value is a bound parameter.
    ///
    /// If one of Granary's functions failed, it is that function's own error.
    func failure(_ code: Int32) -> GranaryError {
        if let error = functions.takeFailure(), code & 0xFF == SQLITE_ERROR { return error }
        let error = Connection.failure(code, handle, path)
        if error.code == .full { log.isDiskFull = true }
        return error
    }

    /// The error for a result code of a connection that may not be open.
    static func failure(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> GranaryError {
        var number = Library.fileError()
        // SQLite keeps the system's error number for these two.
        if number == 0, let handle, [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) {
            number = sqlite3_system_errno(handle)
        }
        return .sqlite(code, message(handle), systemError: number, path: path)
    }
}

extension GranaryError {
    /// Whether SQLite has opened a file for reading only that should be written to.
    var isReadOnlyFile: Bool { underlying.map { $0.engine == "sqlite" && $0.code & 0xFF == SQLITE_READONLY } ?? false }

    /// The error for a result code. For errors of constraints the statement must be known: see ``SQLiteWriter``.
    static func sqlite(_ code: Int32, _ message: String, systemError: Int32, path: String) -> GranaryError {
        if code == SQLITE_ERROR, message.hasPrefix("parser stack overflow") {
            return GranaryError(
                .limit, "The query's relationships are nested too deeply for SQLite. Ask in two steps."
            ).causedBy("sqlite", code, message)
        }
        let (kind, text) = meaning(of: code, systemError: systemError, path: path)
        return GranaryError(kind, text).causedBy("sqlite", code, message)
    }

    private static let full = (
        Code.full, "The disk is full. Free some space and try again; nothing stored was lost."
    )

    /// For a file, or a file beside it, that SQLite could not open for writing.
    ///
    /// - Parameter systemError: The reason, or 0 if it is no longer known.
    static func notWritable(_ path: String, systemError: Int32) -> GranaryError {
        if let cause = exhausted(systemError, path) { return cause }
        do throws(GranaryError) {
            try FileSystem.requireWritable(path)
            for file in [path + "-wal", path + "-shm"] {
                if try FileSystem.status(file) != nil { try FileSystem.requireWritable(file) }
            }
            return GranaryError(
                .io, "\(path) could not be opened for writing. Try again; if it stays so, see the system's log.")
        } catch {
            return error
        }
    }

    /// The error for an `errno` that means a full disk or too many open files; nil for any other.
    private static func exhausted(_ systemError: Int32, _ path: String) -> GranaryError? {
        let cause = GranaryError.posix(systemError, "open, read or write", path)
        if cause.code == .full { return GranaryError(full.0, full.1) }
        return FileSystem.isTooManyFiles(systemError) ? cause : nil
    }

    private static func meaning(of code: Int32, systemError: Int32, path: String) -> (Code, String) {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            let cause = GranaryError.inUse(path)
            return (cause.code, cause.message)
        case SQLITE_PROTOCOL:
            return (
                .busy,
                "The locks of \(path) were refused again and again. Try again; if it stays so, keep the store on a file system that has locks."
            )
        case SQLITE_FULL: return full
        case SQLITE_IOERR:
            if let cause = exhausted(systemError, path) { return (cause.code, cause.message) }
            if (try? FileSystem.freeSpace(path)) == 0 { return full }
            return (.io, "Reading or writing \(path) failed. Check the disk and the system's log.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            let cause = GranaryError.damaged(path)
            return (cause.code, cause.message)
        case SQLITE_READONLY:
            if systemError != 0 {
                let cause = notWritable(path, systemError: systemError)
                return (cause.code, cause.message)
            }
            return (.readOnly, "\(path) cannot be written. Open the store for reading only, or give access to it.")
        case SQLITE_INTERRUPT: return (GranaryError.readCancelled.code, GranaryError.readCancelled.message)
        case SQLITE_TOOBIG: return (.limit, "A value is longer than the 1 GB that SQLite holds. Split it.")
        case SQLITE_NOMEM: return (.io, "Memory ran out. Read or write less at a time.")
        case SQLITE_PERM, SQLITE_AUTH:
            return (.permissionDenied, "Access to \(path) was refused. Give this user access.")
        case SQLITE_CANTOPEN:
            let cause = systemError == 0 ? nil : GranaryError.posix(systemError, "open", path)
            if let cause, cause.code != .invalidPath { return (cause.code, cause.message) }
            return (
                .io,
                "\(path), or a file beside it, cannot be opened. Try again; if it stays so, check that it exists and may be read and written."
            )
        default: return (.io, "SQLite refused a statement. This is a fault in Granary: please report it.")
        }
    }
}
