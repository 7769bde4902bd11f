import CSQLite

/// Settings that are made once in a process, before its first connection to SQLite.
///
/// Only this file calls the functions of `files.h`, because their state belongs to this file's object code.
enum Library {
    /// Whether SQLite counts the memory it uses, for which every thread takes one lock at each allocation. It is
    /// switched off unless other code in the process has used the library before; then the setting is not changed.
    static let countsMemory = granary_sqlite3_config_flag(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK

    /// The name of SQLite's file access with special handling of a full disk and failing locks; nil for its own.
    static let files: String? = {
        // Asking for the available ones initialises the library.
        _ = countsMemory
        return granary_sqlite3_register_files() == SQLITE_OK ? GRANARY_FILES : nil
    }()

    /// Limits how long the calling thread sleeps inside SQLite, until the next call of this function.
    @inline(never) static func limitSleep(seconds: Double) {
        granary_sqlite3_allow_sleep(Int64(max(0, min(seconds, 1e6)) * 1e6))
    }

    /// How much of a pause the calling thread may take, in seconds; the pause counts as sleep.
    @inline(never) static func takeSleep(seconds: Double) -> Double {
        Double(granary_sqlite3_take_sleep(Int32(max(0, min(seconds, 1000)) * 1e6))) / 1e6
    }

    /// The `errno` of the last failed call on a file by this thread since then, or 0.
    @inline(never) static func fileError() -> Int32 { granary_sqlite3_file_error() }
}
