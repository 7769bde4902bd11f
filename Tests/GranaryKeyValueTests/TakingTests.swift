import GranaryCore
import GranaryLMDB
import Synchronization
import TestSupport
import Testing

@testable import GranaryKeyValue

/// Stores that take the entries of a seed of their kind as they are.
@Suite struct TakingTests {
    private static let song = Entity(
        "Song", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int64?.self),
            Attribute("note", String?.self),
        ], indexes: [.unique("title"), .index("plays", "title"), .index("note", folding: [.caseInsensitive])])

    private static let tag = Entity(
        "Tag", key: "name",
        attributes: [
            Attribute("name", String.self),
            Attribute("song", .int64, isOptional: true, reference: .init(entity: "Song", onDelete: .nullify)),
        ])

    private func fill(_ store: any Store, songs: Int64 = 300) throws {
        try store.write { writer in
            for id in 1...songs {
                let note: StoredValue = id % 3 == 0 ? nil : .string("Ärger \(id % 5)")
                try writer.insert([0, .string("song \(id)"), .integer(id % 7), note])
            }
            for number in 1...40 as ClosedRange<Int64> {
                let name = String(repeating: "tag \(number) ", count: Int(number) * 20)
                try writer.insert([.string(name), .integer(number)], into: 1)
            }
            try writer.keepHistory(HistoryEntry(number: 1, time: 0, author: nil, changes: [1]))
        }
        // The last key that was assigned is not that of a record.
        try store.write { try $0.delete(.integer(songs)) }
    }

    private func rows(_ store: any Store) throws -> [[[StoredValue]]] {
        try store.read { reader in
            [try reader.values(request(0), count: 4), try reader.values(request(1), count: 2)]
        }
    }

    private let end = FillingEnd(transactionNumber: 7, lastAssignedKeys: [20, 0], checksReferences: false)

    @Test(arguments: TriedEngine.allCases)
    func `a store takes rows, indexes and assigned keys of another over its engine, and no history`(
        _ kind: TriedEngine
    ) throws {
        let (seed, new) = (
            try TriedStore(kind, [Self.song, Self.tag]), try TriedStore(kind, [Self.song, Self.tag])
        )
        try fill(seed.store)
        #expect(try new.store.takeContents(of: seed.store, ending: end))
        for _ in 0..<2 {
            #expect(try rows(new.store) == rows(seed.store))
            #expect(try new.store.verify() == [])
            try new.store.read { reader in
                #expect(reader.transactionNumber == 7)
                try #expect(reader.lastAssignedKey(of: 0) == 300)
                try #expect(reader.history(after: 0, limit: 9) == [])
            }
            try new.reopen()
        }
        #expect(try new.store.write { try $0.insert([0, "new", nil, nil]) } == 301)
        #expect(code { try new.store.write { try $0.insert([0, "song 1", nil, nil]) } } == .uniqueness)
    }

    @Test func `assigned keys go on from those of the store that is replaced`() throws {
        let (seed, new) = (try newStore(Self.song, Self.tag), try newStore(Self.song, Self.tag))
        try fill(seed)
        let end = FillingEnd(transactionNumber: 3, lastAssignedKeys: [900, 0], checksReferences: false)
        #expect(try new.takeContents(of: seed, ending: end))
        #expect(try new.write { try $0.insert([0, "new", nil, nil]) } == 901)
    }

    @Test func `an empty seed is taken`() throws {
        let (seed, new) = (try newStore(Self.song, Self.tag), try newStore(Self.song, Self.tag))
        #expect(try new.takeContents(of: seed, ending: end))
        #expect(try new.read { $0.transactionNumber } == 7)
        #expect(try new.write { try $0.insert([0, "new", nil, nil]) } == 21)
        #expect(try new.verify() == [])
    }

    @Test(arguments: [0, 1, 2])
    func `an index of the seed that lacks an entry or has another is made anew`(_ place: Int) throws {
        let engine = SortedArrayEngine()
        let seed = try newStore(Self.song, Self.tag, engine: engine)
        try fill(seed)
        let keyspace = seed.tables[0].indexes[place].keyspace
        for isReplaced in [false, true] {
            let writer = engine.beginWrite()
            let entry = try writer.cursor(in: keyspace).first()
            var key = Array(try #require(entry).key)
            let isDeleted = try key.withUnsafeBytes { try writer.delete($0, in: keyspace) }
            #expect(isDeleted)
            key[1] ^= 0x40
            if isReplaced {
                _ = try key.withUnsafeBytes { try writer.reserve($0, count: 0, in: keyspace, mode: .insert) }
            }
            try writer.commit()
            #expect(try !seed.verify().isEmpty)
            let new = try newStore(Self.song, Self.tag)
            #expect(try new.takeContents(of: seed, ending: end))
            #expect(try new.verify() == [])
            #expect(try rows(new) == rows(seed))
        }
    }

    @Test func `a row of the seed that is damaged is an error`() throws {
        let engine = SortedArrayEngine()
        let seed = try newStore(Self.song, Self.tag, engine: engine)
        try fill(seed)
        let keyspace = seed.tables[0].keyspace
        let writer = engine.beginWrite()
        let last = try writer.cursor(in: keyspace).last()
        let entry = try #require(last)
        let key = Array(entry.key)
        var value = Array(entry.value)
        value[value.count - 1] ^= 1
        _ = try key.withUnsafeBytes { key in
            try writer.reserve(key, count: value.count, in: keyspace, mode: .replace)?.copyBytes(from: value)
        }
        try writer.commit()
        let new = try newStore(Self.song, Self.tag)
        #expect(code { try new.takeContents(of: seed, ending: end) } == .corrupt)
        #expect(try rows(new) == [[], []])
    }

    @Test func `a seed that was migrated, and one of another order, is left to the copy of records`() throws {
        let engine = SortedArrayEngine()
        try fill(newStore(Self.song, Self.tag, engine: engine))
        var longer = Self.song
        longer.attributes.append(Attribute("mood", String?.self))
        let schema = Schema(entities: [longer, Self.tag])
        let migrated = try KeyValueStore(engine: engine, schema: schema)
        let new = try newStore(longer, Self.tag)
        #expect(try !new.takeContents(of: migrated, ending: end))
        let turned = try newStore(Self.tag, longer)
        #expect(try !new.takeContents(of: turned, ending: end))
        #expect(try new.read { $0.transactionNumber } == 0)
    }

    @Test func `a seed in LMDB is copied by its entries, and one with another name by its records`() throws {
        let folder = try TemporaryFolder()
        let seed = LMDBStoreProvider.lmdb(atPath: folder("Seed.granary"), options: .init(durability: .off))
        let schema = Schema(entities: [Self.song, Self.tag])
        let source = try seed.open(schema, migration: .automatic)
        try fill(source, songs: 2_000)
        try source.close()
        var renamed = Self.song
        renamed.attributes[3] = Attribute("remark", String?.self).renamed(from: "note")
        renamed.indexes[2] = .index("remark", folding: [.caseInsensitive])
        for (name, schema) in [("Same", schema), ("Renamed", Schema(entities: [renamed, Self.tag]))] {
            let told = Mutex<[StoreProgress]>([])
            let work = LongWork(onProgress: { progress in told.withLock { $0.append(progress) } })
            let contents = try Seed.store(seed).contents(for: schema, migration: .automatic)
            let store = try work.run {
                try LMDBStoreProvider.lmdb(atPath: folder("\(name).granary"), options: .init(durability: .off))
                    .open(schema, migration: .refuse, contents: contents)
            }
            let seen = told.withLock { $0 }
            let entities = Set(seen.map(\.entity))
            #expect(name == "Same" ? entities == [""] : !entities.contains(""))
            #expect(seen.last?.fraction == 1)
            #expect(try store.read { try $0.lastAssignedKey(of: 0) } == 2_000)
            #expect(try store.verify() == [])
            try store.close()
        }
    }
}
