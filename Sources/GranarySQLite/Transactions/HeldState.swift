import CSQLite
import GranaryStoreKit

/// The state that a session holds between two reads, if it holds one, and how it is known to be the newest.
// Each is read and set as a whole, by one thread or under the store's lock: no access lasts, and none is checked for overlaps.
final class HeldState {
    /// Whether states are held between reads.
    @exclusivity(unchecked) private var isEnabled: Bool
    /// Where the header of the log's index is, once the connection has read.
    @exclusivity(unchecked) private var logIndex: UnsafeRawPointer?
    /// That of the state which is read or held.
    @exclusivity(unchecked) private var logHeader = granary_log_header()
    /// Whether the state which is read is the one that ``logHeader`` is of.
    @exclusivity(unchecked) private(set) var isKnown = false
    /// Whether the session holds a state between two reads.
    @exclusivity(unchecked) var isHolding = false
    /// When the session was put back, in the store's count.
    @exclusivity(unchecked) var heldSince = 0
    /// When it was put back for the first time with the state that it holds.
    @exclusivity(unchecked) var takenAt: Int?

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// Whether nothing was committed, nor copied into the database, since the header was noted.
    var isNewest: Bool {
        guard let logIndex else { return false }
        return granary_sqlite3_is_same_log(logIndex, &logHeader) != 0
    }

    /// Notes the header of the log's index before a state is taken.
    func noteLog() {
        guard isEnabled else { return }
        takenAt = nil
        if let logIndex { logHeader = granary_sqlite3_log_header(logIndex) }
    }

    /// Says whether the state that was taken is the one whose header was noted: nothing was committed meanwhile.
    func confirmLog(of connection: Connection) {
        guard isEnabled else { return }
        if logIndex != nil {
            isKnown = isNewest
        } else {
            // The next read can note it. A database without a log is not asked for its index: that would make one.
            guard let mode = try? connection.values("PRAGMA journal_mode").first?.first, mode == .string("wal") else {
                isEnabled = false
                return
            }
            logIndex = granary_sqlite3_log_index(connection.handle)
        }
    }

    /// When the read ends.
    func forget() { isKnown = false }
}
