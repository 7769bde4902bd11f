import Granary
import GranaryMemory
import Testing

@testable import GranaryImport

/// What waits for records that come later is bounded by what it takes in memory.
struct ImportWaitingTests {
    private static let schema = Schema(entities: [
        Entity(
            "Board", key: "id", attributes: [Attribute("id", .int64)],
            relationships: [Relationship("cards", entity: "Card", attribute: "board")]),
        Entity(
            "Card", key: "id",
            attributes: [
                Attribute("id", .int64),
                Attribute("board", .int64, isOptional: true, reference: .init(entity: "Board", onDelete: .nullify)),
                Attribute("pin", .int64, isOptional: true, reference: .init(entity: "Board", onDelete: .nullify)),
            ]),
    ])

    private func reference(_ number: Int, named name: StoredValue, at place: ImportPlace? = nil) -> WaitingReference {
        WaitingReference(
            owner: ReferencePlace(entity: 1, key: .integer(Int64(number)), position: 2), target: 0,
            name: NamedRecord(positions: [0], values: [name]), isKept: false, place: place ?? ImportPlace(index: number)
        )
    }

    @Test func `a reference that waits counts as 150 to 350 bytes`() {
        var waiting = Waiting()
        for number in 1...100_000 {
            // Half of them wait for one record.
            waiting.add(reference(number, named: .integer(Int64(number.isMultiple(of: 2) ? 7 : number))))
            guard number >= 10_000, number % 1_000 == 0 else { continue }
            let each = waiting.size / number
            #expect(each >= 150 && each <= 350, "\(each) bytes of \(number)")
        }
    }

    @Test func `a reference that waits for one record after the other takes no more memory`() {
        var waiting = Waiting()
        for number in 1...2_000 { waiting.add(reference(number, named: .integer(Int64(number % 2)))) }
        let size = waiting.size
        for number in 0..<100_000 { waiting.add(reference(number % 50 + 1, named: .integer(Int64(number / 50 % 2)))) }
        #expect(waiting.size < size * 2)
        #expect(waiting.references.count == 2_000)
        let counts = [0, 1].map { name in
            waiting.references(to: 0, NamedRecord(positions: [0], values: [.integer(name)])).count
        }
        #expect(counts.reduce(0, +) == 2_000)
    }

    @Test func `long names and places count, and what is forgotten does not`() {
        var waiting = Waiting()
        waiting.add(reference(1, named: .integer(7)))
        let size = waiting.size
        let text = StoredValue.text([UInt8](repeating: 65, count: 1_000_000))
        let parent = ParentObject(.value(.null), ImportPlace(index: 0))
        let place = ImportPlace(String(repeating: "b", count: 1_000_000), of: parent).detached
        waiting.add(reference(1, named: text, at: place))
        #expect(waiting.size > size + 2_000_000)
        waiting.add(reference(1, named: .integer(7)))
        #expect(waiting.size == size)
        waiting.add(
            WaitingList(
                owner: ListPlace(entity: 0, relationship: 0, key: .integer(1)), target: 1,
                members: [NamedRecord(positions: [0], values: [text])], rule: RelationshipRule(), place: place))
        #expect(waiting.size > size + 2_000_000)
        waiting.forget(ListPlace(entity: 0, relationship: 0, key: .integer(1)))
        #expect(waiting.size < size + 10_000)
    }

    @Test func `what waits does not keep in memory what it was read with`() throws {
        let schema = ImportWaitingTests.schema
        let source = #"[{"id": 1, "cards": [{"id": 1, "pin": 9}, 7]}]"#
        let stack = try Stack(schema, store: .inMemory)
        try stack.blocking.write { tx in
            let run = try ImportRun(Importer(), "Board", in: schema, keepsKeys: false)
            weak var tape: ItemTape?
            func add() throws {
                var reader = try ImportInput.json(.text(source)).makeReader(ImportLayout())
                let item = try #require(try reader.next())
                if case .packed(let packed) = item.content { tape = packed.tape }
                #expect(tape != nil)
                try run.add(ImportBatch(items: [NumberedItem(number: 0, item: item)]), in: tx)
            }
            try add()
            #expect(run.waiting.references.count == 1)
            #expect(run.waiting.lists.count == 1)
            #expect(tape == nil)
            try run.finish(in: tx)
            #expect(run.report.issues.map(\.path) == ["$[0].cards[0].pin", "$[0].cards"])
        }
    }

    @Test func `a hook that waits is called with the objects that its relationship is within`() throws {
        let schema = ImportWaitingTests.schema
        let source = #"[{"id": 1, "name": "outer", "cards": [{"id": 1, "pin": 9}]}]"#
        let stack = try Stack(schema, store: .inMemory)
        try stack.blocking.write { tx in
            let told = Told()
            var importer = Importer()
            importer.mappings["Card"] = ImportMapping().didRelate("pin") { relationship, _ in
                told.add(relationship.place.path)
                if case .string(let name)? = relationship.place.rootObject?["name"] { told.add(name) }
            }
            try tx.import(.json(.text(source)), as: "Board", with: importer)
            #expect(told.texts == ["$[0].cards[0].pin", "outer"])
        }
    }
}

/// What a hook has told.
// @unchecked: the import calls its hooks on the thread of the test, one after the other.
private final class Told: @unchecked Sendable {
    private(set) var texts: [String] = []

    func add(_ text: String) { texts.append(text) }
}
