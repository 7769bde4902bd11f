import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct HistoryTests {
    private let first = HistoryEntry(number: 1, time: 1.5, author: nil, changes: [])
    private let second = HistoryEntry(number: 2, time: -0.25, author: "a\u{0}é", changes: [0, 255, 7])
    private let third = HistoryEntry(number: 3, time: 3, author: "", changes: .init(repeating: 9, count: 20_000))

    /// A store of three commits, each with its entry.
    private func store(_ folder: TemporaryFolder) throws -> any Store {
        let store = try folder.open()
        for entry in [first, second, third] {
            try store.write { (writer) throws in
                try writer.insert(.genre, .integer(Int64(entry.number)), .string("g\(entry.number)"))
                try writer.keepHistory(entry)
            }
        }
        return store
    }

    private func all(_ store: any Store) throws -> [HistoryEntry] {
        try store.read { try $0.history(after: 0, limit: 100) }
    }

    @Test func `entries are there again, in their order, after a number and up to a limit`() throws {
        let folder = try TemporaryFolder()
        try store(folder).close()
        let store = try folder.open()
        try store.read { (reader) throws in
            #expect(reader.transactionNumber == 3)
            #expect(try reader.history(after: 0, limit: 100) == [first, second, third])
            #expect(try reader.history(after: 1, limit: 1) == [second])
            #expect(try reader.history(after: 3, limit: 5) == [])
            #expect(try reader.history(after: 0, limit: 0) == [])
            #expect(try reader.history(after: .max, limit: 5) == [])
        }
        #expect(try store.verify() == [])
        try store.close()
        #expect(
            try shell(folder.database, #"SELECT "number", "time", length("changes") FROM "granary:history""#)
                == [["1", "1.5", "0"], ["2", "-0.25", "3"], ["3", "3.0", "20000"]])
    }

    @Test func `a store without any has none, opened for reading too`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let store = try folder.open(access: .readOnly)
        #expect(try all(store) == [])
        #expect(try store.verify() == [])
        try store.close()
        let writing = try folder.open()
        try writing.write { try $0.deleteHistory(through: 5) }
        #expect(try all(writing) == [])
        try writing.close()
    }

    @Test func `deleting is committed, and is no change`() throws {
        let folder = try TemporaryFolder()
        var store = try store(folder)
        let reader = try store.beginRead(CancellationFlag())
        let writer = try store.beginWrite()
        try writer.deleteHistory(through: 2)
        #expect(try writer.history(after: 0, limit: 9) == [third])
        #expect(try writer.commit() == 3)
        #expect(try reader.history(after: 0, limit: 9) == [first, second, third])
        reader.end()
        try store.close()
        store = try folder.open()
        #expect(try all(store) == [third])
        #expect(try store.read { $0.transactionNumber } == 3)
        try store.write { try $0.deleteHistory(through: .max) }
        #expect(try all(store) == [])
        try store.close()
    }

    @Test func `what is rolled back was not kept, the first entry of all too`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.beginSavepoint()
            try writer.insert(.genre, 1, "Rock")
            try writer.keepHistory(first)
            #expect(try writer.history(after: 0, limit: 9) == [first])
            try writer.rollbackSavepoint()
            #expect(try writer.history(after: 0, limit: 9) == [])
            #expect(try writer.find(.genre, 1) == nil)
        }
        #expect(try store.read { $0.transactionNumber } == 0)
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.keepHistory(first)
            #expect(failure { try writer.keepHistory(first) }?.code == .uniqueness)
            #expect(
                failure { try writer.keepHistory(HistoryEntry(number: 2, time: .nan, author: nil, changes: [])) }?.code
                    == .range)
        }
        #expect(try all(store) == [first])
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `a commit that fails keeps none, and its number is given again`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let writer = try store.beginWrite()
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        try writer.beginSavepoint()
        try writer.deferReferences()
        try writer.insert(.artist, 1, "A", nil, 1, 77)
        try writer.keepHistory(HistoryEntry(number: 4, time: 0, author: nil, changes: []))
        #expect(failure { try writer.commit() } != nil)
        #expect(failure { try writer.insert(.genre, 9, "x") }?.code == .closed)
        try store.read { (reader) throws in
            #expect(reader.transactionNumber == 3)
            #expect(try reader.history(after: 0, limit: 9) == [first, second, third])
            #expect(try reader.find(.artist, 1) == nil)
        }
        let noted = recorder.changes().count
        let next = try store.beginWrite()
        try next.insert(.genre, 4, "x")
        try next.keepHistory(HistoryEntry(number: 4, time: 0, author: "next", changes: []))
        #expect(try next.commit() == 4)
        #expect(recorder.changes().count == noted)
        #expect(try all(store).map(\.author) == [nil, second.author, "", "next"])
        try store.close()
    }

    @Test func `a table of another form is refused, and a damaged entry is found`() throws {
        let folder = try TemporaryFolder()
        try store(folder).close()
        _ = try shell(folder.database, #"UPDATE "granary:history" SET author = CAST(x'ff' AS TEXT) WHERE number = 2"#)
        let store = try folder.open()
        #expect(try store.verify().count == 1)
        #expect(failure { _ = try all(store) }?.code == .corrupt)
        #expect(try store.read { try $0.history(after: 2, limit: 9) } == [third])
        try store.close()
        _ = try shell(folder.database, #"ALTER TABLE "granary:history" ADD COLUMN x INTEGER"#)
        #expect(failure { _ = try folder.open() }?.code == .corrupt)
    }
}
