import CSQLite
import GranaryPlatform

/// How a connection waits for a lock that another one has.
///
/// SQLite's own way is to try again after pauses that grow to a tenth of a second. Beside a process that writes again and again,
/// and lets the lock go for some microseconds between two transactions, it may try for seconds in vain. Here the pauses grow to
/// some milliseconds, and then get shorter: who has waited longest tries most often, and so gets the lock first. They begin with
/// growing because a process that gets the lock must read again what the other has written: it should not change after each
/// transaction.
final class BusyWait {
    /// For how many seconds.
    var limit = 0.0
    private var since = Stopwatch()

    /// In seconds: the first pause, which others double, the longest, and the shortest of those that get shorter.
    private static let (first, longest, shortest) = (0.0005, 0.01, 0.0002)

    /// How long to pause, in seconds; nil when it is over.
    ///
    /// - Parameters:
    ///   - waited: For how many seconds it has waited.
    ///   - attempts: How often the lock was tried again.
    func pause(after waited: Double, attempts: Int) -> Double? {
        guard waited < limit else { return nil }
        let growing = BusyWait.first * Double(1 << min(attempts, 10))
        let shrinking = max(BusyWait.shortest, BusyWait.longest * (1 - waited / limit))
        return min(growing, shrinking, limit - waited)
    }

    /// Pauses before the lock is tried again.
    ///
    /// - Parameter attempts: How often it was tried again before.
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
    /// Has SQLite wait for locks as ``busyWait`` says.
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
