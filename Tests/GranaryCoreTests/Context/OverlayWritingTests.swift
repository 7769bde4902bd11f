import GranaryMemory
import TestSupport
import Testing

@testable import GranaryCore

struct OverlayWritingTests {
    private static let schema = WrittenSchema.schema

    /// A store and a store under an overlay, each with the same records, and what is done to both.
    private func compare(seed: UInt64, depth: Int) throws {
        var maker = WrittenProgramMaker(seed: seed)
        let (plain, below) = (try StoreOf(Self.schema), try StoreOf(Self.schema))
        let first = maker.program(30)
        for store in [plain, below] {
            try store.write { writer in for step in first { try writer.run(step) { _ in } } }
        }
        let writer = try plain.store.beginWrite()
        defer { writer.end() }
        var overlay = below.overlay()
        for level in 0..<depth {
            if level > 0 { overlay = Overlay(over: overlay) }
            for (number, step) in maker.program(40).enumerated() {
                var (expected, found): ([WrittenOutcome], [WrittenOutcome]) = ([], [])
                try writer.run(step) { expected.append($0) }
                try overlay.run(step) { found.append($0) }
                #expect(found == expected, "seed \(seed), level \(level), step \(number): \(step)")
                try compareRecords(overlay, writer, "seed \(seed), level \(level), step \(number): \(step)")
                if found != expected { return }
            }
        }
        for entity in Self.schema.entities.indices {
            #expect(
                try overlay.allRows(of: entity, Self.schema) == writer.allRows(of: entity, Self.schema), "seed \(seed)")
        }
    }

    private func compareRecords(_ overlay: Overlay, _ writer: any StoreWriter, _ place: String) throws {
        for entity in Self.schema.entities.indices {
            let keys =
                entity == WrittenSchema.box ? WrittenProgramMaker.boxKeys : WrittenProgramMaker.integerKeys
            for key in keys {
                let found = try overlay.record(key, of: entity, Self.schema)
                let expected = try writer.record(key, of: entity, Self.schema)
                #expect(found == expected, "\(place): \(Self.schema.entities[entity].name) \(key)")
            }
        }
    }

    @Test(arguments: (1...100).map(TestSeed.of))
    func `an overlay over a store answers as the store's own writer`(seed: UInt64) throws {
        try compare(seed: seed, depth: 1)
    }

    @Test(arguments: (200...250).map(TestSeed.of))
    func `an overlay over an overlay answers as the store's own writer`(seed: UInt64) throws {
        try compare(seed: seed, depth: 3)
    }

    @Test func `nothing is left of a statement that fails, and of a part that is undone`() throws {
        let store = try StoreOf(Self.schema)
        let overlay = store.overlay()
        try overlay.run(.insert(WrittenSchema.person, [1, "a", "x", 1, nil])) { _ in }
        try overlay.run(.insert(WrittenSchema.person, [2, "b", "x", 2, nil])) { _ in }
        var outcome: WrittenOutcome?
        let all = FetchRequest(entity: WrittenSchema.person)
        try overlay.run(.updateAll(all, [Assignment(position: 3, value: 7)])) { outcome = $0 }
        #expect(outcome == .failed(.uniqueness, "Person", ["country", "number"]))
        #expect(try overlay.record(1, of: WrittenSchema.person, Self.schema) == [1, "a", "x", 1, nil])
        try overlay.run(.savepoint([.delete(WrittenSchema.person, 1)], isKept: false)) { _ in }
        #expect(overlay.pending.count == 2)
        // What was looked up while a value was free, or taken, is looked up anew.
        try overlay.run(.insert(WrittenSchema.person, [3, "a", "y", 1, nil])) { outcome = $0 }
        #expect(outcome == .failed(.uniqueness, "Person", ["email"]))
    }

    @Test func `a call reads one state of the store, a part with many calls too, and nothing is open between`() throws {
        let store = try StoreOf(Self.schema)
        let overlay = store.overlay()
        for key in 1...10 { try overlay.run(.insert(WrittenSchema.shelf, [.integer(Int64(key)), nil])) { _ in } }
        #expect(store.opened == 10 && store.open == 0)
        let many = (11...20).map { WrittenStatement.insert(WrittenSchema.shelf, [.integer(Int64($0)), nil]) }
        try overlay.run(.savepoint([.savepoint(many, isKept: true), .deferring(many)], isKept: false)) { _ in }
        #expect(store.opened == 11 && store.open == 0)
        #expect(throws: GranaryError.self) { try overlay.releaseSavepoint() }
        #expect(throws: GranaryError.self) { try overlay.rollbackSavepoint() }
        #expect(store.open == 0)
        let cursor = try overlay.rows(FetchRequest(entity: WrittenSchema.shelf))
        #expect(store.open == 1)
        while try cursor.next() != nil {}
        withExtendedLifetime(cursor) {}
    }

    @Test func `assigned keys grow past those of the store, of other contexts and those given by hand`() throws {
        let store = try StoreOf(Self.schema)
        try store.write { try $0.run(.insert(WrittenSchema.counter, [7, "stored", nil])) { _ in } }
        func key(_ overlay: Overlay, _ label: StoredValue, given: StoredValue = 0) throws -> WrittenOutcome? {
            var outcome: WrittenOutcome?
            try overlay.run(.insert(WrittenSchema.counter, [given, label, nil])) { outcome = $0 }
            return outcome
        }
        let (one, other) = (store.overlay(), store.overlay())
        #expect(try key(one, "a") == .key(8))
        #expect(try key(other, "a") == .key(9))
        #expect(try key(one, "b", given: 40) == .key(nil))
        try one.run(.delete(WrittenSchema.counter, 40)) { _ in }
        #expect(try key(one, "b") == .key(41))
        let child = Overlay(over: one)
        #expect(try key(child, "c") == .key(42))
        // A key of a part that was undone holds nobody up.
        try one.run(.savepoint([.insert(WrittenSchema.counter, [.integer(.max), "last", nil])], isKept: false)) { _ in }
        #expect(try key(one, "d") == .key(43))
        #expect(try key(one, "last", given: .integer(.max)) == .key(nil))
        #expect(try key(one, "beyond") == .failed(.limit, "Counter", ["id"]))
        #expect(try key(child, "beyond") == .failed(.limit, "Counter", ["id"]))
        #expect(try key(other, "e") == .key(44))
    }

    @Test func `a chain and a circle of thousands are deleted whole`() throws {
        let store = try StoreOf(Self.schema)
        let overlay = store.overlay()
        try overlay.run(.insert(WrittenSchema.shelf, [1, nil])) { _ in }
        func box(_ number: Int, in outer: Int?) -> WrittenStatement {
            .insert(
                WrittenSchema.box,
                [
                    .string("\(number)"), 1, nil, nil, nil, outer.map { StoredValue.string("\($0)") } ?? .null, nil,
                    nil, nil,
                ])
        }
        let chain = (1...3000).map { box($0, in: $0 % 3000 + 1) }
        try overlay.run(.deferring(chain)) { if case .failed = $0 { Issue.record("\($0)") } }
        #expect(overlay.pending.count == 3001)
        var outcome: WrittenOutcome?
        try overlay.run(.delete(WrittenSchema.box, "77")) { outcome = $0 }
        #expect(outcome == .done(1))
        #expect(overlay.pending.count == 1)
    }
}
