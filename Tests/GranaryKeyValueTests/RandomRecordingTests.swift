import GranaryCore
import TestSupport
import Testing

@testable import GranaryKeyValue

// Statements at random, with savepoints and delete rules. All rows are read before and after each statement, and what
// differs is what it must have been noted as. Values come from small sets, so that many statements change nothing, clash
// or are refused.

private typealias A = Archive
/// By entity: rows by their keys.
private typealias Rows = [[Value: [Value]]]

private struct RecordedProgram {
    var random: SeededNumbers
    let store: KeyValueStore
    /// How many statements went through, and how many were refused.
    var done = 0
    var refused = 0

    mutating func run(_ name: String) throws {
        for _ in 0..<3 { try transaction(name) }
        #expect(try store.verify() == [], "\(name)")
    }

    private mutating func transaction(_ name: String) throws {
        let writer = try store.beginWrite()
        defer { writer.end() }
        let recorder = ChangeRecorder()
        try writer.record(into: recorder)
        let start = try rows(writer)
        var changes: [RecordChange] = []
        var savepoints: [Int] = []
        for step in 0..<30 {
            switch number(0...11) {
            case 0:
                try writer.beginSavepoint()
                savepoints.append(changes.count)
            case 1 where !savepoints.isEmpty:
                try writer.releaseSavepoint()
                savepoints.removeLast()
            case 2 where !savepoints.isEmpty:
                try writer.rollbackSavepoint()
                changes.removeLast(changes.count - savepoints.removeLast())
            default:
                let before = try rows(writer)
                let failure = code { try statement(writer) }
                let after = try rows(writer)
                if let failure {
                    refused += 1
                    #expect([.uniqueness, .danglingReference, .deniedDeletion].contains(failure), "\(name)")
                    #expect(before == after, "\(name) step \(step)")
                } else {
                    done += 1
                }
                changes += difference(before, after)
            }
            #expect(recorder.changes() == net(changes, start), "\(name) step \(step)")
        }
        if number(0...3) > 0 { try writer.commit() }
    }

    // The naive difference

    private func rows(_ reader: any StoreReader) throws -> Rows {
        try A.entities.enumerated().map { entity, description in
            let rows = try reader.values(request(entity), count: description.attributes.count)
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0) })
        }
    }

    private func difference(_ before: Rows, _ after: Rows) -> [RecordChange] {
        A.entities.indices.flatMap { entity in
            Set(before[entity].keys).union(after[entity].keys).compactMap { key -> RecordChange? in
                guard let old = before[entity][key] else { return .inserted(key, entity) }
                guard let new = after[entity][key] else { return .deleted(key, entity) }
                guard old != new else { return nil }
                let changed = AttributeSet(old.indices.filter { old[$0] != new[$0] })
                return RecordChange(place: .init(entity: entity, key: key), kind: .updated(changed))
            }
        }
    }

    /// What changes after each other come to, from whether the row was there at the start and is at the end.
    private func net(_ changes: [RecordChange], _ start: Rows) -> [RecordChange] {
        Dictionary(grouping: changes, by: \.place).compactMap { place, changes -> RecordChange? in
            let wasThere = start[place.entity][place.key] != nil
            let isThere = changes.last?.kind != .deleted
            if !wasThere { return isThere ? RecordChange(place: place, kind: .inserted) : nil }
            if !isThere { return RecordChange(place: place, kind: .deleted) }
            var attributes = AttributeSet()
            for change in changes {
                if case .updated(let some) = change.kind {
                    attributes.formUnion(some)
                } else {
                    attributes.formUnion(AttributeSet(0..<500))
                }
            }
            return RecordChange(place: place, kind: .updated(attributes))
        }.sorted { $0.place < $1.place }
    }

    // Statements

    private mutating func statement(_ writer: any StoreWriter) throws {
        let entity = number(0...4)
        switch number(0...19) {
        case 0...8: try writer.upsert(row(entity), into: entity)
        case 9...11: try writer.insert(row(entity), into: entity)
        case 12, 13: try writer.update(row(entity), in: entity)
        case 14, 15: try writer.delete(key(entity), from: entity)
        case 16, 17:
            let position = number(1...A.entities[entity].attributes.count - 1)
            _ = try writer.updateAll(
                some(of: entity), setting: [Assignment(position: position, value: row(entity)[position])])
        case 18: _ = try writer.deleteAll(some(of: entity))
        default: _ = try writer.deleteAll(request(entity))
        }
    }

    private mutating func some(of entity: Int) -> FetchRequest {
        let condition: ResolvedCondition? = number(0...2) == 0 ? nil : .compare(position: 0, .greater, key(entity))
        return request(entity, condition, limit: pick([nil, nil, 1, 2]))
    }

    private mutating func key(_ entity: Int) -> Value {
        switch entity {
        case A.folder: .integer(Int64(number(0...6)))
        case A.person, A.word: pick(["p0", "p1", "p2", "p\0", A.long("0"), A.long("1")])
        case A.note: A.uuid(UInt8(number(0...5)))
        default: .integer(Int64(number(-3...3)))
        }
    }

    private mutating func row(_ entity: Int) -> [Value] {
        let key = key(entity)
        switch entity {
        case A.folder: return [key, pick(["n0", "n1", "n2", "n3", "n4"]), reference(A.folder), reference(A.person)]
        case A.person: return [key, reference(A.person), pick([nil, 1, 2])]
        case A.note: return [key, reference(A.folder), reference(A.person), pick(["b", "c"])]
        case A.word: return [key, pick([nil, 1, 2])]
        default: return [key, pick([nil, 0.5, 1.5])]
        }
    }

    private mutating func reference(_ entity: Int) -> Value { number(0...1) == 0 ? nil : key(entity) }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func pick<T>(_ values: [T]) -> T { values[number(0...values.count - 1)] }
}

@Suite struct RandomRecordingTests {
    @Test(arguments: TriedEngine.allCases)
    func `random statements are noted as the naive difference of what is there`(_ engine: TriedEngine) throws {
        var (done, refused) = (0, 0)
        for seed in (1...30).map(TestSeed.of) {
            let tried = try TriedStore(engine, A.entities)
            var program = RecordedProgram(random: SeededNumbers(seed: seed), store: tried.store)
            try program.run("\(engine) seed \(seed)")
            done += program.done
            refused += program.refused
        }
        #expect(done > 1500 && refused > 150, "\(done) done, \(refused) refused")
    }
}
