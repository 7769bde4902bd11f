import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct MigratingTests {
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
