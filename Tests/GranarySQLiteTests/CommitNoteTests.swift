import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

/// The number of the last commit beside the database, which shows that commits are missing.
@Suite struct CommitNoteTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func open(_ folder: TemporaryFolder, _ durability: Durability = .full) throws -> any Store {
        try SQLiteStoreProvider.sqlite(atPath: folder.store, options: .init(durability: durability)).open(
            music, migration: .automatic)
    }

    /// A store with five commits as it is found after its process was killed.
    private func killed() throws -> TemporaryFolder {
        let store = try open(folder)
        for number in 1...5 {
            try store.write { _ = try $0.insert(.genre, .integer(Int64(number)), .string("Genre \(number)")) }
        }
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.store, toPath: copy.store)
        try store.close()
        return copy
    }

    @Test func `a store whose process was killed lacks no commit`() throws {
        let copy = try killed()
        let work = LongWork()
        let store = try work.run { try open(copy) }
        #expect(work.missingCommits == 0)
        #expect(try store.read { $0.transactionNumber } == 5)
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `opening and verify tell that commits are missing after damage to the log`() throws {
        let copy = try killed()
        let log = URL(filePath: copy.database + "-wal")
        var bytes = try Data(contentsOf: log)
        // In the last commit.
        bytes[bytes.count - 100] ^= 1
        try bytes.write(to: log)
        let work = LongWork()
        let store = try work.run { try open(copy) }
        #expect(work.missingCommits == 1)
        #expect(try store.read { $0.transactionNumber } == 4)
        let faults = try store.verify()
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("The newest commits are missing: 5 were made, and the database has 4.") == true)
        try store.close()
    }

    @Test(arguments: [UInt64.max, StoredCount.limit + 1, UInt64(Int64.max)])
    func `a number of the last commit that no store reaches is damage`(_ number: UInt64) throws {
        try open(folder).close()
        let record = CommitRecord(number: number, committer: 2)
        _ = try shell(
            folder.database,
            "UPDATE \"granary:commit\" SET number = \(Int64(bitPattern: number)), committer = 2, \"check\" = \(record.check)"
        )
        let error = failure { try open(folder).write { _ = try $0.insert(.genre, 1, "Rock") } }
        #expect(error?.code == .corrupt, "\(String(describing: error))")
    }

    @Test func `a note of the greatest number is told as missing commits`() throws {
        try open(folder).close()
        CommitNote(database: folder.database).write(.max)
        let work = LongWork()
        let store = try work.run { try open(folder) }
        #expect(work.missingCommits == .max)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(try store.verify().count == 1)
        try store.close()
    }

    @Test func `a loss is told of until as many commits have been made again`() throws {
        let store = try open(folder)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        let note = CommitNote(database: folder.database)
        note.write(3)
        note.close()
        let again = try open(folder)
        #expect(try again.verify().count == 1)
        try again.write { _ = try $0.insert(.genre, 2, "Pop") }
        #expect(try again.verify().count == 1)
        try again.write { _ = try $0.insert(.genre, 3, "Jazz") }
        #expect(try again.verify() == [])
        try again.close()
    }

    @Test func `a damaged note says nothing`() throws {
        let store = try open(folder)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        let note = CommitNote.path(ofDatabase: folder.database)
        #expect(CommitNote.number(ofDatabase: folder.database) == 1)
        for bytes in [[], [1], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 16)] as [[UInt8]] {
            try Data(bytes).write(to: URL(filePath: note))
            #expect(CommitNote.number(ofDatabase: folder.database) == nil)
            let again = try open(folder)
            #expect(try again.verify() == [])
            try again.close()
        }
    }

    @Test(arguments: [Durability.relaxed, .off])
    func `a store that may lose commits notes none`(_ durability: Durability) throws {
        let store = try open(folder, durability)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: CommitNote.path(ofDatabase: folder.database)))
    }
}
