import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct CommitOutcomeTests {
    private let failed = GranaryError(.io, "Syncing failed.").causedBy("sqlite", 1034, "disk I/O error")

    private func store(_ folder: TemporaryFolder) throws -> SQLiteStore {
        try folder.open().close()
        return try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
    }

    /// What ``SQLiteStore/resolveCommit(_:_:_:_:)`` says after a commit that another call made or did not make.
    ///
    /// - Parameter number: The number of the commit, which may be of several writes.
    private func outcome(
        _ store: SQLiteStore, _ record: CommitRecord?, of number: UInt64 = 1
    ) throws -> GranaryError? {
        try store.takeTurn()
        let session = try store.writeSession()
        if let record {
            try session.connection.execute("BEGIN IMMEDIATE")
            try record.write(session.connection)
            try session.connection.execute("COMMIT")
        }
        return failure { try store.resolveCommit(session, 0, number, failed) }
    }

    @Test func `a commit that is in the file after all counts as made`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(try outcome(store, CommitRecord(number: 1, committer: store.committer)) == nil)
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(try store.read { $0.transactionNumber } == 2)
        try store.close()
    }

    @Test func `a commit that is not in the file failed`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(try outcome(store, nil)?.code == .io)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.close()
    }

    @Test func `another process that has committed since shows whether ours was there, unless it was two`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        // It counted from the commit before ours, so ours is not there.
        #expect(try outcome(store, CommitRecord(number: 1, committer: store.committer &+ 2))?.code == .io)
        // Two commits of others, or ours and another's: nobody can say.
        #expect(
            try outcome(store, CommitRecord(number: 2, committer: store.committer &+ 2))?.code == .commitOutcomeUnknown)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
    }

    @Test func `a commit of several writes is there with the number of the last, or not at all`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let others = store.committer &+ 2
        #expect(try outcome(store, CommitRecord(number: 2, committer: others), of: 3)?.code == .io)
        #expect(try outcome(store, CommitRecord(number: 3, committer: others), of: 3)?.code == .io)
        #expect(try outcome(store, CommitRecord(number: 4, committer: others), of: 3)?.code == .commitOutcomeUnknown)
        #expect(try outcome(store, CommitRecord(number: 5, committer: store.committer), of: 5) == nil)
        try store.close()
    }
}
