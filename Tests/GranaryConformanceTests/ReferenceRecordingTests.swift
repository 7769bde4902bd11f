import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryMemory
import TestSupport
import Testing

private let entities = [
    Entity(
        "Folder", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", .int64), Attribute("name", .string),
            Attribute("parent", .int64, isOptional: true, reference: .init(entity: "Folder", onDelete: .cascade)),
        ], indexes: [.unique("name")]),
    Entity(
        "Note", key: "id",
        attributes: [
            Attribute("id", .string), Attribute("body", .string, isOptional: true),
            Attribute("folder", .int64, isOptional: true, reference: .init(entity: "Folder", onDelete: .nullify)),
        ]),
]

/// The same statements for any store, and what comes of them.
private struct Script {
    var random: SeededNumbers

    mutating func run(_ store: any Store) throws -> [String] {
        var lines: [String] = []
        for transaction: UInt64 in 1...3 {
            let writer = try store.beginWrite()
            defer { writer.end() }
            let recorder = ChangeRecorder()
            try writer.record(into: recorder)
            var depth = 0
            for _ in 0..<25 {
                switch number(9) {
                case 0:
                    try writer.beginSavepoint()
                    depth += 1
                case 1 where depth > 0:
                    try writer.releaseSavepoint()
                    depth -= 1
                case 2 where depth > 0:
                    try writer.rollbackSavepoint()
                    depth -= 1
                case 3:
                    let changes = [UInt8(number(9))]
                    let entry = HistoryEntry(number: transaction, time: 1, author: nil, changes: changes)
                    try writer.keepHistory(entry)
                case 4: try writer.deleteHistory(through: UInt64(number(3)))
                default: lines.append(statement(writer))
                }
                lines.append("\(recorder.changes())")
                let last = (try writer.lastAssignedKey(of: 0), try writer.lastAssignedKey(of: 1))
                lines.append("\(last)")
            }
            if number(3) > 0 { try writer.commit() }
            writer.end()
            let reader = try store.beginRead(CancellationFlag())
            defer { reader.end() }
            let history = try reader.history(after: UInt64(number(2)), limit: 2)
            let last = try reader.lastAssignedKey(of: 0)
            lines.append("\(history), \(last)")
        }
        return lines
    }

    private mutating func statement(_ writer: any StoreWriter) -> String {
        let entity = number(2)
        let row = entity == 0 ? [folder(), text("n"), reference()] : [text("k"), text("b"), reference()]
        let request = FetchRequest(
            entity: entity,
            condition: number(2) == 0 ? nil : .compare(position: 0, .greater, entity == 0 ? folder() : text("k")))
        let kind = number(12)
        let position = 1 + number(2)
        do {
            switch kind {
            case 0...4: return String(describing: try with(row) { try writer.upsert($0, into: entity) })
            case 5, 6: return String(describing: try with(row) { try writer.insert($0, into: entity) })
            case 7: return String(describing: try with(row) { try writer.update($0, in: entity) })
            case 8, 9: return String(describing: try row[0].withCell { try writer.delete($0, from: entity) })
            case 10:
                let assignment = Assignment(position: position, value: row[position])
                return String(describing: try writer.updateAll(request, setting: [assignment]))
            default: return String(describing: try writer.deleteAll(request))
            }
        } catch {
            return "refused"
        }
    }

    private func with<T>(_ values: [StoredValue], _ body: (borrowing Row) throws -> T) throws -> T {
        var writer = RowWriter(count: values.count)
        for (position, value) in values.enumerated() { try value.encode(into: &writer, at: position) }
        return try writer.withRow { row throws in try body(row) }
    }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func folder() -> StoredValue { .integer(Int64(number(6))) }
    private mutating func text(_ start: String) -> StoredValue { .string("\(start)\(number(5))") }
    private mutating func reference() -> StoredValue { number(2) == 0 ? .null : folder() }
}

@Suite struct ReferenceRecordingTests {
    @Test func `the reference notes, keeps and assigns what the store in memory does`() throws {
        for seed: UInt64 in 1...60 {
            let schema = Schema(entities: entities)
            let reference = try ReferenceProvider(path: "reference", shelf: ReferenceShelf()).open(
                schema, migration: .automatic)
            let memory = try MemoryStoreProvider.inMemory.open(schema, migration: .automatic)
            for store in [reference, memory] { #expect(store.coordinator.reserveKey(of: 0, after: 2) == 3) }
            var (first, second) = (
                Script(random: SeededNumbers(seed: seed)), Script(random: SeededNumbers(seed: seed))
            )
            let (expected, found) = (try first.run(reference), try second.run(memory))
            for (line, other) in zip(expected, found) where line != other {
                Issue.record("seed \(seed): \(line) by the reference, \(other) by the store")
                break
            }
            #expect(expected.count == found.count)
        }
    }
}
