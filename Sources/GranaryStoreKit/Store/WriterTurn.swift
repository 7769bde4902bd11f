import GranaryPlatform

/// Decides which thread of this process may write: one at a time, in the order of the requests. For engines: taken when
/// a write transaction begins, given back when it ends.
///
/// A plain lock is not fair, and cannot tell a thread that it waits for itself. Here the turn is passed to the next
/// thread in the queue, so that a writer that begins again at once cannot overtake waiting threads.
// @unchecked: every field is read and written under `lock` only.
public final class WriterTurn: @unchecked Sendable {
    private final class Waiter {
        let condition = Lock.Condition()
        var isCalled = false
    }

    private let lock = Lock()
    private var isTaken = false
    private var holder: UInt?
    private var queue: [Waiter] = []

    /// The thread on whose behalf this one works, while that thread waits: its turn counts as the turn of this one.
    @TaskLocal package static var represented: UInt?

    public init() {}

    /// Waits for the turn, and returns how long it waited.
    ///
    /// - Parameter timeout: The longest time to wait; nil for no limit.
    /// - Throws: `busy` after the time-out, `reentrantWrite` if this thread has the turn already.
    @discardableResult public func take(timeout: Duration? = nil) throws -> Duration {
        .seconds(try take(seconds: timeout?.inSeconds ?? .infinity))
    }

    @discardableResult package func take(seconds: Double) throws -> Double {
        let thread = currentThread()
        lock.lock()
        defer { lock.unlock() }
        guard isTaken else {
            isTaken = true
            holder = thread
            return 0
        }
        if let holder, holder == thread || holder == WriterTurn.represented {
            throw GranaryError(
                .reentrantWrite,
                "This thread has a write transaction open already. Use that one and its savepoints, or end it first.")
        }
        let deadline = Deadline(seconds: WriterPatience.seconds(upTo: seconds))
        let waiter = Waiter()
        queue.append(waiter)
        while !waiter.isCalled {
            guard !deadline.isOver else {
                queue.removeAll { $0 === waiter }
                throw GranaryError.busyWriting(after: deadline.elapsed)
            }
            _ = waiter.condition.wait(lock, seconds: deadline.remaining)
        }
        holder = thread
        return deadline.elapsed
    }

    /// Passes the turn on. It may be called by another thread than the one that took it.
    public func give() {
        lock.lock()
        defer { lock.unlock() }
        holder = nil
        guard !queue.isEmpty else {
            isTaken = false
            return
        }
        let next = queue.removeFirst()
        next.isCalled = true
        next.condition.signal()
    }

    /// The number of threads that wait for the turn.
    package var waitingCount: Int { lock.withLock { queue.count } }
}

/// How long a thread waits for its turn to write if that is less than the store's time-out: for work that can be done
/// later.
package enum WriterPatience {
    /// In seconds; nil for the store's time-out.
    @TaskLocal package static var limit: Double?

    /// The time to wait, for a store with a time-out.
    package static func seconds(upTo timeout: Double) -> Double { min(timeout, limit ?? timeout) }
}
