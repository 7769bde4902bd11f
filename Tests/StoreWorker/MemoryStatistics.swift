import CSQLite

/// What SQLite knows of the memory that it uses. Asking makes the library ready for use.
enum MemoryStatistics {
    /// `counted` if it counts what it allocates, else `uncounted`.
    static var word: String {
        let block = sqlite3_malloc64(4096)
        defer { sqlite3_free(block) }
        return sqlite3_memory_used() >= 4096 ? "counted" : "uncounted"
    }
}
