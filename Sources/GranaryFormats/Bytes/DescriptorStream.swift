import GranaryPlatform

/// The bytes of a file descriptor: a file, a pipe, standard input.
final class DescriptorStream: ByteStream {
    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// Bytes that were read before the first call of `read`.
    private var beginning: [UInt8] = []

    /// Reads from a descriptor of the caller, who keeps it and closes it.
    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isOwned = false
    }

    /// Opens a file or a FIFO, following links.
    init(path: String) throws {
        // Opening a FIFO would otherwise wait for its other end without limit. The flag has no effect on files.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        var opened = open(path, flags)
        while opened < 0 && errno == EINTR { opened = open(path, flags) }
        guard opened >= 0 else {
            let number = errno
            if number == ENOENT {
                throw GranaryError(.invalidPath, "There is no file \(path) to read. Check the path.")
            }
            throw GranaryError.posix(number, "open", path)
        }
        descriptor = opened
        name = path
        isOwned = true
        var status = stat()
        if fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            beginning = try PeerWaiting.waitForWriter(opened, path)
        }
    }

    deinit {
        if isOwned { _ = close(descriptor) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let first = beginning.first, buffer.count > 0 {
            beginning = []
            buffer[0] = first
            return 1
        }
        while true {
            let count = readOnce(descriptor, buffer)
            if count >= 0 { return count }
            let number = errno
            switch number {
            case EINTR: continue
            case EAGAIN:
                // The descriptor does not block: wait until it has bytes.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&waiting, 1, -1)
            case EISDIR: throw GranaryError(.invalidPath, "\(name) is a folder. Give the files in it.")
            default: throw GranaryError.posix(number, "read", name)
            }
        }
    }
}

// Outside the class, whose own `read` hides the system's.
private func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
