public import GranaryStoreKit

/// How a store in LMDB is opened: what is passed to `.lmdb(at:)` as `options:`.
///
/// ```swift
/// let stack = try await Stack(schema, store: .lmdb(at: url, options: .init(mapSize: 1 << 30)))
/// let bundled = try await Stack(schema, store: .lmdb(at: url, options: .readOnly))
/// ```
public struct LMDBOptions: Sendable, Hashable {
    /// What a commit survives when it returns.
    public var durability: Durability
    /// `readOnly` makes and changes nothing.
    public var access: StoreAccess
    /// Whether folders above the store's are made, for this user alone, if they do not exist. Otherwise the folder's parent
    /// must exist. A store that is named makes them always.
    public var creatingFolders: Bool
    /// Whether the folder is kept out of the system's backups, where the system has such a mark: Apple's do.
    public var isExcludedFromBackup: Bool
    /// The permissions of the folder and the files of a store that is created. By default only this user reads and writes them.
    public var permissions: FilePermissions
    /// Address space for the file, in bytes: 256 GiB by default. It costs nothing until written, and grows by itself.
    public var mapSize: Int
    /// How far it grows, in bytes: 4 TiB by default. Beyond it a write throws `full`.
    public var maximumMapSize: Int
    /// How many reads can be open at once, in all processes: 510 by default. The first process that opens the store decides.
    public var maxReaders: Int
    /// How long a writer waits for one in another process before it throws `busy`: 10 seconds by default.
    public var busyTimeout: Duration
    /// How much of the file is checked when it is opened. By default all of its structure, so that no damaged file ends the
    /// process: 0.5 s a gigabyte, and the time it takes to read the file from the disk.
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

    /// The store is read, and nothing is created.
    public static let readOnly = LMDBOptions(access: .readOnly)

    var engine: LMDBEngine.Options {
        LMDBEngine.Options(
            durability: durability, mapSize: mapSize, maximumMapSize: max(mapSize, maximumMapSize),
            readOnly: access == .readOnly, maxReaders: maxReaders, busyTimeout: busyTimeout, verify: verify)
    }
}
