import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Which key of an object counts, and which record an object or a value is.

private func importer(_ policy: ImportPolicy = .upsert, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer(policy)
    change(&importer)
    return importer
}

/// Categories within categories, found by their parent and their name, and shops that name them.
private let categories = Schema(entities: [
    Entity(
        "Category", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("code", String?.self),
            Attribute("parent", .int64, isOptional: true, reference: .init(entity: "Category", onDelete: .nullify)),
            Attribute("changed", String?.self), Attribute("note", .json, defaultValue: .string("{}")),
        ], indexes: [.unique("parent", "name"), .unique("code")],
        relationships: [Relationship("parts", entity: "Category", attribute: "parent")]),
    Entity(
        "Shop", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String?.self),
            Attribute("category", .int64, isOptional: true, reference: .init(entity: "Category", onDelete: .nullify)),
            Attribute("chain", .int64, isOptional: true, reference: .init(entity: "Chain", onDelete: .nullify)),
        ]),
    Entity(
        "Chain", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self, default: "?")],
        relationships: [Relationship("shops", entity: "Shop", attribute: "chain")]),
])

extension ReadContext {
    /// An attribute of all records of an entity, by their keys.
    fileprivate func values(_ attribute: String, of entity: String) throws -> [StoredValue] {
        try fetch(Request(entity).sorted(by: "id")).map { record in
            record.values[try record.entity.position(ofAttribute: attribute)]
        }
    }
}

var importMeaningsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.compound-self", in: .importing,
            "a record is found by a reference to a record of its own entity, which is there, comes later, or is nested"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                let later: ImportValue = [["id": 2, "name": "Jazz", "parent": 1], ["id": 1, "name": "Music"]]
                try expectEqual(try tx.import(later, as: "Category").report.counts, [2, 0, 0, 0, 0])
                let there: ImportValue = [
                    ["name": "Jazz", "parent": 1, "code": "j"], ["id": 3, "name": "Folk", "parent": 1],
                ]
                try expectEqual(try tx.import(there, as: "Category").report.counts, [1, 1, 0, 0, 0])
                let nested: ImportValue = [
                    ["id": 6, "name": "Bop", "parent": ["id": 5, "name": "Cool", "parent": ["id": 2, "code": "J"]]],
                    ["name": "Folk", "parent": ["id": 1], "code": "f"],
                ]
                try expectEqual(try tx.import(nested, as: "Category").report.counts, [2, 2, 1, 0, 0])
                try expectEqual(
                    try tx.values("parent", of: "Category"),
                    [.null, .integer(1), .integer(1), .integer(2), .integer(5)])
                try expectEqual(
                    try tx.values("code", of: "Category"), [.null, .string("J"), .string("f"), .null, .null])
            }
        },
        ConformanceCase(
            "import.compound-skipped", in: .importing,
            "an object that is left out after what is nested in it takes nothing along"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                let source: ImportValue = [
                    ["name": "Nobody", "code": nil, "parent": ["name": "Without a key"]],
                    ["id": 2, "name": "Jazz", "parent": ["id": 1, "name": "Music"]],
                    ["id": 2, "name": "Jazz", "parent": ["id": 1, "name": "Musics"]],
                ]
                let skipping = importer(.insertOnly) { $0.missingKey = .skip }
                try expectEqual(try tx.import(source, as: "Category", with: skipping).report.counts, [2, 0, 0, 4, 0])
                try expectEqual(try tx.values("name", of: "Category"), [.string("Music"), .string("Jazz")])
            }
        },
        ConformanceCase(
            "import.fallback-keys", in: .importing,
            "the name of an attribute counts before its name with that of the entity"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                for source in [
                    [["id": 7, "name": "Jazz", "category_id": 3]], [["category_id": 3, "name": "Jazz", "id": 7]],
                ] as [ImportValue] {
                    try expectEqual(try tx.import(source, as: "Category").records.map(\.key), [.integer(7)])
                }
                for (key, source) in [
                    (5, [["id": 1, "category": ["id": 5, "name": "Folk"], "category_id": 7]]),
                    (6, [["id": 1, "category_id": 7, "category": ["id": 6, "name": "Rock"]]]),
                    (7, [["id": 1, "categoryId": 7]]),
                ] as [(Int64, ImportValue)] {
                    try tx.import(source, as: "Shop")
                    try expectEqual(try tx.values("category", of: "Shop"), [.integer(key)])
                }
                try expectEqual(try tx.count(Request("Category")), 3)
            }
        },
        ConformanceCase(
            "import.mapped-related", in: .importing,
            "a mapped key of a reference or a list counts before the inferred one"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                let mapped = importer {
                    $0.mappings["Chain"] = ImportMapping().map("shops", from: "branches")
                    $0.mappings["Shop"] = ImportMapping().map("category", from: "kind")
                }
                for source in [
                    [["id": 1, "kind": ["id": 1, "name": "A"], "category": ["id": 2, "name": "B"]]],
                    [["id": 1, "category": ["id": 2, "name": "B"], "kind": ["id": 1, "name": "A"]]],
                    [["id": 1, "kind": 1, "category_id": 2]], [["id": 1, "category_id": 2, "kind": 1]],
                ] as [ImportValue] {
                    try tx.import(source, as: "Shop", with: mapped)
                    try expectEqual(try tx.values("category", of: "Shop"), [.integer(1)])
                }
                for source in [
                    [["id": 1, "branches": [["id": 1]], "shops": [["id": 8]]]],
                    [["id": 1, "shops": [["id": 8]], "branches": [["id": 1]]]],
                ] as [ImportValue] {
                    try tx.import(source, as: "Chain", with: mapped)
                    try expectEqual(try tx.values("id", of: "Shop"), [.integer(1)])
                }
                try tx.import([["id": 2, "shops": [["id": 1]]]] as ImportValue, as: "Chain", with: mapped)
                try expectEqual(try tx.values("chain", of: "Shop"), [.integer(2)])
            }
        },
        ConformanceCase(
            "import.identified-named", in: .importing,
            "objects that are identified by another attribute are still named by their key, where that is said"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                try tx.import([["id": 1, "name": "Jazz", "code": "j"]] as ImportValue, as: "Category")
                let chosen = importer {
                    $0.mappings["Category"] = ImportMapping().identify(by: "code")
                    $0.mappings["Shop"] = ImportMapping().relate("category", by: "id")
                }
                for size in [1, 500] {
                    try Request("Shop").deleteAll(in: tx)
                    let source: ImportValue = [
                        ["id": 1, "category": 1], ["id": 2, "category": ["code": "j", "id": 9]],
                        ["id": 3, "category": 2],
                        ["id": 4, "category": ["id": 2, "code": "f", "name": "Folk"]],
                    ]
                    var sized = chosen
                    sized.batchSize = size
                    let report = try tx.import(source, as: "Shop", with: sized).report
                    try expectEqual(report.issueCount, 0)
                    try expectEqual(
                        try tx.values("category", of: "Shop"), [.integer(1), .integer(1), .integer(2), .integer(2)],
                        "batches of \(size)")
                    try expectEqual(try tx.values("id", of: "Category"), [.integer(1), .integer(2)])
                }
                // By the attribute that identifies it, unless said.
                try tx.import(
                    [["id": 1, "category": "f"]] as ImportValue, as: "Shop",
                    with: importer { $0.mappings["Category"] = ImportMapping().identify(by: "code") })
                try expectEqual(try tx.values("category", of: "Shop").first, .integer(2))
                let error = try expectError(.required, entity: "Category") {
                    try tx.import(
                        [["id": 1, "name": "x"]] as ImportValue, as: "Category",
                        with: importer { $0.mapping = ImportMapping().identify(by: "code") }
                    ).records
                }
                try expect(!error.message.contains("for id"), error.message)
            }
        },
        ConformanceCase(
            "import.stubs-skipped", in: .importing, "no stub is made for an object that is skipped"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                try tx.import([["id": 1, "name": "a"]] as ImportValue, as: "Shop")
                let stubs = { (policy: ImportPolicy) in
                    importer(policy) {
                        $0.mappings["Shop"] = ImportMapping().relate("chain", missing: .makeStub)
                        $0.mappings["Chain"] = ImportMapping().relate("shops", missing: .makeStub)
                    }
                }
                let source: ImportValue = [["id": 1, "chain": 7], ["id": 2, "chain": 8]]
                try expectEqual(
                    try tx.import(source, as: "Shop", with: stubs(.insertOnly)).report.counts, [2, 0, 0, 1, 0])
                try expectEqual(try tx.values("id", of: "Chain"), [.integer(8)])
                let lists: ImportValue = [["id": 8, "shops": [20, 21]], ["id": 9, "shops": [21, 22]]]
                try tx.import(lists, as: "Chain", with: stubs(.insertOnly))
                try expectEqual(
                    try tx.values("id", of: "Shop"), [.integer(1), .integer(2), .integer(21), .integer(22)])
            }
        },
        ConformanceCase(
            "import.waiting-counts", in: .importing, "a record that is changed by what comes later counts as updated"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                try tx.import([["id": 1, "name": "a"]] as ImportValue, as: "Shop")
                let mixed = importer {
                    $0.batchSize = 1
                    $0.choose = { value, _ in value["name"] == nil ? "Shop" : "Chain" }
                }
                let source: ImportValue = [["id": 1, "chain": 7], ["id": 7, "name": "c"]]
                var dry = mixed
                dry.isDryRun = true
                for importer in [dry, mixed] {
                    try expectEqual(try tx.import(source, as: "Shop", with: importer).report.counts, [1, 1, 0, 0, 0])
                }
                try expectEqual(try tx.import(source, as: "Shop", with: mixed).report.counts, [0, 0, 2, 0, 0])
                let listed: ImportValue = [["id": 7, "name": "c", "shops": [1, 2]], ["id": 2]]
                try expectEqual(try tx.import(listed, as: "Shop", with: mixed).report.counts, [1, 1, 0, 0, 0])
            }
        },
        ConformanceCase(
            "import.waiting-undone", in: .importing,
            "where one of several references cannot be connected, the others are, and count"
        ) { trial in
            try trial.open(
                Schema(entities: [
                    Entity("Person", key: "id", attributes: [Attribute("id", Int64.self)]),
                    Entity(
                        "Badge", key: "id",
                        attributes: [
                            Attribute("id", Int64.self),
                            Attribute(
                                "owner", .int64, isOptional: true,
                                reference: .init(entity: "Person", onDelete: .nullify)),
                        ], indexes: [.unique("owner")]),
                ]))
            try trial.write { tx in
                try tx.import([["id": 1], ["id": 2]] as ImportValue, as: "Badge")
                let mixed = importer {
                    $0.batchSize = 1
                    $0.failures = .report
                    $0.choose = { value, _ in value["owner"] == nil ? "Person" : "Badge" }
                }
                let source: ImportValue = [["id": 1, "owner": 5], ["id": 2, "owner": 5], ["id": 5]]
                let report = try tx.import(source, as: "Badge", with: mixed).report
                try expectEqual(report.counts, [1, 1, 1, 0, 0])
                try expectEqual(report.issues.map(\.path), ["$[1]"])
                let owners = try tx.fetch(Request("Badge")).map { $0["owner"] }
                try expectEqual(owners, [.integer(5), .null])
            }
        },
        ConformanceCase(
            "import.newer-text", in: .importing,
            "texts that are dates are newer or not as dates, others are equal or not"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                let newer = importer { $0.mapping = ImportMapping().skipUnless(newer: "changed") }
                let steps: [(changed: String, name: String, expected: String)] = [
                    ("2024-05-01T12:00:00Z", "a", "a"), ("2024-05-01T11:00:00Z", "b", "a"),
                    ("2024-05-01T13:30:00+02:00", "c", "a"), ("2024-05-01T12:00:00.5Z", "d", "d"),
                    ("v9", "e", "e"), ("v10", "f", "f"), ("v10", "g", "f"),
                ]
                for step in steps {
                    let source: ImportValue = [["id": 1, "name": .string(step.name), "changed": .string(step.changed)]]
                    try tx.import(source, as: "Category", with: newer)
                    try expectEqual(try tx.values("name", of: "Category"), [.string(step.expected)], step.changed)
                }
            }
        },
        ConformanceCase(
            "import.checked-names", in: .importing,
            "what a mapping says of a reference is checked when the import begins"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                for (code, mapping) in [
                    (.unknownAttribute, ImportMapping().relate("chain", by: "nothing")),
                    (.unknownAttribute, ImportMapping().connect("chain", ["chain_name": "nothing"])),
                    (.invalidQuery, ImportMapping().relate("chain", .add)),
                    (.invalidQuery, ImportMapping().relate("name", .replaceAndDelete)),
                ] as [(GranaryError.Code, ImportMapping)] {
                    try expectError(code) {
                        try tx.import([] as ImportValue, as: "Shop", with: importer { $0.mapping = mapping }).records
                    }
                }
            }
        },
        ConformanceCase(
            "import.json-null", in: .importing, "null in a column of JSON is null, which a required attribute refuses"
        ) { trial in
            try trial.open(categories)
            try trial.write { tx in
                let text = "id,name,note\n1,a,null\n2,b,\"{\"\"x\"\":1}\"\n"
                let report = try tx.import(.csv(.text(text)), as: "Category").report
                try expectEqual(report.issues.map(\.path), ["$[0].note"])
                try expectEqual(try tx.values("note", of: "Category"), [.string("{}"), .string(#"{"x":1}"#)])
            }
        },
    ]
}
