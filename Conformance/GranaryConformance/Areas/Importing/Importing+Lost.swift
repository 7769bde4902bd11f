import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// What an import leaves out is in its report, with its place; a value that can be read in two ways is not guessed.

private func reporting(_ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.failures = .report
    change(&importer)
    return importer
}

var importLostCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.spellings", in: .importing,
            "of two keys that mean one attribute the name itself counts, and the other one is reported"
        ) { trial in
            try Shop(trial).write { tx in
                for (source, label) in [
                    (["id": 1, "label": "right", "LABEL": "other"], "right"),
                    (["id": 1, "La_bel": "other", "label": "right"], "right"),
                    (["id": 1, "La-bel": "first", "LABEL": "second"], "first"),
                    (["id": 1, "LABEL": nil, "label": "right"], "right"),
                    (["id": 1, "label": "right", "LABEL": nil], "right"),
                    (["ID": "x", "id": 1, "label": "right"], "right"),
                ] as [(ImportValue, String)] {
                    let result = try tx.import(source, as: Employee.self)
                    try expectEqual(result.records.map(\.label), [label], "\(source)")
                    try expectEqual(result.report.unknownKeys["Employee"]?.count, 1, "\(source)")
                    try expectEqual(result.report.issues.map(\.path), [], "\(source)")
                    try expectEqual(result.report.valuesLeftOut, 0, "\(source)")
                    let strict = reporting { $0.isStrict = true }
                    try expectEqual(try tx.import(source, as: Employee.self, with: strict).report.failed, 1)
                }
                // What counts is kept as it is if its value cannot be taken, whatever another key has.
                for source in [
                    ["id": 1, "LABEL": "other", "label": nil], ["id": 1, "La-bel": nil, "LABEL": "other"],
                    ["id": 1, "La-bel": nil, "LABEL": nil],
                ] as [ImportValue] {
                    try tx.upsert(Employee(id: 1, label: "before"))
                    let result = try tx.import(source, as: Employee.self)
                    try expectEqual(result.records.map(\.label), ["before"], "\(source)")
                    try expectEqual(result.report.unknownKeys["Employee"]?.count, 1, "\(source)")
                    try expectEqual(result.report.valuesLeftOut, 1, "\(source)")
                }
                for (members, label, leftOut) in [
                    (#""LABEL": null, "label": "a""#, "a", 0), (#""La-bel": "b", "LABEL": "c""#, "b", 0),
                    (#""label": "d", "LABEL": [1]"#, "d", 0), (#""La-bel": null, "LABEL": null"#, "d", 1),
                ] {
                    let lines = ImportInput.json(.text("{\"id\": 1, \(members)}\n"), JSONOptions(layout: .lines))
                    let report = try tx.import(lines, as: Employee.self).report
                    try expectEqual(report.unknownKeys["Employee"]?.count, 1, members)
                    try expectEqual(report.valuesLeftOut, leftOut, members)
                    try expectEqual(try tx.find(Employee.self, 1)?.label, label, members)
                }
                let list: ImportValue = ["id": 2, "Reports": [4], "reports": [3]]
                let report = try tx.import(list, as: Employee.self).report
                try expectEqual(report.unknownKeys["Employee"], ["Reports"])
                try expectEqual(try tx.find(Employee.self, 3)?.manager, Ref(2))
            }
        },
        ConformanceCase("import.key-zero", in: .importing, "0 is not a key where the store assigns keys") { trial in
            try trial.write { tx in
                try tx.insert(Counter(label: "a"))
                let source: ImportValue = [["id": 0, "label": "b"], ["id": "0", "label": "a"], ["label": "c"]]
                for policy in [MissingKeyPolicy.create, .skip] {
                    let importer = reporting { $0.missingKey = policy }
                    let report = try tx.import(source, as: Counter.self, with: importer).report
                    try expectEqual(report.issues.map(\.path), ["$[0]", "$[1]"])
                    try expectEqual(report.issues.map(\.error.code), [.invalidRecord, .invalidRecord])
                    try expect(report.issues.allSatisfy { $0.error.message.contains("0 is not a key") }, "\(report)")
                }
                try expectEqual(try tx.fetch(Counter.all).map(\.label), ["a", "c"])
            }
        },
        ConformanceCase(
            "import.null-objects", in: .importing, "null in the place of an object is skipped, and counted"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["id": 1, "label": "Roll"], nil, ["id": 5, "label": "Soul"]]
                let report = try tx.import(source, as: Genre.self).report
                try expectEqual(report.counts, [1, 1, 0, 1, 0])
                try expectEqual(report.skippedObjects.map { "\($0.path) \($0.reason)" }, ["$[1] isNull"])
                let lines = ImportInput.json(.text("{\"id\": 1}\nnull\n"), JSONOptions(layout: .lines))
                try expectEqual(try tx.import(lines, as: Genre.self).report.counts, [0, 0, 1, 1, 0])
            }
        },
        ConformanceCase(
            "import.path-through-text", in: .importing,
            "a path that leads through a value without members is reported, and refused by a strict import"
        ) { trial in
            try Shop(trial).write { tx in
                var importer = reporting { $0.mapping = ImportMapping().map("rating", from: "score.value", "points") }
                let source: ImportValue = [
                    ["id": 1, "score": "good"], ["id": 2, "score": nil], ["id": 3, "score": 3, "points": 5],
                    ["id": 4, "score": ["value": 2]],
                ]
                let report = try tx.import(source, as: Artist.self, with: importer).report
                try expectEqual(report.issues.map(\.path), ["$[0].rating"])
                try expectEqual(report.valuesLeftOut, 1)
                try expectEqual(try tx.fetch(Artist.all).map(\.rating), [4.5, nil, 5, 2])
                importer.isStrict = true
                try expectEqual(try tx.import(source, as: Artist.self, with: importer).report.failed, 1)
            }
        },
        ConformanceCase(
            "import.connected-null", in: .importing,
            "a bad key in a connected list is reported as in a plain list, and the others are related"
        ) { trial in
            try Shop(trial).write { tx in
                let connected = reporting { $0.mapping = ImportMapping().connect("reports", ["team": "id"]) }
                let source: ImportValue = ["id": 1, "team": [4, nil, "x", 5]]
                let report = try tx.import(source, as: Employee.self, with: connected).report
                try expectEqual([report.failed, report.updated], [0, 1])
                try expect(report.valuesLeftOut > 0, "\(report.issues)")
                try expectEqual(try tx.find(Employee.self, 4)?.manager, Ref(1))
                try expectEqual(try tx.find(Employee.self, 5)?.manager, Ref(1))
                let plain: ImportValue = ["id": 1, "reports": [4, nil, "x", 5]]
                try expectEqual(try tx.import(plain, as: Employee.self, with: reporting()).report.failed, 0)
            }
        },
        ConformanceCase(
            "import.strict-self", in: .importing,
            "a strict import takes the keys of an object that mean something for a record within it"
        ) { trial in
            try Shop(trial).write { tx in
                func importer(_ name: ImportPath) -> Importer {
                    reporting {
                        $0.isStrict = true
                        $0.mapping = ImportMapping().map("artist", from: "@self")
                        $0.mappings["Artist"] = ImportMapping().map("id", from: "artist_number").map(
                            "label", from: name)
                    }
                }
                let source: ImportValue = ["id": 1, "title": "Alpha", "artist_number": 2, "artist_label": "Bea"]
                let report = try tx.import(source, as: Album.self, with: importer("artist_label")).report
                try expectEqual(report.issues.map(\.path), [])
                try expectEqual(try tx.find(Album.self, 1)?.artist, Ref(2))
                try expectEqual(try tx.find(Artist.self, 2)?.label, "Bea")
                let other: ImportValue = ["id": 1, "artist_number": 2, "nonsense": 3]
                try expectEqual(try tx.import(other, as: Album.self, with: importer("artist_label")).report.failed, 1)
            }
        },
        ConformanceCase(
            "import.unique-folded", in: .importing, "a unique index that overlooks case tells which record an object is"
        ) { trial in
            let schema = Schema(entities: [
                Entity(
                    "User", key: "id", keyGeneration: .assigned,
                    attributes: [
                        Attribute("id", .int64), Attribute("mail", .string), Attribute("age", .int64, isOptional: true),
                    ],
                    indexes: [.unique("mail", folding: [.caseInsensitive])]),
                Entity(
                    "Post", key: "id",
                    attributes: [
                        Attribute("id", .int64),
                        Attribute(
                            "user", .int64, isOptional: true, reference: .init(entity: "User", onDelete: .nullify)),
                    ]),
            ])
            try trial.open(schema)
            for size in [1, 500] {
                var importer = reporting {
                    $0.missingKey = .create
                    $0.batchSize = size
                }
                try trial.write { tx in
                    try Request("User").deleteAll(in: tx)
                    try Request("Post").deleteAll(in: tx)
                    let source: ImportValue = [
                        ["mail": "ann@x.org", "age": 1], ["mail": "BOB@x.org"], ["mail": "Ann@X.org", "age": 2],
                    ]
                    try expectEqual(try tx.import(source, as: "User", with: importer).report.counts, [2, 0, 0, 0, 0])
                    let again: ImportValue = [["mail": "ANN@x.org", "age": 3], ["mail": "BOB@x.org"]]
                    try expectEqual(try tx.import(again, as: "User", with: importer).report.counts, [0, 1, 1, 0, 0])
                    importer.mapping = ImportMapping().relate("user", by: "mail")
                    let posts: ImportValue = [["id": 1, "user": "bob@x.org"], ["id": 2, "user": "ANN@X.ORG"]]
                    let report = try tx.import(posts, as: "Post", with: importer).report
                    try expectEqual(report.issues.map(\.path), [])
                    let users = try tx.fetch(Request("User"))
                    let named = try tx.fetch(Request("Post")).map { $0["user"] }
                    try expectEqual(named, [users[1]["id"], users[0]["id"]])
                }
            }
        },
        ConformanceCase(
            "import.keys-with-dots", in: .importing, "a key with a dot, or without characters, can be mapped"
        ) { trial in
            try Shop(trial).write { tx in
                for (path, key) in [
                    ("Sepal.Length", "Sepal.Length"), ("\"Sepal.Length\"", "Sepal.Length"), ("", ""), ("\"\"", ""),
                ] {
                    try tx.upsert(Shop.artists[0])
                    let mapped = reporting {
                        $0.isStrict = true
                        $0.mapping = ImportMapping().map("rating", from: ImportPath(path))
                    }
                    let table = ImportInput.csv(.text("id,\(key)\n1,2.5\n"))
                    try expectEqual(try tx.import(table, as: Artist.self, with: mapped).report.issues.map(\.path), [])
                    try expectEqual(try tx.find(Artist.self, 1)?.rating, 2.5, path)
                }
                try tx.import(["i.d": 1, "ra.ting": 3] as ImportValue, as: Artist.self)
                try expectEqual(try tx.find(Artist.self, 1)?.rating, 3)
            }
        },
    ]
}
