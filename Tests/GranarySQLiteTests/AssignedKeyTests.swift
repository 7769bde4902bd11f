import GranaryPlatform
import Dispatch
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct AssignedKeyTests {
    private let song = Table.song.rawValue

    private func store(_ folder: TemporaryFolder) throws -> any Store {
        let store = try folder.open()
        try store.write { _ = try $0.insert(.artist, 1, "A", nil, 1, nil) }
        return store
    }

    @Test func `the last key is the greatest there has been`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.write { (writer) throws in
            #expect(try writer.lastAssignedKey(of: song) == 0)
            #expect(try writer.insert(.song, 0, "a", 1, nil) == 1)
            #expect(try writer.lastAssignedKey(of: song) == 1)
            try writer.insert(.song, 7, "b", 1, nil)
            #expect(try writer.lastAssignedKey(of: song) == 7)
            try writer.delete(.song, 7)
            #expect(try writer.lastAssignedKey(of: song) == 7)
            try writer.beginSavepoint()
            #expect(try writer.insert(.song, 0, "c", 1, nil) == 8)
            try writer.rollbackSavepoint()
            #expect(try writer.lastAssignedKey(of: song) == 7)
            #expect(try writer.insert(.song, 0, "c", 1, nil) == 8)
            // No keys are made for artists.
            #expect(try writer.lastAssignedKey(of: Table.artist.rawValue) == 0)
        }
        #expect(try store.read { try $0.lastAssignedKey(of: song) } == 8)
        try store.close()
    }

    @Test func `a key that is made is greater than those given to contexts`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let coordinator = store.coordinator
        #expect(coordinator.reserveKey(of: song, after: 0) == 1)
        #expect(coordinator.reserveKey(of: song, after: 0) == 2)
        try store.write { (writer) throws in
            #expect(try writer.insert(.song, 0, "a", 1, nil) == 3)
            #expect(coordinator.reserveKey(of: song, after: 0) == 4)
            try writer.insert(.song, 2, "given before", 1, nil)
            #expect(try writer.upsert(.song, 0, "b", 1, nil) == 5)
            try writer.insert(.song, 20, "brought", 1, nil)
            #expect(coordinator.reserveKey(of: song, after: 0) == 21)
            #expect(try writer.insert(.song, 0, "c", 1, nil) == 22)
        }
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `one that a statement in SQL makes is greater too`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(store.coordinator.reserveKey(of: song, after: 0) == 1)
        try store.write { (writer) throws in
            let writer = try #require(writer as? SQLiteWriter)
            _ = try writer.executeRaw("INSERT INTO Song (title, artist) VALUES ('a', 1), ('b', 1)")
            #expect(try writer.all(.song).map { $0[0] } == [2, 3])
            #expect(store.coordinator.reserveKey(of: song, after: 0) == 4)
            _ = try writer.executeRaw("INSERT INTO Song (title, artist) VALUES ('c', 1)")
            #expect(try writer.find(.song, 5) != nil)
        }
        try store.close()
    }

    @Test func `keys end where integers do`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(store.coordinator.reserveKey(of: song, after: .max - 1) == .max)
        try store.write { (writer) throws in
            #expect(failure { try writer.insert(.song, 0, "a", 1, nil) }?.code == .limit)
            try writer.insert(.song, .integer(.max), "a", 1, nil)
            #expect(failure { try writer.insert(.song, 0, "a", 1, nil) }?.code == .limit)
        }
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `keys given while others are made are never the same`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let results = Lock()
        nonisolated(unsafe) var given: [Int64] = []
        nonisolated(unsafe) var made: [Int64] = []
        nonisolated(unsafe) var isDone = false
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            var keys: [Int64] = []
            if part == 0 {
                while keys.count < 500_000, !results.withLock({ isDone }) {
                    keys += store.coordinator.reserveKey(of: song, after: 0).map { [$0] } ?? []
                }
            } else {
                try? store.write { (writer) throws in
                    for _ in 0..<3_000 { keys += try writer.insert(.song, 0, "a", 1, nil).map { [$0] } ?? [] }
                }
            }
            results.withLock {
                isDone = true
                if part == 0 { given = keys } else { made = keys }
            }
        }
        #expect(!given.isEmpty && made.count == 3_000)
        #expect(Set(given).isDisjoint(with: made))
        #expect(made == made.sorted())
        try store.close()
    }
}
