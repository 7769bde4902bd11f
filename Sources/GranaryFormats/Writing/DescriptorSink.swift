import GranaryPlatform

/// Writes to a file descriptor: a pipe, a socket, standard output.
public final class DescriptorSink: ByteSink {
    private let descriptor: Int32
    private let name: String

    /// A sink that writes to a descriptor of the caller, and does not close it.
    public init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// The standard output of the process.
    public static var standardOutput: DescriptorSink { DescriptorSink(1, name: "standard output") }

    public func write(_ bytes: UnsafeRawBufferPointer) throws { try writeAll(bytes, to: descriptor, name) }
    public func finish() {}
}

/// Writes bytes to a descriptor, however many calls that takes.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String) throws {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
        let count = write(descriptor, base + done, bytes.count - done)
        if count > 0 {
            done += count
            continue
        }
        let number = count == 0 ? EIO : errno
        if number == EINTR { continue }
        guard number == EAGAIN else { throw GranaryError.posix(number, "write", name) }
        // The descriptor does not block: wait until it has room.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
    }
}
