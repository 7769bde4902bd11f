import GranaryPlatform

/// A place for a store folder: the real path of its parent, which exists, and its own name, which may not exist yet.
struct StorePath {
    /// Absolute and free of links, `.` and `..`.
    let parent: String
    let name: String
    var path: String { parent == "/" ? "/\(name)" : "\(parent)/\(name)" }

    /// Checks a path given by a user.
    ///
    /// - Throws: `.invalidPath` if it is empty, has a NUL byte, is meant for SQLite (`:memory:`, `file:`), ends at the
    ///   root, or is in a folder that does not exist; `.permissionDenied` if that folder may not be searched.
    init(_ given: String) throws(GranaryError) {
        guard !given.isEmpty else {
            throw GranaryError(.invalidPath, "The path is empty. Give the path of the store's folder: Music.granary.")
        }
        guard !given.utf8.contains(0) else {
            throw GranaryError(.invalidPath, "The path has a NUL byte, which no file system takes. Remove it.")
        }
        guard given != ":memory:" else {
            throw GranaryError(.invalidPath, ":memory: is no path. For a store in memory use the in-memory store.")
        }
        guard !given.utf8.starts(with: "file:".utf8) else {
            throw GranaryError(
                .invalidPath, "The path begins with file:, which is a URL. Give the path alone: /data/Music.granary.")
        }

        var (parent, last) = Self.split(given)
        if last == "." || last == ".." {
            (parent, last) = Self.split(try FileSystem.realPath(given))
        }
        guard !last.isEmpty else {
            throw GranaryError(.invalidPath, "The root folder cannot be a store. Give a folder inside it.")
        }
        do throws(GranaryError) {
            self.parent = try FileSystem.realPath(parent)
        } catch {
            guard error.code == .invalidPath else { throw error }
            var missing = error
            missing.message =
                "The folder \(parent), where the store would be, does not exist or is not a folder. "
                + "Create it first, then open the store again."
            throw missing
        }
        guard try FileSystem.status(self.parent)?.kind == .folder else {
            throw GranaryError(
                .invalidPath, "\(parent), where the store would be, is not a folder. Choose a path in a folder.")
        }
        name = last
    }

    /// The path before the last slash, and the name after it. Trailing slashes are ignored.
    // By UTF-8 bytes, not by characters: a combining mark after a slash makes one character of both.
    private static func split(_ path: String) -> (parent: String, last: String) {
        var bytes = Array(path.utf8)
        while bytes.last == 0x2F { bytes.removeLast() }
        let slash = bytes.lastIndex(of: 0x2F)
        let last = String(decoding: bytes[(slash.map { $0 + 1 } ?? 0)...], as: UTF8.self)
        guard let slash else { return (path.utf8.first == 0x2F ? "/" : ".", last) }
        return (slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self), last)
    }

    /// Opens the folder at the path. Returns nil if it does not exist.
    ///
    /// - Parameter permissions: For a store that is created. An existing store has those of its `CURRENT`.
    func openFolder(_ permissions: FilePermissions = .owner) throws(GranaryError) -> OpenFolder? {
        guard let status = try FileSystem.status(path) else { return nil }
        switch status.kind {
        case .folder:
            let current = try FileSystem.status("\(path)/\(StoreNames.current)")
            let permissions = current.map { FilePermissions(fileMode: $0.permissions) } ?? permissions
            do {
                return try OpenFolder(path, fileMode: permissions.fileMode)
            } catch {
                // It was destroyed after it had been examined.
                if error.underlying?.code == FileSystem.noEntry { return nil }
                throw error
            }
        case .symbolicLink:
            throw GranaryError(
                .invalidPath, "\(path) is a symbolic link. Give the path of the folder that it points to.")
        case .file, .other:
            throw GranaryError(
                .invalidPath, "\(path) is a file, and a store is a folder. Choose another path or move the file away.")
        }
    }
}
