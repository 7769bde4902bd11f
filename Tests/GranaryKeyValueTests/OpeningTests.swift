import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct OpeningTests {
    private func rewriteMeta(_ engine: SortedArrayEngine, _ name: String, _ bytes: [UInt8]) throws {
        let writer = engine.beginWrite()
        try Meta.write(bytes, name, writer)
        try writer.commit()
    }
    private func open(_ engine: SortedArrayEngine, _ entities: Entity...) throws -> KeyValueStore {
        try KeyValueStore(engine: engine, schema: Schema(entities: entities))
    }

    @Test func `a store opened again has its rows and numbers`() throws {
        let engine = SortedArrayEngine()
        let first = try open(engine, artist)
        try first.write { try $0.insert([1, "Can", nil, nil]) }
        let second = try open(engine, artist)
        try second.read { reader in
            try #expect(reader.keys(request()) == [1])
            #expect(reader.transactionNumber == 1)
        }
        #expect(second.capabilities.has(.rowChecksums))
    }

    @Test func `attributes in another order are the same schema`() throws {
        let engine = SortedArrayEngine()
        _ = try open(engine, artist, everyType).write { try $0.insert([1, "Can", 2.5, 9]) }
        var turned = artist
        turned.attributes.reverse()
        let store = try open(engine, everyType, turned)
        try store.read { try #expect($0.values(request(1), count: 4) == [[9, 2.5, "Can", 1]]) }
        try store.write { try $0.insert([8, nil, "Blur", 2], into: 1) }
        #expect(try store.verify() == [])
        #expect(store.schema.entities[1].id == 1)
        #expect(store.schema.entities[1].attributes.map(\.id) == [4, 3, 2, 1])
        try open(engine, artist, everyType).read { try #expect($0.keys(request()) == [1, 2]) }
    }

    @Test func `another schema is a mismatch that says what differs`() throws {
        let engine = SortedArrayEngine()
        _ = try open(engine, artist)
        var other = artist
        other.attributes.removeLast()
        do {
            _ = try open(engine, other)
            Issue.record("opened")
        } catch let error as GranaryError {
            #expect(error.code == .schemaMismatch)
            #expect(error.message.contains("plays"))
        }
    }

    @Test func `a newer format, a foreign file and damage are told apart`() throws {
        let engine = SortedArrayEngine()
        _ = try open(engine, artist)
        try rewriteMeta(engine, Meta.format, Meta.magic + [2, 0, 0, 0, 0, 0, 0, 0])
        #expect(code { try open(engine, artist) } == .newerFormat)
        try rewriteMeta(engine, Meta.format, Array("something".utf8))
        #expect(code { try open(engine, artist) } == .notAStore)
        let foreign = SortedArrayEngine()
        try rewriteMeta(foreign, "theirs", [1])
        #expect(code { try open(foreign, artist) } == .notAStore)
    }

    @Test func `numbers at the end of their counting are damage`() throws {
        for state in [
            Meta.State(transactionNumber: .max), Meta.State(transactionNumber: 1, schemaNumber: .max),
            Meta.State(transactionNumber: StoredCount.limit + 1),
        ] {
            let engine = SortedArrayEngine()
            _ = try open(engine, artist)
            let writer = engine.beginWrite()
            try Meta.write(state, writer)
            try writer.commit()
            #expect(code { try open(engine, artist) } == .corrupt)
        }
        let last = SortedArrayEngine()
        let store = try open(last, artist)
        let writer = last.beginWrite()
        try Meta.write(Meta.State(transactionNumber: StoredCount.limit), writer)
        try writer.commit()
        #expect(code { try store.write { try $0.insert([1, "Can", nil, nil]) } } == .corrupt)
    }

    @Test func `a catalog whose keyspaces cannot be is damage`() throws {
        let changes: [(inout StoredCatalog) -> Void] = [
            { $0.nextKeyspace = .max }, { $0.tables[0].keyspace = .max }, { $0.tables[0].keyspace = 0 },
            { $0.nextKeyspace = $0.tables[0].keyspace }, { $0.dropped = [$0.tables[0].keyspace] },
        ]
        for change in changes {
            let engine = SortedArrayEngine()
            _ = try open(engine, artist)
            var catalog = StoredCatalog(Schema(entities: [artist]))
            change(&catalog)
            try rewriteMeta(engine, Meta.catalog, catalog.json())
            #expect(code { try open(engine, artist) } == .corrupt)
        }
    }

    @Test func `any damage to what the store keeps about itself is an error, never a trap`() throws {
        let sound = SortedArrayEngine()
        _ = try open(sound, artist)
        let names = try entries(sound, 0).map(\.key)
        #expect(names.count == 5)
        for number in names.indices {
            for offset in stride(from: 0, to: 4000, by: 7) {
                let engine = SortedArrayEngine()
                _ = try open(engine, artist)
                let reader = engine.beginRead()
                let cursor = try reader.cursor(in: Meta.keyspace)
                var entry = try cursor.first()
                for _ in 0..<number { entry = try cursor.next() }
                let found = try #require(entry)
                guard offset < found.value.count else { break }
                // The value belongs to the engine of this test alone.
                UnsafeMutableRawPointer(mutating: found.value.baseAddress)?
                    .advanced(by: offset).storeBytes(of: found.value[offset] ^ 0x10, as: UInt8.self)
                let result = code {
                    let store = try open(engine, artist)
                    try store.write { try $0.insert([1, "a", nil, nil]) }
                }
                // The fingerprint is there for people; everything else is needed.
                if hex(Array(Meta.fingerprint.utf8)) != names[number] {
                    #expect(result == .corrupt, "\(names[number]) at \(offset)")
                }
            }
        }
    }
}
