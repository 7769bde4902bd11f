import GranaryPlatform

/// Writes a file that appears at its path as a whole, or not at all.
///
/// The bytes go to a new file in the same folder. ``finish()`` gives it the name, in place of a file that had it, when
/// everything is on the disk; the new one has the permissions of the one that it replaces. A sink that is dropped before removes what it has written. Where the path is not that of
/// a regular file, a FIFO or a device for example, the bytes are written to it directly.
public final class FileSink: ByteSink {
    private let path: String
    private let descriptor: Int32
    /// The path of the new file; nil when it has its name, or there is none.
    private var temporary: String?

    public init(_ path: String) throws {
        // What a link leads to is replaced or made, not the link.
        var isOther = false
        var mode: mode_t?
        var resolved = FileSink.target(path)
        var status = stat()
        if stat(path, &status) == 0 {
            isOther = status.st_mode & S_IFMT != S_IFREG
            mode = status.st_mode & 0o777
            resolved = try FileSystem.realPath(path)
        }
        self.path = resolved
        // Its own name, since the file's with anything after it may be too long.
        let folder = resolved.lastIndex(of: "/").map { String(resolved[...$0]) } ?? ""
        let temporary = isOther ? nil : "\(folder).granary-\(UInt64.random(in: .min ... .max))"
        let flags = isOther ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        descriptor = open(temporary ?? resolved, flags, mode ?? 0o666)
        guard descriptor >= 0 else { throw GranaryError.posix(errno, "create", path) }
        self.temporary = temporary
        // The process takes bits away when it creates a file. Some file systems have no modes.
        if let mode, temporary != nil { _ = fchmod(descriptor, mode) }
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
