internal import CSQLite
import GranaryCore

// An input or output error at COMMIT does not say whether the commit is in the file: the log may hold it whole although
// syncing it failed. So the connection is closed and opened again, which reads the log afresh, and the number of the
// last commit and who made it are compared.
//
// Where other connections are open the log is not read afresh, and frames of the failed commit may lie behind its end,
// to be found after a loss of power. Writing the same record once more settles it: it overwrites them, or is a commit
// behind them, and is synced in either case. Only then is the answer given.

extension SQLiteStore {
    /// Returns if the commit after `number` holds; throws `error` if it does not.
    func resolveCommit(_ session: Session, _ number: UInt64, _ error: GranaryError) throws {
        defer { turn.give() }
        dropWriteSession(session)
        let isCommitted: Bool
        do {
            isCommitted = try settle(after: number)
        } catch let second {
            var unknown = error
            unknown.code = .commitOutcomeUnknown
            unknown.message =
                "The disk failed while committing, and again when asked whether the commit holds. Open the store again and look."
            if let second = second as? GranaryError, unknown.underlying == nil {
                unknown.underlying = second.underlying
            }
            throw unknown
        }
        if !isCommitted { throw error }
    }

    private func settle(after number: UInt64) throws -> Bool {
        let session = try writeSession()
        do {
            try session.connection.execute("BEGIN IMMEDIATE")
            let record = try CommitRecord(session.commitQuery())
            let mine = CommitRecord(number: number + 1, committer: committer)
            guard record == mine || record.number == number else {
                // Others have committed since: whether before them we did, nobody can say.
                throw GranaryError(.commitOutcomeUnknown, "Others have committed meanwhile.")
            }
            try record.write(session.connection)
            try session.connection.execute("COMMIT")
            return record == mine
        } catch {
            dropWriteSession(session)
            throw error
        }
    }
}
