import GranaryPlatform

/// Whose turn it is to write in this process: one thread at a time, in the order in which they asked. For engines: taken
/// when a write transaction begins, given when it ends.
///
/// A plain lock is neither fair nor able to tell a thread that it waits for itself. Here the turn is handed to the next in
/// the queue, so that a writer that begins again at once cannot overtake those who wait.
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

    public init() {}

    /// Waits for the turn, and returns how long it waited.
    ///
    /// - Parameter timeout: How long to wait at most; nil for as long as it takes.
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
        if holder == thread {
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

    /// Hands the turn on. It need not be the thread that took it.
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

    /// How many threads wait for the turn.
    package var waitingCount: Int { lock.withLock { queue.count } }
}

/// How long a thread waits for its turn to write where that is less than the store's time-out: for what can be done another time.
package enum WriterPatience {
    /// In seconds; nil for the store's time-out.
    @TaskLocal package static var limit: Double?

    /// How long to wait, of a store that has a time-out.
    package static func seconds(upTo timeout: Double) -> Double { min(timeout, limit ?? timeout) }
}
