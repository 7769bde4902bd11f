internal import GranaryCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Whose turn it is to write: first the threads of this process in the order they asked, then a lock on `writer.lock`
/// between processes.
///
/// LMDB's own writer mutex has no time-out and deadlocks when its owner asks again, so nobody reaches it without a turn.
// @unchecked: `holder`, `queue` and `nextTicket` are only touched with `lock` held; `file` only by the holder of the turn.
final class WriterTurn: @unchecked Sendable {
    private let lock = Lock()
    private let changed = Lock.Condition()
    private let file: LockFile
    private var holder: pthread_t?
    private var queue: [UInt64] = []
    private var nextTicket: UInt64 = 0

    init(folder: String) throws {
        file = try LockFile(path: folder + "/writer.lock")
    }

    func take(seconds: Double) throws {
        let deadline = Deadline(seconds: seconds)
        try waitInLine(until: deadline)
        do {
            guard try file.wait(.exclusive, at: 0, until: deadline) else { throw busy("another process", deadline) }
        } catch {
            step(aside: true)
            throw error
        }
    }

    func give() { step(aside: false) }

    private func step(aside failed: Bool) {
        if !failed { _ = try? file.set(.none, at: 0) }
        lock.withLock {
            holder = nil
            changed.broadcast()
        }
    }

    private func waitInLine(until deadline: Deadline) throws {
        lock.lock()
        defer { lock.unlock() }
        if let holder, pthread_equal(holder, pthread_self()) != 0 {
            throw GranaryError(
                .reentrantWrite, "this thread has a write transaction open already. End it first, or use a savepoint.")
        }
        let ticket = nextTicket
        nextTicket += 1
        queue.append(ticket)
        while holder != nil || queue.first != ticket {
            let signalled = changed.wait(lock, seconds: deadline.remaining)
            if !signalled, deadline.isOver, holder != nil || queue.first != ticket {
                queue.removeAll { $0 == ticket }
                changed.broadcast()
                throw busy("another write transaction of this process", deadline)
            }
        }
        queue.removeFirst()
        holder = pthread_self()
    }

    private func busy(_ who: String, _ deadline: Deadline) -> GranaryError {
        GranaryError(
            .busy, "\(who) was writing for the whole time-out: waited \(deadline.waitedText). Try again later.")
    }
}
