import CPlatform

/// Questions to the file system that are about a path, not about an open file or folder.
///
/// Every call blocks. Foundation is not used for store files: on Linux it follows the umask, does not sync folders, and
/// its replacing of items has lost data.
package enum FileSystem {
    /// What is at the path, a link itself and not what it points to, or nil when there is nothing.
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

    /// The absolute path without links, `.` and `..`. Everything on it must exist.
    package static func realPath(_ path: String) throws(GranaryError) -> String {
        guard let resolved = realpath(path, nil) else { throw .posix(errno, "find", path) }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else {
            throw GranaryError(
                .invalidPath, "The full path of \(path) is not UTF-8. Choose folders whose names are UTF-8 text.")
        }
        return text
    }

    /// Throws unless this user may write to what is at the path. Opens nothing.
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
            // fsync stops at the drive's cache there.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        try posixWrite("sync", path) { fsync(descriptor) }
    }

    /// Has the system begin to write to the disk what it holds of a file, and returns without waiting for it: less is left
    /// for the sync at the end. Does nothing where the system cannot.
    package static func beginWriting(_ descriptor: Int32) { granary_begin_writing(descriptor) }
}

extension FileSystem {
    /// `errno` values that callers above this layer look at.
    package static let noEntry = ENOENT
    package static let nameTaken = EEXIST

    /// Whether an `errno` says that this process, or the system, has as many files open as it may.
    package static func isTooManyFiles(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }
}
