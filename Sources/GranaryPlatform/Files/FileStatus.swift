/// Names one file or folder, whatever its paths are, for as long as it is open or linked.
package struct FileIdentity: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// A time as the file system keeps it, in seconds and nanoseconds since 1970.
package struct FileTime: Sendable, Hashable {
    package var seconds: Int64
    package var nanoseconds: Int64
}

/// What the file system knows of a file, folder or link.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, folder, symbolicLink, other
    }

    package var kind: Kind
    package var identity: FileIdentity
    /// In bytes.
    package var size: Int64
    /// How many names the file has. More than one means that the file may be reached by another name.
    var linkCount: UInt64
    /// The permission bits: `0o600`.
    package var permissions: UInt32
    /// When the contents were changed last.
    package var changed: FileTime

    /// The number of the file system that it is on.
    package var device: UInt64 { identity.device }

    /// The set-group-ID bit, if it is set: in a folder it means that what is made there gets the folder's group.
    var groupInheritance: UInt32 { permissions & 0o2000 }
}

extension FileStatus {
    init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: raw.st_dev), inode: UInt64(truncatingIfNeeded: raw.st_ino))
        size = Int64(truncatingIfNeeded: raw.st_size)
        linkCount = UInt64(truncatingIfNeeded: raw.st_nlink)
        permissions = UInt32(raw.st_mode) & 0o7777
        #if canImport(Darwin)
            let time = raw.st_mtimespec
        #else
            let time = raw.st_mtim
        #endif
        changed = FileTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Whether both are the same file, whatever its names are.
    package func isSameFile(as other: FileStatus) -> Bool {
        identity == other.identity
    }
}
