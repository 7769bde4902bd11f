import GranaryPlatform

/// Who may read and write the files of a store on disk: what its provider takes as `permissions:` for a store that is created.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url, options: .init(permissions: .group)))
/// ```
///
/// Every file of the store has them, whatever the process's umask is, and whichever process makes it: those of later generations, logs, locks
/// and external values too, and those of its backups. Each user that reads a store needs to write to its locks, so that reading
/// alone is no use to others. A store that exists keeps what its file `CURRENT` has.
public struct FilePermissions: Sendable, Hashable {
    /// The mode of files, as `chmod` takes it.
    public let fileMode: UInt32
    /// The mode of folders: who may read a file may search its folder.
    public var folderMode: UInt32 { FileSystem.folderMode(forFiles: fileMode) }

    /// This user: 0600, and 0700 for folders. The default.
    public static let owner = FilePermissions(fileMode: 0o600)
    /// This user and the group of the files: 0660, and 0770 for folders.
    public static let group = FilePermissions(fileMode: 0o660)

    /// - Parameter fileMode: Bits for reading and writing; this user always may, and other bits are left out.
    public init(fileMode: UInt32) { self.fileMode = fileMode & 0o666 | 0o600 }
}
