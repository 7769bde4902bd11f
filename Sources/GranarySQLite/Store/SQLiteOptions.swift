import GranaryStoreKit

/// How a store in SQLite is opened.
struct SQLiteOptions: Sendable, Hashable {
    var durability = Durability.full
    var access = StoreAccess.readWrite
    /// For a store that is created; one that exists keeps what it was created with.
    var rowChecksums = false
    /// In seconds.
    var busyTimeout = 10.0
    var tuning = SQLiteTuning()
    /// For new files that nothing else has open: nothing is synced, and there is no log before the store is closed.
    var isBuilding = false
}
