/// Identifies a file or folder, whatever its paths are, as long as it is open or linked.
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

/// The file system's data about a file, folder or link.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, folder, symbolicLink, other
    }

    package var kind: Kind
    package var identity: FileIdentity
    /// In bytes.
    package var size: Int64
    /// How many names the file has. If more than one, the file may be reached by another name.
    var linkCount: UInt64
    /// The permission bits: `0o600`.
    package var permissions: UInt32
    /// The time of the last change of the contents.
    package var changed: FileTime

    /// The number of the file system with the file.
    package var device: UInt64 { identity.device }

    /// The set-group-ID bit, if it is set: files and folders made in such a folder get the folder's group.
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

    /// Whether both describe the same file, whatever its names are.
    package func isSameFile(as other: FileStatus) -> Bool {
        identity == other.identity
    }
}
