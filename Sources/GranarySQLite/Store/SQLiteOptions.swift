public import GranaryStoreKit
import GranaryPlatform

/// How a store in SQLite is opened: passed to `.sqlite(at:)` as `options:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url, options: .init(durability: .relaxed)))
/// let bundled = try await Stack(schema, store: .sqlite(at: url, options: .readOnly))
/// ```
public struct SQLiteOptions: Sendable, Hashable {
    /// The failure that a commit survives once it has returned.
    public var durability: Durability
    /// Whether the store is written to. Reading needs no permission to write.
    public var access: StoreAccess
    /// Whether missing folders above the store's folder are made, for this user alone. Otherwise the folder's parent
    /// must exist. A named store always makes them.
    public var creatingFolders: Bool
    /// Whether the folder is excluded from the system's backups, on systems that have a mark for it: Apple's do.
    public var isExcludedFromBackup: Bool
    /// The permissions of the folder and the files of a store that is created. By default only this user reads and
    /// writes them.
    public var permissions: FilePermissions
    /// Whether each row of a new store has a checksum, checked whenever the row is read. An existing store keeps the
    /// setting that it was created with.
    public var rowChecksums: Bool
    /// How long to wait for other transactions and processes before throwing `busy`: 10 seconds by default.
    public var busyTimeout: Duration { didSet { busySeconds = busyTimeout.inSeconds } }
    /// The same in seconds, which each read uses: converting takes as long as a twentieth of a find.
    private(set) var busySeconds: Double
    /// The limits of SQLite's memory and disk space.
    public var tuning: SQLiteTuning
    /// For new files that nothing else has open: nothing is synced, and there is no log until the store is closed.
    var isBuilding = false

    public init(
        durability: Durability = .full, access: StoreAccess = .readWrite, creatingFolders: Bool = false,
        isExcludedFromBackup: Bool = false, permissions: FilePermissions = .owner, rowChecksums: Bool = false,
        busyTimeout: Duration = .seconds(10), tuning: SQLiteTuning = SQLiteTuning()
    ) {
        self.durability = durability
        self.access = access
        self.creatingFolders = creatingFolders
        self.isExcludedFromBackup = isExcludedFromBackup
        self.permissions = permissions
        self.rowChecksums = rowChecksums
        self.busyTimeout = busyTimeout
        busySeconds = busyTimeout.inSeconds
        self.tuning = tuning
    }

    /// Reads only. Nothing is created.
    public static let readOnly = SQLiteOptions(access: .readOnly)

    /// The options that must be equal for two stacks that have the store open together: all except those of a new
    /// store.
    var shared: SQLiteOptions {
        var shared = self
        (shared.creatingFolders, shared.isExcludedFromBackup, shared.permissions) = (false, false, .owner)
        shared.rowChecksums = false
        return shared
    }
}
