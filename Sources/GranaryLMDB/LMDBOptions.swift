public import GranaryStoreKit

/// How a store in LMDB is opened: passed to `.lmdb(at:)` as `options:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .lmdb(at: url, options: .init(mapSize: 1 << 30)))
/// let bundled = try await Stack(schema, store: .lmdb(at: url, options: .readOnly))
/// ```
public struct LMDBOptions: Sendable, Hashable {
    /// The failure that a commit survives once it has returned.
    public var durability: Durability
    /// With `readOnly` nothing is made or changed.
    public var access: StoreAccess
    /// Whether missing folders above the store's folder are made, for this user alone. Otherwise the folder's parent
    /// must exist. A named store always makes them.
    public var creatingFolders: Bool
    /// Whether the folder is excluded from the system's backups, on systems that have a mark for it: Apple's do.
    public var isExcludedFromBackup: Bool
    /// The permissions of the folder and the files of a store that is created. By default only this user reads and
    /// writes them.
    public var permissions: FilePermissions
    /// Address space for the file, in bytes: 256 GiB by default. Unwritten space costs nothing. It grows by itself.
    public var mapSize: Int
    /// The greatest address space to which it grows, in bytes: 4 TiB by default. Beyond it a write throws `full`.
    public var maximumMapSize: Int
    /// How many reads can be open at once, in all processes: 510 by default. The first process that opens the store
    /// decides.
    public var maxReaders: Int
    /// How long a writer waits for one in another process before it throws `busy`: 10 seconds by default.
    public var busyTimeout: Duration
    /// How much of the file is checked when it is opened. By default the whole structure, so that a damaged file cannot
    /// end the process: 0.5 s for each gigabyte, and the time it takes to read the file from the disk.
    public var verify: LMDBEngine.Options.Verification

    public init(
        durability: Durability = .full, access: StoreAccess = .readWrite, creatingFolders: Bool = false,
        isExcludedFromBackup: Bool = false, permissions: FilePermissions = .owner, mapSize: Int = 256 << 30,
        maximumMapSize: Int = 4 << 40, maxReaders: Int = 510, busyTimeout: Duration = .seconds(10),
        verify: LMDBEngine.Options.Verification = .full
    ) {
        self.durability = durability
        self.access = access
        self.creatingFolders = creatingFolders
        self.isExcludedFromBackup = isExcludedFromBackup
        self.permissions = permissions
        self.mapSize = mapSize
        self.maximumMapSize = maximumMapSize
        self.maxReaders = maxReaders
        self.busyTimeout = busyTimeout
        self.verify = verify
    }

    /// Reads only. Nothing is created.
    public static let readOnly = LMDBOptions(access: .readOnly)

    var engine: LMDBEngine.Options {
        LMDBEngine.Options(
            durability: durability, mapSize: mapSize, maximumMapSize: max(mapSize, maximumMapSize),
            readOnly: access == .readOnly, maxReaders: maxReaders, busyTimeout: busyTimeout, verify: verify)
    }
}
