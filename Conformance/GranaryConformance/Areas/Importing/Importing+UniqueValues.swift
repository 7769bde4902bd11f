import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Which record an object is by its key and by unique values that move from record to record, and in long chains.

/// Records of which each names another one by a unique name, and has its key from the store.
let chainSchema = Schema(entities: [
    Entity(
        "Node", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            Attribute("next", .int64, isOptional: true, reference: .init(entity: "Node", onDelete: .nullify)),
        ], indexes: [.unique("name")], relationships: [Relationship("before", entity: "Node", attribute: "next")]),
    Entity(
        "Disc", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("year", Int64?.self),
            Attribute("owner", .int64, reference: .init(entity: "Owner", onDelete: .cascade)),
        ], indexes: [.unique("owner", "title")]),
    Entity(
        "Owner", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")], relationships: [Relationship("discs", entity: "Disc", attribute: "owner")]),
])

var importUniqueValueCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.unique-passed-on", in: .importing,
            "objects with different keys are different, also with one unique value"
        ) { trial in
            try Shop(trial).write { tx in
                for size in [1, 3, 500] {
                    var importer = Importer()
                    importer.batchSize = size
                    try tx.upsert(Genre(id: 8, label: "A"))
                    let source: ImportValue = [["id": 8, "label": "B"], ["id": 9, "label": "A"], ["label": "A"]]
                    let result = try tx.import(source, as: Genre.self, with: importer)
                    try expectEqual(result.records.map(\.id), [8, 9, 9], "batches of \(size)")
                    try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Rock", "Jazz", "Folk", "B", "A"])
                    try tx.delete(Genre.self, 9)
                    // That an object later in the source gives the value away comes too late.
                    for both in [
                        [["id": 11, "label": "C"], ["id": 12, "label": "C"]],
                        [["id": 11, "label": "C"], ["id": 12, "label": "C"], ["id": 11, "label": "D"]],
                    ] as [ImportValue] {
                        try expectError(.uniqueness, entity: "Genre") {
                            try tx.savepoint { _ = try tx.import(both, as: Genre.self, with: importer) }
                        }
                    }
                }
            }
        },
        ConformanceCase(
            "import.unique-moved", in: .importing,
            "a unique value that an object gives away does not name its record any more"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "label": "Soul"], ["id": 20, "label": "Rock"], ["label": "Rock"],
                ]
                let result = try tx.import(source, as: Genre.self)
                try expectEqual(result.records.map(\.id), [1, 20, 20])
            }
        },
        ConformanceCase("import.exchanged", in: .importing, "records of one batch exchange unique values") { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "label": "Jazz"], ["id": 2, "label": "Folk"], ["id": 3, "label": "Rock"],
                ]
                let report = try tx.import(source, as: Genre.self).report
                try expectEqual(report.counts, [0, 3, 0, 0, 0])
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Jazz", "Folk", "Rock"])
                let nested: ImportValue = [
                    ["id": 9, "label": "Zoe", "genre": ["id": 4, "label": "Jazz"]],
                    ["id": 1, "genre": ["id": 1, "label": "Soul"]],
                ]
                try tx.import(nested, as: Artist.self)
                try expectEqual(try tx.fetch(Genre.all).map(\.label), ["Soul", "Folk", "Rock", "Jazz"])
            }
            let context = try trial.stack.makeContext()
            try context.import(
                [["id": 2, "label": "Rock"], ["id": 3, "label": "Folk"]] as ImportValue, as: Genre.self)
            try await context.save()
            let labels = try await trial.stack.read { try $0.fetch(Genre.all).map(\.label) }
            try expectEqual(labels, ["Soul", "Rock", "Folk", "Jazz"])
        },
        ConformanceCase(
            "import.merged-later", in: .importing,
            "two objects that name one record by key and by name are one, the last counts"
        ) { trial in
            try trial.open(chainSchema)
            try trial.write { tx in
                let owner = try tx.import([["id": 5, "name": "Ada"]] as ImportValue, as: "Owner").records[0]
                try tx.import([["id": 1, "owner": 5, "title": "A", "year": 1]] as ImportValue, as: "Disc")
                for (year, source) in [
                    (3, [["id": 1, "year": 2], ["owner": 5, "title": "A", "year": 3]]),
                    (5, [["owner": 5, "title": "A", "year": 4], ["id": 1, "year": 5]]),
                ] as [(Int64, ImportValue)] {
                    let result = try tx.import(source, as: "Disc")
                    try expectEqual(try result.records.map { try $0.value("year", as: Int64.self) }, [year, year])
                    try expectEqual(result.report.counts, [0, 1, 0, 0, 0])
                }
                try expectEqual(owner.key, .integer(5))
            }
        },
        ConformanceCase(
            "import.compound-reference", in: .importing,
            "a record is found by a reference and another attribute together"
        ) { trial in
            try trial.open(chainSchema)
            try trial.write { tx in
                let source: ImportValue = [
                    ["id": 1, "owner": ["id": 5, "name": "Ada"], "title": "A"], ["id": 2, "owner": 5, "title": "B"],
                    ["id": 3, "owner": ["id": 6, "name": "Bo"], "title": "A"],
                ]
                try tx.import(source, as: "Disc")
                let again: ImportValue = [
                    ["owner": "5", "title": "A", "year": 1], ["owner": ["id": 5], "title": "B", "year": 2],
                ]
                let result = try tx.import(again, as: "Disc")
                try expectEqual(result.records.map(\.key), [.integer(1), .integer(2)])
                let nested: ImportValue = [["id": 6, "discs": [["title": "A", "year": 3]]]]
                try expectEqual(try tx.import(nested, as: "Owner").report.counts, [0, 1, 1, 0, 0])
                let years = try tx.fetch(Request("Disc")).map { try $0.value("year", as: Int64?.self) }
                try expectEqual(years, [1, 2, 3])
            }
        },
        ConformanceCase(
            "import.compound-around", in: .importing,
            "a record is found by a reference whose record lists others of the same entity"
        ) { trial in
            try trial.open(chainSchema)
            try trial.write { tx in
                let source: ImportValue = [
                    ["id": 1, "title": "A", "owner": ["id": 5, "name": "Ada", "discs": [["id": 2, "title": "B"]]]]
                ]
                let adding = Importer.mixed { importer in
                    importer.choose = nil
                    importer.mappings["Owner"] = ImportMapping().relate("discs", .add)
                }
                try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [3, 0, 0, 0, 0])
                try expectEqual(try tx.import(source, as: "Disc", with: adding).report.counts, [0, 0, 3, 0, 0])
                let owners = try tx.fetch(Request("Disc")).map { try $0.value("owner", as: Int64.self) }
                try expectEqual(owners, [5, 5])
            }
        },
        ConformanceCase(
            "import.long-chain", in: .importing,
            "records that get keys from the store name each other in a chain of any length"
        ) { trial in
            try trial.open(chainSchema)
            try trial.write { tx in
                let count = 3_000
                let source = (0..<count).map { number -> ImportValue in
                    ["name": .string("\(number)"), "next": number + 1 < count ? .string("\(number + 1)") : nil]
                }
                var importer = Importer()
                importer.batchSize = count
                importer.missingKey = .create
                importer.mapping = ImportMapping().relate("next", by: "name")
                let report = try tx.import(source, as: "Node", with: importer).report
                try expectEqual(report.counts, [count, 0, 0, 0, 0])
                try expectEqual(report.issueCount, 0)
                let query = Request("Node").where(try AnyCondition(parsing: "next.next.name == '2999'"))
                try expectEqual(try tx.fetch(query).map { try $0.value("name", as: String.self) }, ["2997"])
            }
        },
        ConformanceCase(
            "import.connect-keeps", in: .importing, "a value by which records are connected is imported all the same"
        ) { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.mapping = ImportMapping().connect("genre", ["label": "label"])
                let result = try tx.import(
                    [["id": 9, "label": "Jazz"]] as ImportValue, as: Artist.self, with: importer)
                try expectEqual(result.records, [Artist(id: 9, label: "Jazz", genre: Ref(2))])
            }
        },
    ]
}
