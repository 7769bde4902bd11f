import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct HistoryTests {
    private static func entry(_ number: UInt64, _ author: String? = nil, _ changes: [UInt8] = [1, 2]) -> HistoryEntry {
        HistoryEntry(number: number, time: Double(number) + 0.25, author: author, changes: changes)
    }

    @Test(arguments: TriedEngine.allCases)
    func `entries come back as they were, in the order of their numbers`(_ engine: TriedEngine) throws {
        let tried = try TriedStore(engine, [artist])
        let entries = [
            HistoryTests.entry(1, nil, []), HistoryTests.entry(2, ""), HistoryTests.entry(255, "Zoë\0"),
            HistoryTests.entry(256, "n", [UInt8](repeating: 9, count: 3_000_000)),
            HistoryEntry(number: 1 << 32, time: -.infinity, author: nil, changes: [0]), HistoryTests.entry(.max),
        ]
        try tried.store.write { writer in
            for entry in entries.reversed() { try writer.keepHistory(entry) }
            try #expect(writer.history(after: 0, limit: 100) == entries)
        }
        for _ in 0..<2 {
            try tried.store.read { reader in
                try #expect(reader.history(after: 0, limit: 100) == entries)
                try #expect(reader.history(after: 0, limit: 2) == Array(entries[..<2]))
                try #expect(reader.history(after: 2, limit: 2) == Array(entries[2..<4]))
                try #expect(reader.history(after: 254, limit: .max) == Array(entries[2...]))
                try #expect(reader.history(after: .max - 1, limit: 1) == [entries[5]])
                try #expect(reader.history(after: .max, limit: 1) == [])
                try #expect(reader.history(after: 0, limit: 0) == [])
                try #expect(reader.history(after: 0, limit: -1) == [])
            }
            try tried.reopen()
        }
        #expect(try tried.store.verify() == [])
    }

    @Test(arguments: TriedEngine.allCases)
    func `an entry is part of its transaction, and replaces one with its number`(_ engine: TriedEngine) throws {
        let tried = try TriedStore(engine, [artist])
        try tried.store.write { writer in
            try writer.insert([1, "a", nil, nil])
            try writer.keepHistory(HistoryTests.entry(1, "first"))
        }
        let snapshot = try tried.store.beginRead(CancellationFlag())
        let undone = try tried.store.beginWrite()
        try undone.keepHistory(HistoryTests.entry(2, "undone"))
        undone.end()
        try tried.store.write { writer in
            try writer.keepHistory(HistoryTests.entry(2, "second"))
            try writer.beginSavepoint()
            try writer.keepHistory(HistoryTests.entry(3, "inside"))
            try writer.deleteHistory(through: 1)
            try #expect(writer.history(after: 0, limit: 9).map(\.author) == ["second", "inside"])
            try writer.rollbackSavepoint()
            try writer.keepHistory(HistoryTests.entry(2, "again"))
        }
        try #expect(snapshot.history(after: 0, limit: 9).map(\.author) == ["first"])
        snapshot.end()
        #expect(code { try snapshot.history(after: 0, limit: 9) } == .closed)
        try tried.store.read { reader in
            try #expect(reader.history(after: 0, limit: 9).map(\.author) == ["first", "again"])
            #expect(reader.transactionNumber == 2)
        }
    }

    @Test(arguments: TriedEngine.allCases)
    func `deleting entries is kept and is no change`(_ engine: TriedEngine) throws {
        let tried = try TriedStore(engine, [artist])
        for number: UInt64 in 1...5 {
            try tried.store.write { writer in
                try writer.insert([.integer(Int64(number)), "a", nil, nil])
                try writer.keepHistory(HistoryTests.entry(number))
            }
        }
        func numbers() throws -> [UInt64] { try tried.store.read { try $0.history(after: 0, limit: 9).map(\.number) } }
        let writer = try tried.store.beginWrite()
        try writer.deleteHistory(through: 0)
        try writer.deleteHistory(through: 3)
        try #expect(writer.commit() == 5)
        try #expect(numbers() == [4, 5])
        try tried.reopen()
        try #expect(numbers() == [4, 5])
        try tried.store.read { #expect($0.transactionNumber == 5) }
        try tried.store.write { try $0.deleteHistory(through: .max) }
        try tried.reopen()
        try #expect(numbers() == [])
        try tried.store.write { try $0.insert([9, "a", nil, nil]) }
        try tried.store.read { #expect($0.transactionNumber == 6) }
        #expect(try tried.store.verify() == [])
    }

    @Test func `a store without history has no trace of it, nor has one whose history was deleted`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        let names = try entries(engine, 0).map(\.key)
        try store.write { try $0.keepHistory(HistoryTests.entry(1)) }
        #expect(try entries(engine, 0).count == names.count + 1)
        try store.write { try $0.deleteHistory(through: 1) }
        #expect(try entries(engine, 0).map(\.key) == names)
    }

    @Test func `an entry that is too large is refused and nothing else is`() throws {
        var capabilities = Capabilities(features: [])
        capabilities.limits.valueSize = 1000
        let store = try KeyValueStore(
            engine: SortedArrayEngine(), schema: Schema(entities: [artist]), capabilities: capabilities)
        try store.write { writer in
            try writer.insert([1, "a", nil, nil])
            let large = HistoryTests.entry(1, nil, [UInt8](repeating: 0, count: 1000))
            #expect(code { try writer.keepHistory(large) } == .limit)
            try writer.keepHistory(HistoryTests.entry(1))
        }
        try store.read { try #expect($0.history(after: 0, limit: 9) == [HistoryTests.entry(1)]) }
    }

    @Test func `any damage to an entry is an error and is found by verify, and the entry can be deleted`() throws {
        let size = try damagedEngine(nil).size
        for offset in 0..<size {
            for bit: UInt8 in [0x01, 0x80] {
                let store = try damagedEngine((offset, bit)).store
                #expect(code { try store.read { try $0.history(after: 0, limit: 9) } } == .corrupt, "\(offset)")
                #expect(try store.read { try $0.history(after: 2, limit: 9) }.map(\.number) == [3])
                #expect(try store.verify() == ["history: entry 2 is damaged"])
                try store.write { try $0.deleteHistory(through: 2) }
                #expect(try store.read { try $0.history(after: 0, limit: 9) }.map(\.number) == [3])
                #expect(try store.verify() == [])
            }
        }
    }

    @Test func `an entry under a key that is none is found by verify`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        let writer = engine.beginWrite()
        try Meta.write([1], key: History.prefix + [0, 0, 1], "an entry", writer)
        try writer.commit()
        #expect(try store.verify() == ["history: entry 1 is damaged"])
    }

    /// A store with entries 1 to 3, in the second of which a bit is another; and how long that one is.
    private func damagedEngine(_ damage: (offset: Int, bit: UInt8)?) throws -> (store: KeyValueStore, size: Int) {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        try store.write { writer in
            for number: UInt64 in 1...3 { try writer.keepHistory(HistoryTests.entry(number, "Ada", [1, 2, 3, 4])) }
        }
        let reader = engine.beginRead()
        defer { reader.end() }
        let value = try #require(try History.key(2).withUnsafeBytes { try reader.get($0, in: Meta.keyspace) })
        if let (offset, bit) = damage {
            // The value belongs to the engine of this test alone.
            UnsafeMutableRawPointer(mutating: value.baseAddress)?
                .storeBytes(of: value[offset] ^ bit, toByteOffset: offset, as: UInt8.self)
        }
        return (store, value.count)
    }
}
