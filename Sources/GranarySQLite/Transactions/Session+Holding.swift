import CSQLite
import GranaryStoreKit

// A read costs SQLite two locks on the file, one when it begins to read a state and one when it ends. So a session that
// is put back holds its state for a moment, and the next read continues with it if no connection of any process has
// committed since: then the header of the log's index, in memory that all processes share, is unchanged.
//
// A held state prevents a restart of the log. So no state is held while this store writes. For the sake of other
// processes, no state is continued after the log was copied into the database: a state taken after that does not need
// the log. And no state is held for more than some hundredths of a second, with or without reads: a state that is taken
// at the moment when the copying ends still needs the log, and no later change would show that.

extension Session {
    /// Ends a read, but holds its state if that is possible and it is still the newest.
    func pauseReading() {
        guard held.isKnown, held.isNewest, !lists.wasMade, connection.isInAutocommit else { return endReading() }
        endStatements()
        connection.cancellation.flag = nil
        held.isHolding = true
    }

    /// Releases the held state, if there is one.
    func letGo() {
        guard held.isHolding else { return }
        held.isHolding = false
        endReading()
    }

    /// Whether the held state is still the newest. If not, releases it.
    func holdsNewest() -> Bool {
        guard held.isHolding else { return false }
        held.isHolding = false
        if held.isNewest { return true }
        endReading()
        return false
    }
}
