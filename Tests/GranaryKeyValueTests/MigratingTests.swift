import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct MigratingTests {
    private func indexed(_ indexes: Index...) -> Schema {
        var entity = artist
        entity.indexes = indexes
        return Schema(entities: [entity])
    }

    @Test func `an index keeps its entries when it becomes unique, and when it no longer is`() throws {
        let engine = SortedArrayEngine()
        var store = try KeyValueStore(engine: engine, schema: indexed(.index("name")))
        try store.write { writer in
            try writer.insert([1, "Can", nil, nil])
            try writer.insert([2, "Blur", nil, nil])
        }
        let keyspace = store.tables[0].indexes[0].keyspace
        store = try KeyValueStore(engine: engine, schema: indexed(.unique("name")))
        #expect(store.tables[0].indexes[0].keyspace == keyspace && store.tables[0].indexes[0].isUnique)
        #expect(code { try store.write { try $0.insert([3, "Can", nil, nil]) } } == .uniqueness)
        store = try KeyValueStore(engine: engine, schema: indexed(.index("name")))
        #expect(store.tables[0].indexes[0].keyspace == keyspace && !store.tables[0].indexes[0].isUnique)
        try store.write { try $0.insert([3, "Can", nil, nil]) }
        #expect(try store.verify() == [])
        // Now it cannot.
        let error = #expect(throws: GranaryError.self) {
            try KeyValueStore(engine: engine, schema: indexed(.unique("name")))
        }
        #expect(error?.duplicates?.keys == [[1, 3]])
        // Beside one that stays unique it has entries of its own.
        try store.write { _ = try $0.delete(3) }
        _ = try KeyValueStore(engine: engine, schema: indexed(.unique("name")))
        store = try KeyValueStore(engine: engine, schema: indexed(.index("name"), .unique("name")))
        #expect(Set(store.tables[0].indexes.map(\.keyspace)).count == 2)
        #expect(try store.verify() == [])
    }

    @Test func `a dropped index has its entries until it is removed, and its keyspace is not used again`() throws {
        let engine = SortedArrayEngine()
        func entries(_ keyspace: Keyspace) throws -> Int {
            let reader = engine.beginRead()
            defer { reader.end() }
            return try reader.count(in: keyspace)
        }
        var store = try KeyValueStore(engine: engine, schema: indexed(.index("name")))
        try store.write { writer in
            try writer.insert([1, "Can", nil, nil])
            try writer.insert([2, "Blur", nil, nil])
        }
        let old = store.tables[0].indexes[0].keyspace
        // Dropped, declared again, and dropped once more, without being removed.
        let plain = try KeyValueStore(engine: engine, schema: indexed())
        try plain.write { try $0.insert([3, "Neu!", nil, nil]) }
        #expect(try entries(old) == 2)
        store = try KeyValueStore(engine: engine, schema: indexed(.index("name")))
        let new = store.tables[0].indexes[0].keyspace
        #expect(try new != old && entries(new) == 3)
        store = try KeyValueStore(engine: engine, schema: indexed())
        #expect(try KeyValueStore.description(engine)?.catalog.droppedKeyspaces == [old, new])
        #expect(code { try plain.removeDroppedIndexes() } == .schemaMismatch, "it was opened before")
        try store.removeDroppedIndexes()
        #expect(try KeyValueStore.description(engine)?.catalog.dropped == nil)
        #expect(try entries(old) == 0 && entries(new) == 0)
        #expect(try store.verify() == [])
    }

    @Test func `a store that was open with the old schema gets an error, never rows`() throws {
        let engine = SortedArrayEngine()
        let old = try KeyValueStore(engine: engine, schema: Schema(entities: [artist]))
        try old.write { try $0.insert([1, "Can", nil, nil]) }
        var changed = artist
        changed.attributes.append(Attribute("note", String.self, default: "none"))
        let schema = Schema(entities: [changed])
        let new = try KeyValueStore(engine: engine, schema: schema)
        #expect(code { try old.read { _ = try $0.keys(request()) } } == .schemaMismatch)
        #expect(code { try old.write { try $0.insert([2, "Blur", nil, nil]) } } == .schemaMismatch)
        try new.write { try $0.insert([2, "Blur", nil, nil, "x"]) }
        try new.read { reader in
            try #expect(reader.values(request(), count: 5).map { $0[4] } == ["none", "x"])
            #expect(reader.transactionNumber == 2)
        }
        // The number of the schema is kept by commits.
        try KeyValueStore(engine: engine, schema: schema, migration: .refuse).read { reader in
            try #expect(reader.keys(request()) == [1, 2])
        }
        #expect(try new.verify() == [])
    }
}
