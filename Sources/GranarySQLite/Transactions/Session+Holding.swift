import CSQLite
import GranaryStoreKit

// A read costs SQLite two locks on the file, one when it begins to read a state and one when it ends. So a session that is put
// back goes on to hold its state for a moment, and the next read goes on with it if nothing was committed since by anybody: the
// header of the log's index, in memory that all processes share, is still the same then.
//
// A state that is held keeps the log from being begun anew. So none is held while this store writes. For the sake of other
// processes none goes on once the log was copied into the database: a state that is taken then does without the log. And none is
// held for more than some hundredths of a second, with or without reads: one that is taken at the moment when the copying ends
// needs the log all the same, and nothing that changes afterwards would tell.

extension Session {
    /// Ends a read, but goes on to hold its state if that can be, and it still is the newest.
    func pauseReading() {
        guard isStateKnown, isNewest, !hasListTable, connection.isInAutocommit else { return endReading() }
        endStatements()
        connection.cancellation.flag = nil
        isHolding = true
    }

    /// Gives up the state that it holds, if it holds one.
    func letGo() {
        guard isHolding else { return }
        isHolding = false
        endReading()
    }

    /// Whether the state that it holds is still the newest. If not, gives it up.
    func holdsNewest() -> Bool {
        guard isHolding else { return false }
        isHolding = false
        if isNewest { return true }
        endReading()
        return false
    }

    /// Whether nothing was committed, nor copied into the database, since ``logHeader`` was noted.
    private var isNewest: Bool {
        guard let logIndex else { return false }
        return granary_sqlite3_is_same_log(logIndex, &logHeader) != 0
    }

    /// Notes the header of the log's index before a state is taken.
    func noteLog() {
        guard holdsStates else { return }
        takenAt = nil
        if let logIndex { logHeader = granary_sqlite3_log_header(logIndex) }
    }

    /// Says whether the state that was taken is the one whose header was noted: nothing was committed meanwhile.
    func confirmLog() {
        guard holdsStates else { return }
        if logIndex != nil {
            isStateKnown = isNewest
        } else {
            // The next read can note it. A database without a log is not asked for its index: that would make one.
            guard let mode = try? connection.values("PRAGMA journal_mode").first?.first, mode == .string("wal") else {
                holdsStates = false
                return
            }
            logIndex = granary_sqlite3_log_index(connection.handle)
        }
    }
}
