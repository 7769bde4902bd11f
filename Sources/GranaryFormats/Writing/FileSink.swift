import GranaryPlatform

/// Writes a file that appears at its path as a whole, or not at all.
///
/// The bytes go to a new file in the same folder. ``finish()`` gives it the name, in place of a file that had it, when
/// everything is on the disk; the new one has the permissions of the one that it replaces, or else is for this user alone, as stores are. A sink that
/// is dropped before removes what it has written; what a killed process has left there is removed by the next sink in the folder.
/// Where the path is not that of a regular file, a FIFO or a device for example, the bytes are written to it directly.
public final class FileSink: ByteSink {
    private let path: String
    private let descriptor: Int32
    /// The path of the new file; nil when it has its name, or there is none.
    private var temporary: String?

    public init(_ path: String) throws {
        // What a link leads to is replaced or made, not the link.
        var (isOther, isFIFO) = (false, false)
        var mode: mode_t?
        var resolved = FileSink.target(path)
        var status = stat()
        if stat(path, &status) == 0 {
            isOther = status.st_mode & S_IFMT != S_IFREG
            isFIFO = status.st_mode & S_IFMT == S_IFIFO
            mode = status.st_mode & 0o777
            resolved = try FileSystem.realPath(path)
        }
        self.path = resolved
        if isOther {
            let flags = O_WRONLY | O_CLOEXEC
            descriptor = isFIFO ? try PeerWaiting.openForWriting(resolved, flags) : open(resolved, flags)
            guard descriptor >= 0 else { throw GranaryError.posix(errno, "open", path) }
        } else {
            let folder = resolved.lastIndex(of: "/").map { String(resolved[...$0]) } ?? ""
            // One that may be searched but not read cannot be looked through.
            if let folder = try? OpenFolder(folder.isEmpty ? "." : folder) { UnfinishedFile.removeLeft(in: folder) }
            (descriptor, temporary) = try FileSink.create(in: folder, mode ?? 0o600, for: path)
            // The process takes bits away when it creates a file. Some file systems have no modes.
            if let mode { _ = fchmod(descriptor, mode) }
        }
    }

    /// Makes a file with a name of its own, since the file's with anything after it may be too long.
    private static func create(in folder: String, _ mode: mode_t, for path: String) throws -> (Int32, String) {
        while true {
            let temporary = folder + UnfinishedFile.newName()
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else { throw GranaryError.posix(errno, "create", path) }
            if UnfinishedFile.lock(descriptor, temporary) { return (descriptor, temporary) }
            _ = close(descriptor)
        }
    }

    /// Where the links at a path lead, also if nothing is there.
    private static func target(_ path: String) -> String {
        var path = path
        // As many as systems follow.
        for _ in 0..<40 {
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0 else { return path }
            let link = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = link.hasPrefix("/") ? link : folder + link
        }
        return path
    }

    deinit {
        _ = close(descriptor)
        if let temporary { _ = unlink(temporary) }
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws { try writeAll(bytes, to: descriptor, path) }

    public func finish() throws {
        guard let temporary else { return }
        guard fsync(descriptor) == 0 else { throw GranaryError.posix(errno, "sync", path) }
        guard rename(temporary, path) == 0 else { throw GranaryError.posix(errno, "replace", path) }
        self.temporary = nil
        let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }
}
