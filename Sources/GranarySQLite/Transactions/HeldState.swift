import CSQLite
import GranaryStoreKit

/// The state that a session holds between two reads, if it holds one, and the means to tell whether it is the newest.
// Each property is read and set as a whole, by one thread or under the store's lock, so accesses never overlap and are
// not checked.
final class HeldState {
    /// Whether states are held between reads.
    @exclusivity(unchecked) private var isEnabled: Bool
    /// The address of the header of the log's index, once the connection has read.
    @exclusivity(unchecked) private var logIndex: UnsafeRawPointer?
    /// The header of the state that is read or held.
    @exclusivity(unchecked) private var logHeader = granary_log_header()
    /// Whether ``logHeader`` belongs to the state that is read.
    @exclusivity(unchecked) private(set) var isKnown = false
    /// Whether the session holds a state between two reads.
    @exclusivity(unchecked) var isHolding = false
    /// The time when the session was put back, in the store's count.
    @exclusivity(unchecked) var heldSince = 0
    /// The time when it was first put back with the state that it holds.
    @exclusivity(unchecked) var takenAt: Int?

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// Whether nothing was committed, or copied into the database, since the header was noted.
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

    /// Marks the state as known if its header is unchanged since it was noted: nothing was committed in the meantime.
    func confirmLog(of connection: Connection) {
        guard isEnabled else { return }
        if logIndex != nil {
            isKnown = isNewest
        } else {
            // The next read can note it. A database without a log is not asked for its index, because that would make
            // one.
            guard let mode = try? connection.values("PRAGMA journal_mode").first?.first, mode == .string("wal") else {
                isEnabled = false
                return
            }
            logIndex = granary_sqlite3_log_index(connection.handle)
        }
    }

    /// Called when the read ends.
    func forget() { isKnown = false }
}
