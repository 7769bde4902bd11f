extension OpenFolder {
    /// The names in this folder, sorted, without `.` and `..`. Names that are not UTF-8 are shown with replacement
    /// characters.
    public func names() throws(GranaryError) -> [String] {
        try rawNames().map { String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The names as the file system has them, each with its closing NUL. This form reaches every file.
    func rawNames() throws(GranaryError) -> [[CChar]] {
        try withDescriptor { descriptor throws(GranaryError) in
            // A separate descriptor: the reading position of a folder belongs to the open description.
            let reading = try posixCall("list", path) {
                openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
            guard let stream = fdopendir(reading) else {
                let number = errno
                _ = close(reading)
                throw .posix(number, "list", path)
            }
            defer { closedir(stream) }
            var names: [[CChar]] = []
            while true {
                errno = 0
                guard let entry = readdir(stream) else {
                    let number = errno
                    if number == 0 { return names }
                    if number == EINTR { continue }
                    throw .posix(number, "list", path)
                }
                let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
                let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
                let name = Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
                let isDots = name == [0x2E, 0] || name == [0x2E, 0x2E, 0]
                if !isDots { names.append(name) }
            }
        }
    }

    /// Makes a folder for files with ``fileMode``, whatever the umask is. Returns false if the name is taken.
    package func makeFolder(_ name: String) throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in
            try FileSystem.makeFolder(name, in: descriptor, path(of: name), fileMode)
        }
    }

    /// Renames a file or folder atomically. A file or folder that had the new name is replaced.
    public func rename(_ name: String, to newName: String) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            _ = try posixCall("rename to \(newName)", path(of: name)) {
                renameat(descriptor, name, descriptor, newName)
            }
        }
    }

    /// Renames a file if the new name is free. Returns false if it is taken.
    package func rename(_ name: String, toFree newName: String) throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in
            if linkat(descriptor, name, descriptor, newName, 0) == 0 {
                do throws(GranaryError) {
                    try removeFile(name)
                } catch {
                    // Otherwise the file would have two names.
                    try? removeFile(newName)
                    throw error
                }
                return true
            }
            let number = errno
            if number == EEXIST { return false }
            // The file system does not support a second name for a file.
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(number) else {
                throw .posix(number, "rename to \(newName)", path(of: name))
            }
            guard try status(newName) == nil else { return false }
            try rename(name, to: newName)
            return true
        }
    }

    /// Removes a file or a link. Does nothing if it does not exist.
    public func removeFile(_ name: String) throws(GranaryError) {
        try remove(name, flags: 0)
    }

    /// Removes an empty folder. Does nothing if it does not exist.
    package func removeEmptyFolder(_ name: String) throws(GranaryError) {
        try remove(name, flags: AT_REMOVEDIR)
    }

    private func remove(_ name: String, flags: Int32) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            while unlinkat(descriptor, name, flags) != 0 {
                let number = errno
                if number == ENOENT { return }
                if number != EINTR { throw .posix(number, "remove", path(of: name)) }
            }
        }
    }
}

extension FileSystem {
    /// Makes a folder, whatever the umask is. It gets mode 0700, or the folder mode for files with `fileMode`. If the
    /// parent folder gives its group to new files (setgid), the new folder does too. Returns false if the path is
    /// taken.
    package static func makeFolder(_ path: String, fileMode: UInt32 = 0o600) throws(GranaryError) -> Bool {
        try makeFolder(path, in: AT_FDCWD, path, fileMode)
    }

    /// The mode of a folder for files with `mode`: users that may read the files may search the folder.
    package static func folderMode(forFiles mode: UInt32) -> UInt32 { mode | (mode & 0o444) >> 2 }

    static func makeFolder(
        _ name: String, in folder: Int32, _ path: String, _ fileMode: UInt32
    ) throws(GranaryError) -> Bool {
        let mode = mode_t(folderMode(forFiles: fileMode))
        while mkdirat(folder, name, mode) != 0 {
            let number = errno
            if number == EEXIST { return false }
            if number != EINTR { throw .posix(number, "create the folder", path) }
        }
        // If the parent folder gives its group to new files, the new folder has inherited this bit from it.
        let inherited = try status(name, in: folder, path)?.groupInheritance ?? 0
        _ = try posixCall("set the permissions of", path) { fchmodat(folder, name, mode | mode_t(inherited), 0) }
        return true
    }

    /// Removes an empty folder.
    package static func removeEmptyFolder(_ path: String) throws(GranaryError) {
        _ = try posixCall("remove the folder", path) { rmdir(path) }
    }
}
