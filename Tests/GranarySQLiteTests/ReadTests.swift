import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct ReadTests {
    /// More keys than a statement is given as parameters.
    private static let list = ResolvedCondition.among(position: 0, (1...1001).map { .integer($0) })

    @Test(arguments: [false, true])
    func `a read is of one state from its beginning, and holds nothing after its end`(hasList: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        let reader = try store.beginRead(CancellationFlag())
        try store.write { _ = try $0.insert(.genre, 2, "Jazz") }
        #expect(try reader.all(.genre, hasList ? ReadTests.list : nil) == [[1, "Rock"]])
        try store.write { _ = try $0.update(.genre, 1, "Blues") }
        #expect(try reader.find(.genre, 1) == [1, "Rock"])
        #expect(try reader.all(.genre, hasList ? ReadTests.list : nil) == [[1, "Rock"]])

        let other = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        #expect(throws: GranaryError.self) { try other.emptyLog(.truncate, waiting: 0) }
        reader.end()
        try other.emptyLog(.truncate, waiting: 0)
        other.close()
        #expect(try store.read { try $0.all(.genre) } == [[1, "Blues"], [2, "Jazz"]])
        try store.close()
    }

    @Test func `a read goes on with the state of the one before until anybody commits`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        let other = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        defer { other.close() }
        func isHeld() throws -> Bool {
            #expect(try store.read { try $0.find(.genre, 1) } == [1, "Rock"])
            do {
                try other.emptyLog(.truncate, waiting: 0)
                return false
            } catch let error as GranaryError where error.code == .busy {
                return true
            }
        }
        // It is given up after a moment, which may have passed.
        var attempts = 1
        while try !isHeld(), attempts < 1000 {
            attempts += 1
            try store.write { _ = try $0.insert(.genre, .integer(Int64(attempts)), .string("Genre \(attempts)")) }
        }
        #expect(attempts < 1000)
        for name in ["Blues", "Soul", "Jazz"] {
            try other.execute("UPDATE Genre SET name = '\(name)' WHERE id = 1")
            #expect(try store.read { try $0.find(.genre, 1) } == [1, .string(name)])
            #expect(try store.read { try $0.all(.genre).first } == [1, .string(name)])
        }
        // Other processes need not wait long, without a read or a write here.
        try other.emptyLog(.truncate, waiting: 10)
        try store.close()
    }

    @Test func `other processes can begin the log anew while the store reads all the time`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        let other = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        defer { other.close() }
        // Reads come so close to each other that each goes on with the state of the one before.
        let end = CancellationFlag()
        let reading = Thread {
            while !end.isSet {
                _ = try? store.read { try $0.find(.genre, 1) }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
        reading.start()
        defer { end.set() }
        for number in 1...30 {
            try other.execute("UPDATE Genre SET name = 'Genre \(number)' WHERE id = 1")
            try other.emptyLog(.restart, waiting: 10)
        }
        end.set()
        while !reading.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        try store.close()
    }

    @Test func `a database without a log is not given the memory of one by reading`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let shell = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        try shell.execute("PRAGMA journal_mode = DELETE")
        shell.close()
        let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
        for _ in 0..<3 { #expect(try store.read { try $0.all(.genre) } == []) }
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-shm"))
        try store.close()
    }

    @Test func `while the store writes, reads hold nothing`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        for _ in 0..<3 { #expect(try store.read { try $0.all(.genre).count } == 1) }
        let writer = try store.beginWrite()
        #expect(store.sessions.heldStates == 0)
        for _ in 0..<3 { #expect(try store.read { try $0.all(.genre).count } == 1) }
        #expect(store.sessions.heldStates == 0)
        writer.end()
        try store.close()
    }
}
