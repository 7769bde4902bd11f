import ConformanceKit
import GranaryCore
import GranaryImport

// What null and absence mean for attributes with declared defaults.

/// A record with declared defaults. Written by hand, as every record of the suite: no macro is needed.
private struct Dish: Record, Equatable {
    var id: Int64
    var stars: Int64? = 3
    var name = "unnamed"
    var note: String?

    static let entityName = "Dish"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("stars", Int64?.self, default: 3),
            Attribute("name", String.self, default: "unnamed"), Attribute("note", String?.self),
        ])
    static let fields = 0

    init(_ id: Int64, stars: Int64? = 3, name: String = "unnamed", note: String? = nil) {
        (self.id, self.stars, self.name, self.note) = (id, stars, name, note)
    }

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        stars = try row.decode(at: 1)
        name = try row.decode(at: 2)
        note = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(stars, at: 1)
        try row.encode(name, at: 2)
        try row.encode(note, at: 3)
    }
}

private func importer(_ mapping: ImportMapping) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    return importer
}

/// Imports as records of the type, by the name of its entity and as a text; all must come to the same.
private func dishes(
    _ text: String, _ mapping: ImportMapping = ImportMapping(), issues: [String] = [], in trial: Trial
) throws -> [Dish] {
    let source = try ImportValue(json: text)
    let old = [Dish(1, stars: 5, name: "Soup", note: "hot"), Dish(2, stars: nil, name: "Pie")]
    var made: [[Dish]] = []
    for number in 0..<3 {
        try trial.write { tx in
            try Dish.deleteAll(in: tx)
            try tx.insert(old)
            let report =
                switch number {
                case 0: try tx.import(source, as: Dish.self, with: importer(mapping)).report
                case 1: try tx.import(source, as: "Dish", with: importer(mapping)).report
                default: try tx.import(.json(.text(text)), as: Dish.self, with: importer(mapping)).report
                }
            try expectEqual(report.issues.map(\.path), issues)
            made.append(try tx.fetch(Dish.all))
        }
    }
    try expect(made.allSatisfy { $0 == made[0] }, "\(made)")
    return made[0]
}

private let nulls =
    #"[{"id": 1, "stars": null, "name": null, "note": null}, {"id": 2}, {"id": 3, "stars": null}, {"id": 4}]"#

var importNullsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.null-default", in: .importing,
            "null does not restore a declared default, absence gives it to a new record"
        ) { trial in
            try trial.open(Schema(Dish.self))
            try expectEqual(
                try dishes(nulls, issues: ["$[0].name"], in: trial),
                [Dish(1, stars: nil, name: "Soup"), Dish(2, stars: nil, name: "Pie"), Dish(3, stars: nil), Dish(4)])
            // A new record cannot have null where it is required: its default stays.
            try expectEqual(
                try dishes(#"[{"id": 3, "name": null}]"#, issues: ["$[0].name"], in: trial).last, Dish(3))
        },
        ConformanceCase(
            "import.null-to-default", in: .importing, "null gives an attribute its default where the mapping says so"
        ) { trial in
            try trial.open(Schema(Dish.self))
            let mapping = ImportMapping().whenNull("stars", .useDefault).whenNull("name", .useDefault)
                .whenNull("note", .useDefault)
            try expectEqual(
                try dishes(nulls, mapping, in: trial), [Dish(1), Dish(2, stars: nil, name: "Pie"), Dish(3), Dish(4)])
            // It says nothing of what is absent, and the other way round.
            let both = ImportMapping().whenAbsent("stars", .useDefault).whenNull("note", .keep)
            try expectEqual(
                try dishes(nulls, both, issues: ["$[0].name"], in: trial),
                [
                    Dish(1, stars: nil, name: "Soup", note: "hot"), Dish(2, name: "Pie"), Dish(3, stars: nil), Dish(4),
                ])
        },
        ConformanceCase(
            "import.null-kept", in: .importing,
            "null leaves an attribute as it is where the mapping says so"
        ) { trial in
            try trial.open(Schema(Dish.self))
            let mapping = ImportMapping().whenNull("stars", .keep).whenNull("name", .keep).whenNull("note", .clear)
            try expectEqual(
                try dishes(nulls, mapping, in: trial),
                [Dish(1, stars: 5, name: "Soup"), Dish(2, stars: nil, name: "Pie"), Dish(3), Dish(4)])
            // A transformer is asked first.
            let none = mapping.transform("stars") { _, _ in .null }
            try expectEqual(try dishes(#"[{"id": 1, "stars": 4}]"#, none, in: trial).first?.stars, 5)
            try expectError(.unknownAttribute, entity: "Dish", attributes: ["star"]) {
                try dishes("[]", ImportMapping().whenNull("star", .keep), in: trial)
            }
        },
        ConformanceCase(
            "import.null-kept-relationships", in: .importing,
            "null leaves a reference or a list as it is where the mapping says so"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.write { tx in
                try tx.insert([Board(id: 1), Board(id: 2)])
                try tx.insert([
                    Card(id: 1, board: Ref(1), place: 0, last: Ref(1)),
                    Card(id: 2, board: Ref(2), place: 0, last: Ref(2)),
                ])
                let lists = importer(ImportMapping().whenNull("cards", .keep))
                try tx.import([["id": 1, "cards": nil]] as ImportValue, as: Board.self, with: lists)
                try expectEqual(try tx.find(Card.self, 1)?.board, Ref(1))
                try tx.import([["id": 1, "cards": []]] as ImportValue, as: Board.self, with: lists)
                try expectEqual(try tx.find(Card.self, 1)?.board, nil)
                let references = importer(
                    ImportMapping().whenNull("board", .keep).whenNull("last", .keep).whenNull("pin", .clear))
                let source: ImportValue = [["id": 2, "board": nil, "last": nil, "pin": nil]]
                let result = try tx.import(source, as: Card.self, with: references)
                try expectEqual(result.report.counts, [0, 0, 1, 0, 0])
            }
        },
    ]
}
