internal import CSQLite
import GranaryCore

/// Whose turn it is to write in this process, in the order of asking.
// @unchecked: what changes is only touched while `lock` is held.
final class WriteTurn: @unchecked Sendable {
    private let lock = Lock()
    private let changed = Lock.Condition()
    private var waiting: [UInt64] = []
    private var lastTicket: UInt64 = 0
    private var holder: UInt?

    /// Waits for the turn, and says how long that took, in seconds.
    ///
    /// - Throws: `busy` after the time-out, `reentrantWrite` if this thread has the turn.
    func take(timeout: Double) throws -> Double {
        let thread = granary_current_thread()
        let start = ContinuousClock.now
        lock.lock()
        defer { lock.unlock() }
        guard holder != UInt(thread) else {
            throw GranaryError(
                .reentrantWrite, "A write was begun inside a write on the same store. Use the transaction there is.")
        }
        lastTicket += 1
        let ticket = lastTicket
        waiting.append(ticket)
        while holder != nil || waiting.first != ticket {
            let rest = timeout - start.secondsUntilNow
            if rest <= 0 || !changed.wait(lock, seconds: rest), holder != nil || waiting.first != ticket,
                start.secondsUntilNow >= timeout
            {
                waiting.removeAll { $0 == ticket }
                changed.broadcast()
                throw GranaryError.busy(after: start.secondsUntilNow)
            }
        }
        waiting.removeFirst()
        holder = UInt(thread)
        return start.secondsUntilNow
    }

    func give() {
        lock.withLock {
            holder = nil
            changed.broadcast()
        }
    }
}

extension ContinuousClock.Instant {
    var secondsUntilNow: Double {
        let passed = duration(to: .now).components
        return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
    }
}

extension GranaryError {
    static func busy(after seconds: Double) -> GranaryError {
        let tenths = (seconds * 10).rounded() / 10
        return GranaryError(
            .busy,
            "Another transaction has been writing for \(tenths) seconds. Try again, or give a longer busy time-out.")
    }
}
