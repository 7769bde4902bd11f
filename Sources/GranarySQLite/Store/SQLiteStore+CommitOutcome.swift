import CSQLite
import GranaryStoreKit

// An input or output error at COMMIT does not say whether the commit is in the file: the log may hold it whole although
// syncing it failed. So the connection is closed and opened again, and the number of the last commit and who made it are
// compared.
//
// Where other connections are open the log is not read afresh, and the frames of the failed commit lie behind its end,
// where recovery finds them after the process has ended: a commit that was reported to no caller. So the record of commits is
// written once more, in other bytes, and synced. It is the first frame behind the log's end and replaces the first of those
// frames; as each frame's checksum goes on from that of the one before, the others are void with it.
//
// Where the log was read afresh and the failed commit is in it, syncing once more proves nothing: the system may have given
// up pages that it could not write. They are copied into the database, which is synced as a whole.
//
// Only then is the answer given.

extension SQLiteStore {
    /// Returns if the commit after `number` holds; throws `error` if it does not.
    func resolveCommit(_ session: Session, _ number: UInt64, _ error: GranaryError) throws {
        defer { giveTurn() }
        dropWriteSession(session)
        let isCommitted: Bool
        do {
            isCommitted = try settle(after: number)
        } catch let second {
            let second = second as? GranaryError
            var unknown = error
            unknown.code = .commitOutcomeUnknown
            unknown.message =
                "The disk failed while committing, and again when asked whether the commit holds. Read what should have been written, and write it again if it is not there."
            if second?.code == .commitOutcomeUnknown, let second { unknown.message = second.message }
            unknown.underlying = unknown.underlying ?? second?.underlying
            throw unknown
        }
        if !isCommitted { throw error }
    }

    private func settle(after number: UInt64) throws -> Bool {
        let session = try writeSession()
        do {
            try session.connection.execute("BEGIN IMMEDIATE")
            let record = try CommitRecord(session.commits.record())
            let next = try StoredCount.next(after: number)
            let mine = CommitRecord(number: next, committer: committer)
            // Another process that has committed since counted from ours if it was there.
            guard record.number <= next else {
                throw GranaryError(
                    .commitOutcomeUnknown,
                    "The disk failed while committing, and another process has committed since. Read what should have been written, and write it again if it is not there."
                )
            }
            try record.rewritten.write(session.connection)
            try session.connection.execute("COMMIT")
            let isMine = record.isSameCommit(as: mine)
            if isMine { try session.connection.emptyLog(.full, waiting: options.busySeconds) }
            return isMine
        } catch {
            dropWriteSession(session)
            throw error
        }
    }
}
