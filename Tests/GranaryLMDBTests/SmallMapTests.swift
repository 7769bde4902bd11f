import GranaryCore
import GranaryLMDB
import GranaryPlatform
import TestSupport
import Testing

/// What needs more room than the map has that the store is opened with.
struct SmallMapTests {
    private let entity = Entity(
        "Item", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)])

    private func makeStore(in folder: TemporaryFolder) throws -> String {
        let path = folder("Store.granary")
        let stack = try Stack(Schema(entities: [entity]), store: .lmdb(atPath: path))
        try stack.blocking.write { tx in
            for number in 1...5000 {
                var item = try DynamicRecord("Item", in: tx.schema)
                try item.set("id", to: number)
                try item.set("name", to: "the item with number \(number) of all that are in the store")
                try tx.insert(item)
            }
        }
        try stack.blocking.close()
        return path
    }

    private func open(_ path: String, _ entity: Entity, _ migration: MigrationPolicy) throws -> Stack {
        try Stack(
            Schema(entities: [entity]), store: .lmdb(atPath: path, options: .init(mapSize: 64 << 10)),
            migration: migration)
    }

    @Test func `an index is added where the map is as small as the file`() throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(in: folder)
        var changed = entity
        changed.indexes = [.unique("name"), .index("name", "id")]
        let stack = try open(path, changed, .automatic)
        #expect(try stack.blocking.verify() == [])
        #expect(try stack.blocking.read { try $0.count(Request("Item")) } == 5000)
        try stack.blocking.close()
    }

    @Test func `records are rewritten where the map is as small as the file`() async throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(in: folder)
        var changed = entity
        changed.attributes[0].type = .string
        let stack = try open(path, changed, .inferred)
        #expect(try await stack.read { try $0.count(Request("Item")) } == 5000)
        try await stack.compact()
        #expect(try await stack.read { try $0.count(Request("Item")) } == 5000)
        try await stack.close()
    }

    @Test func `new files grow no further than the store may`() async throws {
        let folder = try TemporaryFolder()
        let source = try await Stack(Schema(entities: [entity]), store: .lmdb(atPath: try makeStore(in: folder)))
        let small = LMDBStoreProvider.lmdb(
            atPath: folder("Copy.granary"), options: .init(mapSize: 64 << 10, maximumMapSize: 128 << 10))
        let error = await #expect(throws: GranaryError.self) { try await source.copy(to: small) }
        #expect(error?.code == .full)
        #expect(try small.exists() == false)
        try await source.close()
    }

    @Test func `an index of words that the map has no room for is left out, and searches are right`() async throws {
        let folder = try TemporaryFolder()
        let path = try makeStore(in: folder)
        var changed = entity
        changed.attributes[1] = changed.attributes[1].searchable()
        let size = try #require(try FileSystem.status("\(path)/gen-0001/data.mdb")?.size)
        func open(_ maximum: Int) throws -> Stack {
            try Stack(
                Schema(entities: [changed]),
                store: .lmdb(atPath: path, options: .init(mapSize: 64 << 10, maximumMapSize: maximum)))
        }
        let query = try Request<DynamicRecord, DynamicRecord>("Item").where("search('item 77')")
        var leftOut = 0
        for room in [16, 32, 64, 128, 256, 64 << 10] {
            let stack: Stack
            do {
                stack = try open(Int(size) + room << 10)
            } catch let error as GranaryError where error.code == .full {
                continue
            }
            #expect(try await stack.read { try $0.count(query) } == 1)
            let isIndexed = try await stack.read { try !$0.wordIndexes().isEmpty }
            if !isIndexed { leftOut += 1 }
            if room == 64 << 10 { #expect(isIndexed) }
            #expect(try await stack.verify() == [])
            try await stack.close()
        }
        #expect(leftOut > 0)
    }
}
