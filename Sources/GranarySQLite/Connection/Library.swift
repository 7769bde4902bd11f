import CSQLite

/// What is set up once in a process, before its first connection to SQLite.
///
/// The functions of `files.h` are called here alone, because their state belongs to this file's object code.
enum Library {
    /// Whether SQLite counts the memory it uses, for which every thread takes one lock at each allocation. It is switched
    /// off where nothing else in the process has used the library before, and left alone otherwise.
    static let countsMemory = granary_sqlite3_config_flag(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK

    /// The name of SQLite's access to files with a full disk and failing locks attended to; nil for its own.
    static let files: String? = {
        // Looking for what there is initialises the library.
        _ = countsMemory
        return granary_sqlite3_register_files() == SQLITE_OK ? GRANARY_FILES : nil
    }()

    /// Limits how long the calling thread sleeps inside SQLite until it is limited anew.
    @inline(never) static func limitSleep(seconds: Double) {
        granary_sqlite3_allow_sleep(Int64(max(0, min(seconds, 1e6)) * 1e6))
    }

    /// How much of a pause the calling thread may take, in seconds; it counts as slept.
    @inline(never) static func takeSleep(seconds: Double) -> Double {
        Double(granary_sqlite3_take_sleep(Int32(max(0, min(seconds, 1000)) * 1e6))) / 1e6
    }

    /// The `errno` of the last call on a file that failed on this thread since then, 0 for none.
    @inline(never) static func fileError() -> Int32 { granary_sqlite3_file_error() }
}
