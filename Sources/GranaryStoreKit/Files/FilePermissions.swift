import GranaryPlatform

/// Which users may read and write the files of a store on disk: the parameter `permissions:` of providers, for a store
/// that is created.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url, options: .init(permissions: .group)))
/// ```
///
/// Every file of the store has these permissions, whatever the process's umask is and whichever process makes it. This
/// includes later generations, logs, locks, external values, and backups. Each user that reads a store needs to write
/// to its locks, so permission to read alone is useless to other users. An existing store keeps the permissions of its
/// file `CURRENT`.
public struct FilePermissions: Sendable, Hashable {
    /// The mode of files, as for `chmod`.
    public let fileMode: UInt32
    /// The mode of folders: users that may read a file may search its folder.
    public var folderMode: UInt32 { FileSystem.folderMode(forFiles: fileMode) }

    /// This user: 0600, and 0700 for folders. The default.
    public static let owner = FilePermissions(fileMode: 0o600)
    /// This user and the group of the files: 0660, and 0770 for folders.
    public static let group = FilePermissions(fileMode: 0o660)

    /// - Parameter fileMode: Bits for reading and writing. The owner always has both; other bits are ignored.
    public init(fileMode: UInt32) { self.fileMode = fileMode & 0o666 | 0o600 }
}
