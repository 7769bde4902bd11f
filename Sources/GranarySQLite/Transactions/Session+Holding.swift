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
        guard held.isKnown, held.isNewest, !lists.wasMade, connection.isInAutocommit else { return endReading() }
        endStatements()
        connection.cancellation.flag = nil
        held.isHolding = true
    }

    /// Gives up the state that it holds, if it holds one.
    func letGo() {
        guard held.isHolding else { return }
        held.isHolding = false
        endReading()
    }

    /// Whether the state that it holds is still the newest. If not, gives it up.
    func holdsNewest() -> Bool {
        guard held.isHolding else { return false }
        held.isHolding = false
        if held.isNewest { return true }
        endReading()
        return false
    }
}
