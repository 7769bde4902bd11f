extension OpenFolder {
    /// The greatest depth of nested folders. A store's own folders are two deep; the limit bounds descriptors and
    /// recursion.
    static let depthLimit = 32

    /// Returns when the current names in this folder are on the disk.
    public func synchronize() throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            do throws(GranaryError) {
                try FileSystem.synchronize(descriptor, path)
            } catch {
                // EINVAL: the file system cannot sync folders (some in user space cannot). This is the best possible
                // result.
                if error.underlying?.code != EINVAL { throw error }
            }
        }
    }

    /// Gives ``fileMode`` to every file in the folder and below it, and the matching mode to every folder. Returns when
    /// all of them are on the disk. Links are not changed.
    ///
    /// It opens the files: no engine may have them open in this process.
    package func secureAndSynchronizeTree() throws(GranaryError) {
        try secureAndSynchronizeTree(depth: 0)
    }

    private func secureAndSynchronizeTree(depth: Int) throws(GranaryError) {
        try refuse(depth: depth)
        for raw in try rawNames() {
            let name = String(decoding: raw.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            switch try status(name)?.kind {
            case .file:
                let file = try file(name, .reading)
                try file.setPermissions(fileMode)
                try file.synchronize()
            case .folder:
                try folder(name).secureAndSynchronizeTree(depth: depth + 1)
            default:
                break
            }
        }
        let mode = FileSystem.folderMode(forFiles: fileMode) | (try status().groupInheritance)
        try withDescriptor { descriptor throws(GranaryError) in
            _ = try posixCall("set the permissions of", path) { fchmod(descriptor, mode_t(mode)) }
        }
        try synchronize()
    }

    /// Removes a folder with all its contents. Links are removed, never followed. Does nothing if the folder does not
    /// exist.
    package func removeTree(_ name: String) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            try Self.removeTree(Array(name.utf8CString), in: descriptor, path(of: name), depth: 0)
        }
    }

    private static func removeTree(
        _ name: [CChar], in parent: Int32, _ path: String, depth: Int
    ) throws(GranaryError) {
        // A file or a link is removed at once. (For a folder Linux gives EISDIR, POSIX EPERM.)
        while unlinkat(parent, name, 0) != 0 {
            let number = errno
            if number == ENOENT { return }
            if number == EISDIR || number == EPERM {
                do throws(GranaryError) {
                    try removeFolder(name, in: parent, path, depth: depth)
                } catch {
                    // It was no folder, but a file that may not be removed.
                    throw error.underlying?.code == ENOTDIR ? .posix(number, "remove", path) : error
                }
                return
            }
            if number != EINTR { throw .posix(number, "remove", path) }
        }
    }

    private static func removeFolder(
        _ name: [CChar], in parent: Int32, _ path: String, depth: Int
    ) throws(GranaryError) {
        let descriptor = try posixCall("remove", path) { openat(parent, name, flags) }
        let folder = OpenFolder(adopting: descriptor, path: path, fileMode: 0o600)
        try folder.refuse(depth: depth)
        for inner in try folder.rawNames() {
            try removeTree(inner, in: descriptor, path, depth: depth + 1)
        }
        _ = try posixCall("remove", path) { unlinkat(parent, name, AT_REMOVEDIR) }
        withExtendedLifetime(folder) {}
    }

    private func refuse(depth: Int) throws(GranaryError) {
        guard depth < Self.depthLimit else {
            throw GranaryError(
                .limit, "Folders lie more than \(Self.depthLimit) deep in \(path). Remove them by hand.")
        }
    }
}
