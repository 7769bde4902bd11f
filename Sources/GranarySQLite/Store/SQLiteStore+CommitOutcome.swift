import CSQLite
import GranaryStoreKit

// An input or output error at COMMIT does not show whether the commit is in the file: the log may hold it completely
// although syncing failed. So the connection is closed and opened again, and the number of the last commit and its
// committer are compared.
//
// If other connections are open, the log is not read afresh, and the frames of the failed commit lie behind its end,
// where recovery would find them after the process has ended: a commit that was reported to no caller. So the record of
// commits is written once more, in other bytes, and synced. It is the first frame behind the log's end and replaces the
// first of those frames. The checksum of each frame continues that of the one before, so the other frames become
// invalid.
//
// If the log was read afresh and the failed commit is in it, a further sync proves nothing: the system may have given
// up pages that it could not write. So they are copied into the database, which is synced as a whole.
//
// Only then the result is known.

extension SQLiteStore {
    /// Returns if the commit was made that follows the one with the number `before` and has `number`; throws `error` if
    /// it was not.
    func resolveCommit(_ session: Session, _ before: UInt64, _ number: UInt64, _ error: GranaryError) throws {
        defer { giveTurn() }
        dropWriteSession(session)
        let isCommitted: Bool
        do {
            isCommitted = try settle(after: before, number)
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

    private func settle(after before: UInt64, _ number: UInt64) throws -> Bool {
        let session = try writeSession()
        do {
            try session.connection.execute("BEGIN IMMEDIATE")
            let record = try CommitRecord(session.commits.record())
            let mine = try CommitRecord(
                number: max(number, StoredCount.next(after: before)), committer: committer)
            // If another process has committed since, its number follows ours only if our commit was made.
            guard record.number <= mine.number else {
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
