/// A regular file, opened without following a link at its name. It closes when its last reference is released.
///
/// Every call blocks its thread until the disk has answered: never call from Swift's cooperative pool. Do not open a
/// file of a store that its engine has open: closing any descriptor of a file drops all POSIX locks that the process
/// holds on it.
public final class OpenFile: Sendable {
    /// The path, for messages.
    public let path: String
    private let descriptor: Int32

    init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // Closing the descriptor does not always release the lock: a child process between fork and exec has a copy of
        // the descriptor, and the lock belongs to both.
        OpenFile.unlockAll(descriptor)
        _ = close(descriptor)
    }

    /// What a file is opened for.
    public enum Mode: Sendable {
        /// An existing file, for reading.
        case reading
        /// An existing file, for reading and writing.
        case writing
        /// A new file with the given mode, 0600 by default, whatever the umask is. Throws if the name is taken.
        case creating
        /// A file for reading and writing, made if it does not exist. A new file gets the given mode, restricted by the
        /// umask.
        case writingOrCreating

        var flags: Int32 {
            // O_NONBLOCK: opening a FIFO with this name must not wait for its other end. The flag has no effect on
            // regular files, and all others are refused.
            let always = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            return switch self {
            case .reading: O_RDONLY | always
            case .writing: O_RDWR | always
            case .creating: O_RDWR | O_CREAT | O_EXCL | always
            case .writingOrCreating: O_RDWR | O_CREAT | always
            }
        }
    }

    /// Opens the file at a path. Throws `.invalidPath` for a link, and for anything that is not a regular file.
    public convenience init(_ path: String, _ mode: Mode) throws(GranaryError) {
        try self.init(name: path, in: AT_FDCWD, path: path, mode)
    }

    convenience init(
        name: String, in folder: Int32, path: String, _ mode: Mode, fileMode: UInt32 = 0o600
    ) throws(GranaryError) {
        let descriptor = try posixCall("open", path) { openat(folder, name, mode.flags, mode_t(fileMode)) }
        self.init(adopting: descriptor, path: path)
        guard try status().kind == .file else {
            throw GranaryError(.invalidPath, "\(path) is not a regular file. Remove it or choose another path.")
        }
        if case .creating = mode { try setPermissions(fileMode) }
    }

    /// Calls the body with the descriptor, which stays open until the body returns.
    func withDescriptor<T>(_ body: (Int32) throws(GranaryError) -> T) throws(GranaryError) -> T {
        defer { withExtendedLifetime(self) {} }
        return try body(descriptor)
    }

    package func status() throws(GranaryError) -> FileStatus {
        try withDescriptor { descriptor throws(GranaryError) in
            var raw = stat()
            _ = try posixCall("examine", path) { fstat(descriptor, &raw) }
            return FileStatus(raw)
        }
    }

    func setPermissions(_ mode: UInt32) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            _ = try posixCall("set the permissions of", path) { fchmod(descriptor, mode_t(mode)) }
        }
    }

    /// Gives a file that may have just been made the mode of another file. The file of another user stays unchanged.
    package func copyMode(of other: String) {
        guard let wanted = try? FileSystem.status(other), let found = try? status(),
            wanted.permissions != found.permissions
        else { return }
        try? setPermissions(wanted.permissions & 0o777)
    }

    /// Returns when the bytes of the file are on the disk.
    public func synchronize() throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            try FileSystem.synchronize(descriptor, path)
        }
    }
}
