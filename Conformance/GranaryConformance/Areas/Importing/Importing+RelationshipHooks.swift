import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Code that is called with the relationships of imported records, and what they refer to by a choice.

private func importing(_ mapping: ImportMapping, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    change(&importer)
    return importer
}

/// Notes what a hook was called with.
private func noting(
    _ journal: Journal<String>
) -> @Sendable (ImportedRelationship, Context) throws -> Void {
    { relationship, tx in
        let owner = try tx.find(relationship.owner(Board.self))
        let cards = try owner.map { try $0.cards.all.fetch(in: tx).map(\.id) }
        journal.add("\(relationship.place.path) \(cards ?? [])")
    }
}

private let orders: ImportValue = [
    ["id": 1, "cards": [["id": 3, "label": "c", "weight": 0], ["id": 1, "label": "a", "weight": 0]]], ["id": 2],
    ["id": 3, "cards": nil],
]

var importRelationshipHooksCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.relationship-did", in: .importing, "code is called with each list once it is what the source says"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let journal = Journal<String>()
            try trial.write { tx in
                let mapping = ImportMapping().didRelate("cards", noting(journal))
                try tx.import(orders, as: Board.self, with: importing(mapping))
                try expectEqual(journal.entries, ["$[0].cards [3, 1]", "$[2].cards []"])
                // What comes later is there as well, and a record that is skipped has no relationships.
                let later: ImportValue = [["id": 3, "cards": [9, 1]], ["id": 1, "cards": []]]
                try tx.import(later, as: Board.self, with: importing(mapping) { $0.policy = .insertOnly })
                try expectEqual(journal.entries.count, 2)
            }
        },
        ConformanceCase(
            "import.relationship-did-late", in: .importing,
            "code is called at the end with what waits for what comes later"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let journal = Journal<String>()
            try trial.write { tx in
                let source: ImportValue = [
                    ["@": "Board", "id": 1, "cards": [7, 8]], ["@": "Card", "id": 8, "label": "x", "weight": 0],
                    ["@": "Board", "id": 2, "cards": [8]], ["@": "Card", "id": 7, "label": "y", "weight": 0],
                    ["@": "Board", "id": 3, "cards": [99]],
                ]
                let importer = importing(ImportMapping().ignore("@").didRelate("cards", noting(journal))) {
                    $0.batchSize = 1
                    $0.choose = { value, _ in if case .string(let name)? = value["@"] { name } else { nil } }
                }
                let report = try tx.import(source, as: "Board", with: importer).report
                try expectEqual(report.issueCount, 1)
                try expectEqual(journal.entries, ["$[2].cards [8]", "$[0].cards [7, 8]", "$[4].cards []"])
            }
        },
        ConformanceCase(
            "import.relationship-taken-over", in: .importing,
            "code imports a list in place of the import, in any context"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let source: ImportValue = [["id": 1, "cards": "4,5"], ["id": 2]]
            let mapping = ImportMapping().takeOver("cards") { relationship, tx in
                guard case .string(let text) = relationship.value else { throw Abandon() }
                let board = try relationship.owner(Board.self)
                for (place, number) in text.split(separator: ",").enumerated() {
                    let key = Int64(number) ?? 0
                    try tx.insert(Card(id: key, label: "\(number)", board: board, place: Int64(place)))
                }
            }
            func check(_ context: ReadContext) throws {
                try expectEqual(try Board(id: 1).cards.all.fetch(in: context).map(\.label), ["4", "5"])
                try expectEqual(try context.count(Board.all), 2)
            }
            let edit = try trial.stack.makeContext()
            let child = try edit.makeChild()
            let result = try child.import(source, as: Board.self, with: importing(mapping))
            try expectEqual(result.report.counts, [2, 0, 0, 0, 0])
            try check(child)
            try expectEqual(try edit.count(Card.all), 0)
            try child.saveToParent()
            try edit.blocking.save()
            try trial.read { try check($0) }
        },
        ConformanceCase(
            "import.relationship-taken-reference", in: .importing,
            "code imports a reference in place of the import, null and keys included"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "genre": "like 2"], ["id": 2, "genre": nil], ["id": 98, "label": "Cy"],
                    ["id": 99, "label": "Di", "genre": 3],
                ]
                let journal = Journal<Int64>()
                let mapping = ImportMapping().takeOver("genre") { relationship, tx in
                    let artist = try relationship.owner(Artist.self).key
                    journal.add(artist)
                    if relationship.value == "like 2" { try tx.update(Artist.self, artist) { $0.genre = Ref(2) } }
                }
                let before = try tx.find(Artist.self, 2)?.genre
                let result = try tx.import(source, as: Artist.self, with: importing(mapping))
                try expectEqual(journal.entries, [1, 2, 99])
                try expectEqual(result.report.issueCount, 0)
                try expectEqual(result.records.map(\.genre), [Ref(2), before, nil, nil])
            }
        },
        ConformanceCase(
            "import.relationship-refused", in: .importing,
            "an object fails with the code of its relationship, the rest stays"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                let mapping = ImportMapping().takeOver("cards") { relationship, tx in
                    try tx.insert(Card(id: 10, board: try relationship.owner(Board.self)))
                    if relationship.value == "refuse" { throw Abandon() }
                }
                let source: ImportValue = [["id": 1, "cards": "refuse"], ["id": 2], ["id": 3, "cards": "take"]]
                try expectError(.invalidRecord, entity: "Board") {
                    try tx.import(source, as: Board.self, with: importing(mapping)).report.inserted
                }
                try expectEqual(try tx.count(Board.all) + tx.count(Card.all), 0)
                let report = try tx.import(
                    source, as: Board.self, with: importing(mapping) { $0.failures = .report }
                ).report
                try expectEqual(report.counts, [2, 0, 0, 0, 1])
                try expectEqual(report.issues.map(\.path), ["$[0].cards"])
                try expectEqual(try tx.find(Card.self, 10)?.board, Ref(3))
            }
        },
        ConformanceCase(
            "import.relationship-both", in: .importing,
            "a transformer comes first, then the code that takes over, then what is called after"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let journal = Journal<String>()
            try trial.write { tx in
                let mapping = ImportMapping()
                    .transform("cards") { value, _ in value == "veto" ? Optional<ImportValue>.none : "changed" }
                    .takeOver("cards") { relationship, _ in
                        journal.add("take \(relationship.key) \(relationship.value)")
                    }
                    .didRelate("cards") { relationship, _ in journal.add("did \(relationship.name)") }
                try tx.import(
                    [["id": 1, "cards": "x"], ["id": 2, "cards": "veto"]] as ImportValue, as: Board.self,
                    with: importing(mapping))
                try expectEqual(journal.entries.count, 2)
                try expect(journal.entries.first?.hasPrefix("take") ?? false, "\(journal.entries)")
                try expectEqual(journal.entries.last, "did cards")
            }
        },
        ConformanceCase(
            "import.relationship-hook-wrong", in: .importing, "what is no relationship has no hooks of one"
        ) { trial in
            try Shop(trial).write { tx in
                for mapping in [
                    ImportMapping().takeOver("label") { _, _ in }, ImportMapping().didRelate("label") { _, _ in },
                ] {
                    try expectError(.invalidQuery, entity: "Artist", attributes: ["label"]) {
                        try tx.import([] as ImportValue, as: Artist.self, with: importing(mapping)).records
                    }
                }
                try expectError(.unknownAttribute, entity: "Artist", attributes: ["nothing"]) {
                    let mapping = ImportMapping().didRelate("nothing") { _, _ in }
                    return try tx.import([] as ImportValue, as: Artist.self, with: importing(mapping)).records
                }
            }
        },
    ]
}

private let sorted = ImportMapping().choose(among: "cards", "archived", from: "items") { value, place in
    switch value["kind"] {
    case "old": return "archived"
    case "gone": return nil
    case "wrong": return "seen"
    case "refused": throw Abandon(place.index)
    default: return "cards"
    }
}

private func item(_ key: Int64, _ kind: String = "new") -> ImportValue {
    ["id": .integer(key), "label": "x", "weight": 0, "kind": .string(kind)]
}

var importChoosingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.choose-nested", in: .importing, "code chooses to which relationship each nested object belongs"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                @discardableResult func boards(_ items: ImportValue) throws -> ImportReport {
                    var importer = importing(sorted)
                    importer.mappings["Card"] = ImportMapping().ignore("kind")
                    return try tx.import([["id": 1, "items": items]] as ImportValue, as: Board.self, with: importer)
                        .report
                }
                func expectLists(_ cards: [Int64], _ archived: [Int64]) throws {
                    try expectEqual(try Board(id: 1).cards.all.fetch(in: tx).map(\.id), cards)
                    try expectEqual(Set(try Board(id: 1).archived.all.fetch(in: tx).map(\.id)), Set(archived))
                }
                let report = try boards([item(3), item(5, "old"), item(1), item(7, "gone"), item(6, "old")])
                try expectEqual(report.counts, [5, 0, 0, 0, 0])
                try expectEqual([report.issueCount, report.unknownKeys.count], [0, 0])
                try expectLists([3, 1], [5, 6])
                // What one list does not get any more has left it.
                try boards([item(5), item(1)])
                try expectLists([5, 1], [])
                try expectEqual(try tx.find(Card.self, 6)?.archive, nil)
                try expectEqual(try boards(item(6, "old")).issueCount, 0)
                try expectLists([], [6])
                try tx.import([["id": 1]] as ImportValue, as: Board.self, with: importing(sorted))
                try expectLists([], [6])
                try boards(nil)
                try expectLists([], [])
            }
        },
        ConformanceCase(
            "import.choose-wrong", in: .importing,
            "a choice that is no relationship is reported, and fails a strict import"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                let source: ImportValue = [["id": 1, "items": [item(1), item(2, "wrong"), item(3, "refused")]]]
                let report = try tx.import(source, as: Board.self, with: importing(sorted)).report
                try expectEqual(report.issues.map(\.path), ["$[0].items[1]", "$[0].items[2]"])
                try expectEqual(try tx.fetch(Card.all).map(\.id), [1])
                try expectError(.invalidQuery, entity: "Board") {
                    try tx.import(source, as: Board.self, with: importing(sorted) { $0.isStrict = true }).records
                }
                try expectError(.invalidQuery, entity: "Card", attributes: ["label"]) {
                    let mapping = ImportMapping().choose(among: "label", "board", from: "x") { _, _ in nil }
                    return try tx.import([] as ImportValue, as: Card.self, with: importing(mapping)).records
                }
            }
        },
        ConformanceCase(
            "import.choose-references", in: .importing, "code chooses to which of several references an object belongs"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                let mapping = ImportMapping().choose(among: "board", "pin", from: "at.place") { value, _ in
                    if case .integer(let number) = value["id"] ?? value { number < 10 ? "board" : "pin" } else { nil }
                }
                let source: ImportValue = [
                    ["id": 1, "label": "a", "weight": 0, "at": ["place": ["id": 5]]],
                    ["id": 2, "label": "b", "weight": 0, "at": ["place": [["id": 15]]]],
                    ["id": 3, "label": "c", "weight": 0, "at": ["place": 5]],
                ]
                let result = try tx.import(source, as: Card.self, with: importing(mapping))
                try expectEqual(result.records.map(\.board), [Ref(5), nil, Ref(5)])
                try expectEqual(result.records.map(\.pin), [nil, Ref(15), nil])
                let moved: ImportValue = [["id": 1, "at": ["place": ["id": 15]]]]
                let card = try tx.import(moved, as: Card.self, with: importing(mapping)).records.first
                try expectEqual([card?.board, card?.pin], [nil, Ref(15)])
            }
        },
    ]
}
