import GranaryPlatform
import Synchronization

/// How long opening a FIFO waits until another process has opened its other end. By default there is no limit, as in
/// the system's own `open`.
package enum PeerWaiting {
    /// The limit of the process in milliseconds; `Int.max` means no limit.
    private static let limit = Atomic<Int>(.max)

    /// Sets the limit of this process.
    package static func setLimit(seconds: Double) {
        limit.store(Int(clamping: Int64(min(max(0, seconds), 1e8) * 1000)), ordering: .relaxed)
    }

    static var deadline: Deadline {
        let limit = PeerWaiting.limit.load(ordering: .relaxed)
        return Deadline(seconds: limit == .max ? .infinity : Double(limit) / 1000)
    }

    /// - Parameter peer: What the other process does: "writes to", "reads".
    static func error(_ path: String, _ peer: String, _ deadline: Deadline) -> GranaryError {
        GranaryError(
            .busy,
            "\(path) is a FIFO that no process \(peer): waited \(deadline.waitedText). Start the other process, or give a file."
        )
    }

    /// Waits until another process writes to a FIFO that was opened for reading without blocking.
    ///
    /// - Returns: A byte that was read while waiting, or no bytes.
    static func waitForWriter(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        let deadline = PeerWaiting.deadline
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // A process has written something, or has opened and closed the FIFO.
            if poll(&waiting, 1, 10) > 0 { return [] }
            // A count of zero: no process has it open for writing. EAGAIN: a process has, but has not written yet.
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count > 0 { return [byte] }
            if count < 0, errno == EAGAIN { return [] }
            guard !deadline.isOver else { throw error(path, "writes to", deadline) }
        }
    }

    /// Opens a FIFO for writing as soon as another process reads it.
    ///
    /// - Returns: The result of `open`.
    static func openForWriting(_ path: String, _ flags: Int32) throws -> Int32 {
        let deadline = PeerWaiting.deadline
        while true {
            let descriptor = open(path, flags | O_NONBLOCK)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
                return descriptor
            }
            guard errno == ENXIO || errno == EINTR else { return descriptor }
            guard !deadline.isOver else { throw error(path, "reads", deadline) }
            usleep(10_000)
        }
    }
}
