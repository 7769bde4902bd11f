import GranaryCore
import GranaryPlatform
import Testing

@testable import GranarySQLite
import TestSupport

@Suite struct MigratingTests {
    private func schema(_ more: Attribute...) -> Schema {
        Schema(entities: [
            Entity(
                "Word", key: "text", attributes: [Attribute("text", String.self), Attribute("count", Int.self)] + more)
        ])
    }

    private var fuller: Schema {
        schema(Attribute("note", String?.self, default: "none"), Attribute("rank", Int.self, default: 7))
    }

    @Test func `rows from before have their checksums`() throws {
        let folder = try TemporaryFolder()
        var store = try folder.open(schema(), rowChecksums: true)
        try store.write { _ = try $0.insert(.genre, "a", 1) }
        try store.close()
        store = try folder.open(fuller, rowChecksums: true)
        try store.write { _ = try $0.insert(.genre, "b", 2, "x", 3) }
        #expect(try store.read { try $0.all(.genre) } == [["a", 1, "none", 7], ["b", 2, "x", 3]])
        #expect(try store.verify() == [])
        try store.close()
        _ = try shell(folder.database, "UPDATE Word SET count = 5 WHERE text = 'a'")
        store = try folder.open(fuller, rowChecksums: true)
        #expect(try store.verify().count == 1)
        try store.close()
    }

    @Test func `a store that was open with the old schema gets an error, never rows`() throws {
        let folder = try TemporaryFolder()
        try folder.open(schema()).close()
        let options = SQLiteOptions(durability: .off)
        let path = "\(folder.store)/gen-0001"
        let old = try SQLiteStore.open(in: path, schema(), options, .refuse)
        try old.write { _ = try $0.insert(.genre, "a", 1) }
        #expect(try old.read { try $0.all(.genre) } == [["a", 1]])
        let new = try SQLiteStore.open(in: path, fuller, options, .automatic)
        #expect(failure { _ = try old.read { try $0.all(.genre) } }?.code == .schemaMismatch)
        #expect(failure { try old.write { _ = try $0.insert(.genre, "b", 2) } }?.code == .schemaMismatch)
        #expect(try new.read { try $0.all(.genre) } == [["a", 1, "none", 7]])
        try new.close()
        try old.close()
    }

    @Test func `an index that is unique no longer keeps its pages`() throws {
        let folder = try TemporaryFolder()
        let plain = schema(Attribute("note", String?.self))
        func indexed(_ index: Index) -> Schema {
            var entity = plain.entities[0]
            entity.indexes = [index]
            return Schema(entities: [entity])
        }
        var store = try folder.open(indexed(.unique("note")))
        try store.write { writer in
            try writer.insert(.genre, "a", 1, "x")
            try writer.insert(.genre, "b", 2, nil)
        }
        try store.close()
        let list = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL"
        let before = try shell(folder.database, list)
        store = try folder.open(indexed(.index("note")))
        try store.write { _ = try $0.insert(.genre, "c", 3, "x") }
        #expect(try store.verify() == [])
        try store.close()
        let after = try shell(folder.database, list)
        #expect(before.map(\.first) == ["Word.note unique"] && after.map(\.first) == ["Word.note"])
        #expect(before.map(\.last) == after.map(\.last))
        #expect(try shell(folder.database, "PRAGMA integrity_check") == [["ok"]])
        let counted = "SELECT count(*) FROM Word INDEXED BY \"Word.note\" WHERE note = 'x'"
        #expect(try shell(folder.database, counted) == [["2"]])
    }

    /// A store with 2 000 words in an index, which is dropped.
    private func indexDropped(in folder: TemporaryFolder) throws -> any Store {
        let plain = schema(Attribute("note", String?.self))
        var entity = plain.entities[0]
        entity.indexes = [.index("note", folding: .caseInsensitive), .unique("count")]
        let store = try folder.open(Schema(entities: [entity]))
        let text = String(repeating: "n", count: 200)
        try store.write { (writer) throws in
            for number in 0..<2_000 {
                let count = StoredValue.integer(Int64(number))
                try writer.insert(.genre, .string("word \(number)"), count, .string("\(text) \(number)"))
            }
        }
        try store.close()
        return try folder.open(plain)
    }

    private static let indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"

    @Test func `dropping an index writes few of its pages`() throws {
        let folder = try TemporaryFolder()
        let store = try indexDropped(in: folder)
        func log() throws -> Int64 { try FileSystem.status(folder.database + "-wal")?.size ?? 0 }
        let before = try log()
        #expect(before < 50_000, "\(before) bytes of a log, to mark indexes")
        try store.removeDroppedIndexes()
        let after = try log()
        #expect(
            after > before && after < 150_000, "\(after) bytes of a log, for indexes of more than 400 000")
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `a dropped index stays sound and is not searched, until it is removed`() throws {
        let folder = try TemporaryFolder()
        let store = try indexDropped(in: folder)
        #expect(store.schema.entities[0].indexes.isEmpty)
        #expect(try shell(folder.database, Self.indexes) == [["granary:dropped:1"], ["granary:dropped:2"]])
        try store.write { _ = try $0.insert(.genre, "again", 7, "N") }
        #expect(try store.verify() == [])
        let connection = try Connection(
            path: folder.database, purpose: .reading, options: SQLiteOptions(durability: .off))
        for query in [
            "SELECT * FROM Word WHERE count = 7", "SELECT count FROM Word ORDER BY count", "SELECT count(*) FROM Word",
            "SELECT * FROM Word WHERE count IS NOT NULL",
        ] {
            let plan = try connection.values("EXPLAIN QUERY PLAN \(query)")
            #expect(plan.first?.last == .string("SCAN Word"), "\(plan)")
        }
        connection.close()
        try store.removeDroppedIndexes()
        #expect(try shell(folder.database, Self.indexes) == [])
        #expect(try shell(folder.database, "PRAGMA integrity_check") == [["ok"]])
        try store.close()
    }

    @Test func `a stack that is closed has removed dropped indexes`() throws {
        let folder = try TemporaryFolder()
        let store = try indexDropped(in: folder)
        let schema = store.schema
        try store.close()
        let stack = try Stack(schema, store: .sqlite(atPath: folder.store, options: .init(durability: .off)))
        try stack.blocking.close()
        #expect(try shell(folder.database, Self.indexes) == [])
    }

    @Test func `an index that only looks dropped is refused`() throws {
        for text in ["(count)", "(count) WHERE count > 0", "(count) WHERE 'x' IS NOT NULL"] {
            let folder = try TemporaryFolder()
            try folder.open(schema()).close()
            _ = try shell(folder.database, "CREATE INDEX \"granary:dropped:1\" ON \"Word\" \(text)")
            #expect(failure { try folder.open(schema()).close() }?.code == .corrupt)
        }
    }
}
