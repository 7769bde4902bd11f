import GranaryPlatform

/// Writes a file that appears at its path completely, or not at all.
///
/// The bytes go to a new file in the same folder. When all bytes are on the disk, ``finish()`` gives the new file its
/// name, and replaces a file of that name. The new file gets the permissions of the replaced one; without one, only
/// this user can read and write it, as with stores. A sink that is freed before that removes its unfinished file; the
/// unfinished file of a killed process is removed by the next sink in the folder. If the path leads to something other
/// than a regular file, for example a FIFO or a device, the bytes are written to it directly.
public final class FileSink: ByteSink {
    private let path: String
    private let descriptor: Int32
    /// The path of the new file; nil once it has its final name, or if the bytes are written directly.
    private var temporary: String?

    public init(_ path: String) throws {
        // Replaces or makes the target of a link, not the link.
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
            // A folder that may be searched but not read cannot be looked through.
            if let folder = try? OpenFolder(folder.isEmpty ? "." : folder) { UnfinishedFile.removeLeft(in: folder) }
            (descriptor, temporary) = try FileSink.create(in: folder, mode ?? 0o600, for: path)
            // The process takes bits away when it creates a file. Some file systems have no modes.
            if let mode { _ = fchmod(descriptor, mode) }
        }
    }

    /// Makes a file with a random name: the file's own name with a suffix may be too long.
    private static func create(in folder: String, _ mode: mode_t, for path: String) throws -> (Int32, String) {
        while true {
            let temporary = folder + UnfinishedFile.newName()
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else { throw GranaryError.posix(errno, "create", path) }
            if UnfinishedFile.lock(descriptor, temporary) { return (descriptor, temporary) }
            _ = close(descriptor)
        }
    }

    /// The path at the end of all links, even if nothing exists there.
    private static func target(_ path: String) -> String {
        var path = path
        // Systems follow at most 40 links.
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
