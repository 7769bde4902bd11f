import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Values are decoded without a store as an import of the same source would write them.

private let schema = SuiteSchema.shop

private func reporting(_ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.failures = .report
    change(&importer)
    return importer
}

var importDecodingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.decode", in: .importing, "values decoded from a source are the records that an import writes"
        ) { trial in
            try Shop(trial).write { tx in
                let json = #"[{"ID": "7", "label": "Cy", "Rating": "4.5", "genre_id": 2}, {"id": 8, "label": 9}]"#
                let lines = json.dropFirst().dropLast().replacingOccurrences(of: "}, {", with: "}\n{")
                let sources: [any ImportSource] = [
                    ImportInput.json(.text(json)),
                    ImportInput.json(.text(lines), JSONOptions(layout: .lines)),
                    ImportInput.csv(.text("id,LABEL,rating,genre\n7,Cy,4.5,2\n8,9,,\n")),
                    try ImportValue(json: json),
                ]
                let expected = [
                    Artist(id: 7, label: "Cy", genre: Ref(2), rating: 4.5), Artist(id: 8, label: "9"),
                ]
                for source in sources {
                    let decoded = try Importer().decode(source, as: Artist.self, in: schema)
                    try expectEqual(decoded.records, expected)
                    try expectEqual(decoded.origins.map(\.path), ["$[0]", "$[1]"])
                    try expectEqual(try tx.import(source, as: Artist.self).records, expected)
                }
                try expectEqual(try tx.count(Artist.all), Shop.artists.count + 2)
            }
        },
        ConformanceCase(
            "import.decode-each", in: .importing,
            "each object becomes a value of its own, with the options of an import"
        ) { trial in
            try Shop(trial).read { snapshot in
                let importer = reporting {
                    $0.root = "data.list"
                    $0.mapping = ImportMapping().map("label", from: "names[0]").whenAbsent("rating", .useDefault)
                        .transform("rating") { value, _ in value == "none" ? .null : value }
                }
                let source: ImportValue = [
                    "data": [
                        "list": [
                            ["id": 1, "names": ["A"], "rating": "none"], ["id": 1, "names": ["B"], "more": 1],
                            ["names": ["C"]], ["id": 2, "names": ["D"], "rating": "high"],
                        ]
                    ]
                ]
                let decoded = try importer.decode(source, as: Artist.self, in: schema)
                try expectEqual(
                    decoded.records,
                    [Artist(id: 1, label: "A"), Artist(id: 1, label: "B"), Artist(id: 2, label: "D")])
                try expectEqual(decoded.origins.map(\.root), ["data.list", "data.list", "data.list"])
                try expectEqual(decoded.report.counts, [0, 0, 0, 0, 1])
                try expectEqual(
                    decoded.report.issues.map(\.path), ["$.data.list[2]", "$.data.list[3].rating"])
                try expectEqual(decoded.report.unknownKeys, ["Artist": ["more"]])
                let skipping = reporting { $0.missingKey = .skip }
                let skipped = try skipping.decode([["label": "C"]] as ImportValue, as: Artist.self, in: schema)
                try expectEqual(skipped.report.skippedObjects.map(\.reason), [.noKey])
                try expectError(.required, entity: "Artist", attributes: ["id"]) {
                    try Importer().decode([["label": "C"]] as ImportValue, as: Artist.self, in: schema).records
                }
                // What the store has says nothing, and it stays as it is.
                try expectEqual(try snapshot.find(Artist.self, 1)?.label, "Ada")
            }
        },
        ConformanceCase(
            "import.decode-over", in: .importing, "a value keeps what the object does not have"
        ) { trial in
            try Shop(trial).read { _ in
                let ada = Artist(id: 1, label: "Ada", genre: Ref(1), rating: 4.5, mentor: Ref(2))
                func changed(_ object: ImportValue, _ importer: Importer = Importer()) throws -> [Artist] {
                    try importer.decode(object, as: Artist.self, over: ada, in: schema).records
                }
                var expected = ada
                expected.label = "Eve"
                expected.genre = nil
                try expectEqual(try changed(["label": "Eve", "genre": nil]), [expected])
                try expectEqual(try changed(["label": "Eve", "genre": nil, "id": nil], reporting()), [expected])
                expected.id = 9
                try expectEqual(try changed([["label": "Eve", "genre": nil, "id": "9"]]), [expected])
                try expectEqual(try changed(["rating": "x"], reporting()), [ada])
                try expectEqual(try changed([]), [])
                let newer = reporting { $0.mapping = ImportMapping().skipUnless(newer: "rating") }
                try expectEqual(try changed(["label": "Eve", "rating": .double(ada.rating ?? 0)], newer), [])
                try expectError(.invalidQuery, entity: "Artist") { try changed([["label": "A"], ["label": "B"]]) }
            }
        },
        ConformanceCase(
            "import.decode-references", in: .importing,
            "a reference gets the key that the source has for it, by itself or in a nested object"
        ) { trial in
            try Shop(trial).read { _ in
                let source: ImportValue = [
                    ["id": 1, "genre": "77"], ["id": 2, "genre": ["id": "78", "label": "New"]], ["id": 3, "genre": []],
                    ["id": 4, "mentor": ["id": 5, "mentor": 6]], ["id": 5, "genre": ["label": "Rock"]],
                    ["id": 6, "genre": "Rock"], ["id": 7, "albums": [["id": 1]], "mentor": 70],
                ]
                let labelling = ImportMapping().map("id", from: "id").map("label", from: "id")
                let keyed = reporting { $0.mapping = labelling }
                let decoded = try keyed.decode(source, as: Artist.self, in: schema)
                try expectEqual(
                    decoded.records.map(\.genre), [Ref(77), Ref(78), nil, nil, nil, nil, nil])
                try expectEqual(decoded.records.map(\.mentor), [nil, nil, nil, Ref(5), nil, nil, Ref(70)])
                try expectEqual(decoded.report.issues.map(\.path), ["$[4].genre", "$[5].genre"])
                try expectEqual(decoded.report.issues.map(\.error.code), [.required, .typeMismatch])
                try expectEqual(decoded.report.unknownKeys, [:])
                let named = reporting { $0.mapping = labelling.relate("genre", by: "label") }
                let labelled = try named.decode(["id": 1, "genre": "Rock"] as ImportValue, as: Artist.self, in: schema)
                try expectEqual(labelled.records, [Artist(id: 1, label: "1")])
                try expectEqual(labelled.report.issues.map(\.error.code), [.required])
            }
        },
        ConformanceCase(
            "import.decode-refused", in: .importing,
            "options that need a store, and types out of the schema, are refused"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let object: ImportValue = ["id": 1, "label": "A"]
            let refused: [(inout Importer) -> Void] = [
                { $0.policy = .insertOnly }, { $0.policy = .mirror() }, { $0.target = .integer(1) },
                { $0.commits = .every(5) }, { $0.tombstones = Genre.all.untyped },
            ]
            for change in refused {
                try expectError(.invalidQuery, entity: "Genre") {
                    try reporting(change).decode(object, as: Genre.self, in: schema).records
                }
            }
            try expectError(.unknownEntity) {
                try Importer().decode(object, as: Genre.self, in: Schema(Artist.self)).records
            }
            try expectError(.unknownEntity) {
                try Importer().decode(object, as: Artist.self, in: Schema(Artist.self)).records
            }
            try expectError(.unknownAttribute) {
                try reporting { $0.mapping = ImportMapping().map("nothing", from: "a") }
                    .decode(object, as: Genre.self, in: schema).records
            }
            try expectError(.typeMismatch) {
                try reporting {
                    $0.isStrict = true; $0.failures = .throw
                }
                .decode(["id": 1, "label": "A", "x": 1] as ImportValue, as: Genre.self, in: schema).records
            }
        },
    ]
}
