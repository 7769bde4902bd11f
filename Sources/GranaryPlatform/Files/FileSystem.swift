import CPlatform

/// Calls to the file system with a path, not with an open file or folder.
///
/// Every call blocks. Foundation is not used for store files: on Linux it follows the umask, does not sync folders, and
/// its function to replace items has lost data.
package enum FileSystem {
    /// The status of the file, folder or link at the path, without following a link; nil if nothing exists there.
    package static func status(_ path: String) throws(GranaryError) -> FileStatus? {
        try status(path, in: AT_FDCWD, path)
    }

    static func status(_ name: String, in folder: Int32, _ path: String) throws(GranaryError) -> FileStatus? {
        var raw = stat()
        while fstatat(folder, name, &raw, AT_SYMLINK_NOFOLLOW) != 0 {
            let number = errno
            if number == ENOENT { return nil }
            if number != EINTR { throw .posix(number, "examine", path) }
        }
        return FileStatus(raw)
    }

    /// The absolute path without links, `.` and `..`. Every part of the path must exist.
    package static func realPath(_ path: String) throws(GranaryError) -> String {
        guard let resolved = realpath(path, nil) else { throw .posix(errno, "find", path) }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            throw GranaryError(
                .invalidPath, "The full path of \(path) is not UTF-8. Choose folders whose names are UTF-8 text.")
        }
        return text
    }

    /// Throws unless this user may write to the file or folder at the path. Opens nothing.
    package static func requireWritable(_ path: String) throws(GranaryError) {
        _ = try posixCall("write to", path) { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) }
    }

    /// How many bytes this user can still write on the file system that holds the path.
    package static func freeSpace(_ path: String) throws(GranaryError) -> UInt64 {
        var raw = statvfs()
        _ = try posixCall("ask for the free space at", path) { statvfs(path, &raw) }
        let (bytes, overflow) = UInt64(raw.f_bavail).multipliedReportingOverflow(by: UInt64(raw.f_frsize))
        return overflow ? .max : bytes
    }

    static func synchronize(_ descriptor: Int32, _ path: String) throws(GranaryError) {
        #if canImport(Darwin)
            // On this system fsync reaches only the drive's cache.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        try posixWrite("sync", path) { fsync(descriptor) }
    }

    /// Makes the system begin to write the cached bytes of a file to the disk, and returns without waiting, so that the
    /// sync at the end has less to do. Does nothing where the system cannot do this.
    package static func beginWriting(_ descriptor: Int32) { granary_begin_writing(descriptor) }
}

extension FileSystem {
    /// `errno` values that callers in other modules compare with.
    package static let noEntry = ENOENT
    package static let nameTaken = EEXIST

    /// Whether an `errno` means that this process, or the system, has reached its limit of open files.
    package static func isTooManyFiles(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }
}
