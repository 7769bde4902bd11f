/// A folder, opened without following a link at its name. It closes when its last reference is released.
///
/// All names below are single names inside the folder, never paths. They reach the contents of *this* folder, even if
/// it has been renamed since, or another folder has taken its path. Every call blocks.
public final class OpenFolder: Sendable {
    /// The path at which it was opened, for messages and for engines that need a path.
    public let path: String
    /// The mode of new files in this folder. New folders can also be searched by users that may read such a file.
    package let fileMode: UInt32
    private let descriptor: Int32

    init(adopting descriptor: Int32, path: String, fileMode: UInt32) {
        self.descriptor = descriptor
        self.path = path
        self.fileMode = fileMode
    }

    deinit {
        _ = close(descriptor)
    }

    static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// Opens the folder at a path. Throws `.invalidPath` for a link or a file.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - fileMode: The mode of new files in this folder. By default only this user can read and write them.
    public convenience init(_ path: String, fileMode: UInt32 = 0o600) throws(GranaryError) {
        self.init(
            adopting: try posixCall("open the folder", path) { open(path, Self.flags) }, path: path, fileMode: fileMode)
    }

    /// Opens a folder inside this one.
    package func folder(_ name: String) throws(GranaryError) -> OpenFolder {
        try withDescriptor { descriptor throws(GranaryError) in
            let path = path(of: name)
            return OpenFolder(
                adopting: try posixCall("open the folder", path) { openat(descriptor, name, Self.flags) }, path: path,
                fileMode: fileMode)
        }
    }

    /// Opens a file inside this folder.
    public func file(_ name: String, _ mode: OpenFile.Mode) throws(GranaryError) -> OpenFile {
        try withDescriptor { descriptor throws(GranaryError) in
            try OpenFile(name: name, in: descriptor, path: path(of: name), mode, fileMode: fileMode)
        }
    }

    /// Throws unless this process can open `count` more files at this moment.
    package func requireDescriptors(_ count: Int) throws(GranaryError) {
        var opened: [OpenFolder] = []
        for _ in 0..<count { opened.append(try folder(".")) }
        withExtendedLifetime(opened) {}
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

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

    /// The status of a name in this folder, without following a link; nil if nothing has this name.
    package func status(_ name: String) throws(GranaryError) -> FileStatus? {
        try withDescriptor { descriptor throws(GranaryError) in
            try FileSystem.status(name, in: descriptor, path(of: name))
        }
    }

    /// Throws unless this user may add, remove and read names here and the file system is writable.
    package func requireWritable() throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            _ = try posixCall("write to the folder", path) {
                faccessat(descriptor, ".", R_OK | W_OK | X_OK, AT_EACCESS)
            }
        }
    }
}
