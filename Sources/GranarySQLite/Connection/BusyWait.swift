import CSQLite
import GranaryPlatform

/// How a connection waits for a lock of another connection.
///
/// SQLite's own way is to try again after pauses that grow to a tenth of a second. If another process writes again and
/// again and releases the lock only for some microseconds between two transactions, it may try in vain for seconds.
/// Here the pauses grow to some milliseconds and then get shorter: the connection that has waited longest tries most
/// often, and so gets the lock first. The pauses grow at first because a process that gets the lock must read again
/// what the other has written: the lock should not change its owner after each transaction.
final class BusyWait {
    /// The longest time to wait, in seconds.
    var limit = 0.0
    private var since = Stopwatch()

    /// In seconds: the first pause, which is doubled again and again, the longest pause, and the shortest of the
    /// decreasing ones.
    private static let (first, longest, shortest) = (0.0005, 0.01, 0.0002)

    /// The length of the next pause, in seconds; nil when the time is over.
    ///
    /// - Parameters:
    ///   - waited: The time waited so far, in seconds.
    ///   - attempts: The number of further attempts so far.
    func pause(after waited: Double, attempts: Int) -> Double? {
        guard waited < limit else { return nil }
        let growing = BusyWait.first * Double(1 << min(attempts, 10))
        let shrinking = max(BusyWait.shortest, BusyWait.longest * (1 - waited / limit))
        return min(growing, shrinking, limit - waited)
    }

    /// Pauses before the lock is tried again.
    ///
    /// - Parameter attempts: The number of further attempts so far.
    /// - Returns: Whether to try it again.
    fileprivate func pause(attempts: Int32) -> Bool {
        if attempts == 0 { since = Stopwatch() }
        guard let pause = pause(after: since.seconds, attempts: Int(attempts)) else { return false }
        let allowed = Library.takeSleep(seconds: pause)
        guard allowed > 0 else { return false }
        usleep(UInt32(allowed * 1e6))
        return true
    }
}

extension Connection {
    /// Makes SQLite wait for locks with ``busyWait``.
    func waitWhenBusy() {
        // It lives as long as the connection, which calls the handler.
        sqlite3_busy_handler(
            handle,
            { wait, attempts in
                guard let wait else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(wait).takeUnretainedValue().pause(attempts: attempts) ? 1 : 0
            }, Unmanaged.passUnretained(busyWait).toOpaque())
    }
}
