import GranaryPlatform
import Testing

@testable import GranaryStoreKit

/// What a store has that writes no more of the protocol than it must: the check of its records above all.
struct RecordCheckTests {
    private static let schema = Schema(entities: [
        Entity(
            "Artist", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("rank", .int64, isOptional: true),
            ],
            indexes: [.unique("name")]),
        Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", .int64),
                Attribute(
                    "artist", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Artist", onDelete: .deny)),
                Attribute(
                    "guest", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Artist", onDelete: .noAction)),
            ]),
    ])

    private func artist(_ id: Int64, _ name: StoredValue, rank: StoredValue = .null) -> StoredRow {
        StoredRow([.integer(id), name, rank])
    }

    private func song(_ id: Int64, by artist: StoredValue, with guest: StoredValue = .null) -> StoredRow {
        StoredRow([.integer(id), artist, guest])
    }

    private func faults(_ artists: [StoredRow], _ songs: [StoredRow] = [], lastKey: Int64 = 9) throws -> [String] {
        try ArrayStore(RecordCheckTests.schema, [artists, songs], lastKey: lastKey).verify()
    }

    @Test func `records that keep to the rules have no faults`() throws {
        #expect(try faults([]) == [])
        let artists = [artist(1, .string("a")), artist(3, .string("b"), rank: .integer(1)), artist(2, .string(""))]
        let songs = [song(1, by: .integer(3)), song(2, by: .null), song(3, by: .integer(1), with: .integer(77))]
        #expect(try faults(artists, songs, lastKey: 3) == [])
    }

    @Test func `values that their attributes do not take are faults`() throws {
        let artists = [artist(1, .null), artist(2, .integer(5)), artist(3, .text([0xFF])), artist(4, .string("a"))]
        #expect(
            try faults(artists) == [
                "Artist.name of row 1 is required, and has no value",
                "Artist.name of row 2 does not hold \(AttributeType.string)",
                "Artist.name of row 3 does not hold \(AttributeType.string)",
            ])
    }

    @Test func `rows that share a unique value are a fault`() throws {
        let artists = [artist(1, .string("a")), artist(2, .string("b")), artist(3, .string("a"))]
        #expect(try faults(artists) == ["Artist: another row has the same unique name as row 3"])
    }

    @Test func `a reference that leads nowhere is a fault`() throws {
        let songs = [song(1, by: .integer(1)), song(2, by: .integer(2))]
        #expect(
            try faults([artist(1, .string("a"))], songs) == [
                "Song.artist of the record with key 2 refers to a record of Artist that does not exist"
            ])
    }

    @Test func `a fault of a link names its relationship and the record that owns it`() throws {
        func end(_ name: String, _ entity: String) -> Attribute {
            Attribute(name, .int64, reference: Attribute.Reference(entity: entity, onDelete: .cascade))
        }
        let schema = Schema(entities: [
            Entity("Playlist", key: "id", attributes: [Attribute("id", .int64)]),
            Entity("Song", key: "id", attributes: [Attribute("id", .int64)]),
            Entity(
                "Playlist_songs", key: "id", keyGeneration: .assigned,
                attributes: [
                    Attribute("id", .int64), end(Relationship.source, "Playlist"), end(Relationship.target, "Song"),
                ],
                indexes: [.unique(Relationship.source, Relationship.target)]),
        ])
        func row(_ values: Int64...) -> StoredRow { StoredRow(values.map { .integer($0) }) }
        let links = [row(1, 7, 4), row(2, 7, 5), row(3, 7, 4), StoredRow([.integer(4), .integer(7), .null])]
        #expect(
            try ArrayStore(schema, [[row(7)], [row(4)], links], lastKey: 3).verify() == [
                "Playlist.songs of the record with key 7 refers to a record of Song that does not exist",
                "Playlist.songs: another row links the same records as row 3",
                "Playlist.songs of row 4 is required, and has no value",
                "Playlist.songs: the counter of keys is behind",
            ])
    }

    @Test func `two rows with one key are a fault`() throws {
        let found = try faults([artist(1, .string("a")), artist(1, .string("b")), artist(2, .string("c"))])
        #expect(found.count == 2)
        #expect(found.contains("Artist: row 2 is not in the order of keys"))
        #expect(found.contains { $0.hasSuffix("is not the one that its key finds") })
    }

    @Test func `a counter of assigned keys that is behind is a fault`() throws {
        #expect(try faults([artist(8, .string("a"))], lastKey: 7) == ["Artist: the counter of keys is behind"])
        #expect(try faults([artist(8, .string("a"))], [song(99, by: .null)], lastKey: 8) == [])
    }

    @Test func `rows that cannot be read are a fault, and the other entities are checked all the same`() throws {
        let store = ArrayStore(RecordCheckTests.schema, [[], [song(1, by: .integer(4))]], lastKey: 0, damaged: 0)
        #expect(
            try store.verify() == [
                "A row is damaged.",
                "Song.artist of the record with key 1 refers to a record of Artist that does not exist",
            ])
    }

    @Test func `a check says how far it has come, and ends when it is cancelled`() throws {
        let artists = (1...2000).map { artist(Int64($0), .string("\($0)")) }
        let store = ArrayStore(RecordCheckTests.schema, [artists, []], lastKey: 2000)
        let seen = Lock()
        nonisolated(unsafe) var told: [StoreProgress] = []
        let work = LongWork(onProgress: { progress in seen.withLock { told.append(progress) } })
        #expect(try work.run { try store.verify() } == [])
        #expect(told.map(\.records) == [1024, 2000, 2000])
        #expect(told.allSatisfy { $0.total == 2000 })

        let flag = CancellationFlag()
        flag.set()
        let error = #expect(throws: GranaryError.self) {
            try LongWork(cancellation: flag).run { try store.verify() }
        }
        #expect(error?.code == .cancelled)
    }

    @Test func `a store has a name and no capabilities by default, and closing it does nothing`() throws {
        let store = ArrayStore(RecordCheckTests.schema, [[], []], lastKey: 0)
        #expect(store.kind == "array")
        #expect(store.capabilities == Capabilities(features: []))
        try store.close()
        #expect(try store.verify() == [])
    }
}

/// Rows in arrays, which nothing checks.
private final class ArrayStore: Store {
    let schema: Schema
    let coordinator = StoreCoordinator()
    let tables: [[StoredRow]]
    let lastKey: Int64
    /// The entity whose rows cannot be read.
    let damaged: Int?

    init(_ schema: Schema, _ tables: [[StoredRow]], lastKey: Int64, damaged: Int? = nil) {
        self.schema = schema
        self.tables = tables
        self.lastKey = lastKey
        self.damaged = damaged
    }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { ArrayReader(self, cancellation) }
    func beginWrite() throws -> any StoreWriter { throw GranaryError.readOnly("The array") }
}

private final class ArrayReader: StoreReader, RowSource {
    let rules: SchemaRules
    let transactionNumber: UInt64 = 1
    var lent: StoredRow?
    private let store: ArrayStore
    private let cancellation: CancellationFlag

    init(_ store: ArrayStore, _ cancellation: CancellationFlag) {
        self.store = store
        self.cancellation = cancellation
        rules = SchemaRules(store.schema)
    }

    func check() throws { try cancellation.check() }

    func row(_ key: StoredValue, of entity: Int) throws -> StoredRow? {
        // The key is the first attribute of each entity. Rows are mostly where their number says.
        if case .integer(let number) = key, let place = Int(exactly: number),
            store.tables[entity].indices.contains(place - 1),
            store.tables[entity][place - 1].value(at: 0) == key
        {
            return store.tables[entity][place - 1]
        }
        return store.tables[entity].first { $0.value(at: 0) == key }
    }

    func forEachRow(
        of entity: Int, where condition: ResolvedCondition?, _ body: (StoredRow) throws -> Void
    ) throws {
        if entity == store.damaged { throw GranaryError(.corrupt, "A row is damaged.") }
        for row in store.tables[entity] { try body(row) }
    }

    func lastAssignedKey(of entity: Int) throws -> Int64 { store.lastKey }
    func end() {}
}
