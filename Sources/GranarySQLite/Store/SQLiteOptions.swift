public import GranaryStoreKit
import GranaryPlatform

/// How a store in SQLite is opened: what is passed to `.sqlite(at:)` as `options:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url, options: .init(durability: .relaxed)))
/// let bundled = try await Stack(schema, store: .sqlite(at: url, options: .readOnly))
/// ```
public struct SQLiteOptions: Sendable, Hashable {
    /// What a commit has survived when it returns.
    public var durability: Durability
    /// Whether the store is written to. Reading needs no permission to write.
    public var access: StoreAccess
    /// Whether folders above the store's are made, for this user alone, if they do not exist. Otherwise the folder's parent
    /// must exist. A store that is named makes them always.
    public var creatingFolders: Bool
    /// Whether the folder is kept out of the system's backups, where the system has such a mark: Apple's do.
    public var isExcludedFromBackup: Bool
    /// The permissions of the folder and the files of a store that is created. By default only this user reads and writes them.
    public var permissions: FilePermissions
    /// Whether each row of a store that is created carries a checksum, checked whenever it is read. A store that exists keeps
    /// what it was created with.
    public var rowChecksums: Bool
    /// How long to wait for other transactions and processes before throwing `busy`: 10 seconds by default.
    public var busyTimeout: Duration
    /// How much memory and room on the disk SQLite takes.
    public var tuning: SQLiteTuning
    /// For new files that nothing else has open: nothing is synced, and there is no log before the store is closed.
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
        self.tuning = tuning
    }

    /// The store is read, and nothing is created.
    public static let readOnly = SQLiteOptions(access: .readOnly)

    var busySeconds: Double { busyTimeout.inSeconds }

    /// What two stacks must agree on that have the store open together: not what only a new store takes.
    var shared: SQLiteOptions {
        var shared = self
        (shared.creatingFolders, shared.isExcludedFromBackup, shared.permissions) = (false, false, .owner)
        shared.rowChecksums = false
        return shared
    }
}
