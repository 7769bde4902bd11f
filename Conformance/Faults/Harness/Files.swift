#if os(Linux)
    import Glibc

    /// The files of a folder, read and written whole.
    enum Files {
        struct Copy {
            /// By paths below the folder; nil for a folder.
            var contents: [(path: String, bytes: [UInt8]?, changed: timespec)] = []
        }

        static func names(_ folder: String) -> [String] {
            guard let stream = opendir(folder) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { names.append(name) }
            }
            return names.sorted()
        }

        static func status(_ path: String) -> stat? {
            var status = stat()
            return lstat(path, &status) == 0 ? status : nil
        }

        static func remove(_ path: String) {
            guard let status = status(path) else { return }
            guard status.st_mode & S_IFMT == S_IFDIR else { _ = unlink(path); return }
            for name in names(path) { remove("\(path)/\(name)") }
            _ = rmdir(path)
        }

        static func makeEmpty(_ folder: String) throws {
            remove(folder)
            guard mkdir(folder, 0o700) == 0 else { throw HarnessError("no folder \(folder): \(errno)") }
        }

        static func read(_ path: String) throws -> [UInt8] {
            let descriptor = open(path, O_RDONLY)
            guard descriptor >= 0, let status = status(path) else {
                throw HarnessError("cannot read \(path): \(errno)")
            }
            defer { close(descriptor) }
            let size = Int(status.st_size)
            return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
            }
        }

        /// Writes a file in place: one that exists stays the same file.
        static func write(_ bytes: [UInt8], to path: String) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard descriptor >= 0 else { throw HarnessError("cannot write \(path): \(errno)") }
            defer { close(descriptor) }
            guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
                throw HarnessError("cannot write \(path): \(errno)")
            }
        }

        static func copy(_ folder: String) throws -> Copy {
            var copy = Copy()
            try add(folder, "", &copy)
            return copy
        }

        private static func add(_ folder: String, _ prefix: String, _ copy: inout Copy) throws {
            for name in names(folder) {
                let path = "\(folder)/\(name)"
                guard let status = status(path) else { continue }
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                copy.contents.append((prefix + name, isFolder ? nil : try read(path), status.st_mtim))
                if isFolder { try add(path, "\(prefix)\(name)/", &copy) }
            }
        }

        /// Makes a folder as it was, with the same files and times of change.
        static func restore(_ copy: Copy, to folder: String) throws {
            if status(folder) == nil { try makeEmpty(folder) }
            let wanted = Set(copy.contents.map(\.path))
            removeOthers(folder, "", wanted)
            for (path, bytes, changed) in copy.contents {
                let full = "\(folder)/\(path)"
                if let bytes {
                    try write(bytes, to: full)
                    try setTime(changed, of: full)
                } else if status(full) == nil, mkdir(full, 0o700) != 0 {
                    throw HarnessError("no folder \(full): \(errno)")
                }
            }
        }

        private static func removeOthers(_ folder: String, _ prefix: String, _ wanted: Set<String>) {
            for name in names(folder) {
                let path = prefix + name
                if !wanted.contains(path) {
                    remove("\(folder)/\(name)")
                } else if let status = status("\(folder)/\(name)"), status.st_mode & S_IFMT == S_IFDIR {
                    removeOthers("\(folder)/\(name)", "\(path)/", wanted)
                }
            }
        }

        static func setTime(_ time: timespec, of path: String) throws {
            let times = [time, time]
            guard utimensat(AT_FDCWD, path, times, 0) == 0 else {
                throw HarnessError("cannot set the time of \(path): \(errno)")
            }
        }
    }
#endif
