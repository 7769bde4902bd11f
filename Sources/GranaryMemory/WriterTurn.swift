internal import GranaryCore

/// One writer at a time, in the order in which they asked.
///
/// A plain lock is neither fair nor able to tell a thread that it waits for itself. Here the turn is handed to the next
/// in the queue, so that a writer that begins again at once cannot overtake those who wait.
// @unchecked: every field is read and written under `lock` only.
final class WriterTurn: @unchecked Sendable {
    private final class Waiter {
        let condition = Lock.Condition()
        var isCalled = false
    }

    private let lock = Lock()
    private var isTaken = false
    private var holder: Platform.Thread?
    private var queue: [Waiter] = []

    /// Waits for the turn. Throws `reentrantWrite` to a thread that has it already.
    func take() throws {
        lock.lock()
        defer { lock.unlock() }
        if isTaken {
            if holder == Platform.Thread.current {
                throw GranaryError(
                    .reentrantWrite,
                    "This thread has a write transaction open already; use that one, or end it first."
                )
            }
            let waiter = Waiter()
            queue.append(waiter)
            while !waiter.isCalled { waiter.condition.wait(lock) }
        }
        isTaken = true
        holder = Platform.Thread.current
    }

    /// How many threads wait for the turn.
    var waitingCount: Int { lock.withLock { queue.count } }

    /// Hands the turn on.
    func give() {
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
}
