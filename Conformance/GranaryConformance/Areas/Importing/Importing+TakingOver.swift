import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Values of a source that code imports in place of the import.

private func importer(_ mapping: ImportMapping, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    change(&importer)
    return importer
}

private func words(_ value: ImportValue) -> [ImportValue]? {
    guard case .string(let text) = value else { return nil }
    return text.split(separator: " ").map { .string(String($0)) }
}

var importTakingOverCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.value-taken-over", in: .importing,
            "code imports a value in place of the import, which neither writes nor reports it"
        ) { trial in
            try Shop(trial).write { tx in
                // An attribute that is required, and a key that means none.
                let mapping = ImportMapping().takeOver(from: "label") { value, _ in
                    guard let words = words(value), words.count == 2 else { return nil }
                    return ["label": words[0], "rating": words[1]]
                }.takeOver(from: "of.style") { value, place in
                    value == "same" ? [:] : ["genre": place.index == 0 ? 3 : value]
                }
                let source: ImportValue = [
                    ["id": 90, "label": "Cy 4.5", "of": ["style": "x"]], ["id": 91, "label": "Di", "of": ["style": 2]],
                    ["id": 1, "label": "Ada 1", "of": ["style": "same"]], ["id": 2, "of": ["style": nil]],
                ]
                let strict = importer(mapping) { $0.isStrict = true }
                for importer in [importer(mapping), strict] {
                    try Artist.where { $0.id >= 90 }.deleteAll(in: tx)
                    let result = try tx.import(source, as: Artist.self, with: importer)
                    try expectEqual(result.report.issueCount, 0)
                    try expectEqual(result.report.unknownKeys, [:])
                    try expectEqual(result.records.map(\.label), ["Cy", "Di", "Ada", "Bo"])
                    try expectEqual(result.records.map(\.rating), [4.5, nil, 1, nil])
                    try expectEqual(result.records.map(\.genre), [Ref(3), Ref(2), Ref(1), nil])
                }
                // A value that is not taken over is imported as usual. Here its key is unknown.
                let refused = importer(ImportMapping().takeOver(from: "extra") { _, _ in nil })
                let report = try tx.import([["id": 1, "extra": 1]] as ImportValue, as: Artist.self, with: refused)
                    .report
                try expectEqual(report.unknownKeys, ["Artist": ["extra"]])
            }
        },
        ConformanceCase(
            "import.value-taken-over-first", in: .importing,
            "what code returns for a value counts over the source, may tell which record it is, and is not absent"
        ) { trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().takeOver(from: "code") { value, _ in
                    guard let words = words(value) else { return [:] }
                    return ["id": words[0], "label": words[1], "albums": []]
                }.whenAbsent("rating", .clear).takeOver(from: "rating") { _, _ in [:] }
                let source: ImportValue = [
                    ["code": "1 Eve", "label": "x", "rating": "unknown"], ["id": 2, "code": nil],
                ]
                try Album.deleteAll(in: tx)
                let result = try tx.import(source, as: Artist.self, with: importer(mapping))
                try expectEqual(result.records.map(\.id), [1, 2])
                try expectEqual(result.records.map(\.label), ["Eve", "Bo"])
                try expectEqual(result.records.map(\.rating), [4.5, nil])
            }
        },
        ConformanceCase(
            "import.value-taken-over-wrong", in: .importing,
            "code that throws for a value, or returns a name that does not exist, is reported, and fails a strict import"
        ) { trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().takeOver(from: "label") { value, _ in
                    if value == "throw" { throw Abandon() }
                    return ["nothing": value, "rating": value]
                }
                let source: ImportValue = [["id": 1, "label": "throw"], ["id": 2, "label": "x"]]
                let report = try tx.import(source, as: Artist.self, with: importer(mapping)).report
                try expectEqual(report.issues.map(\.path), ["$[0].label", "$[1].label"])
                try expectEqual(report.issues.map(\.error.code), [.invalidRecord, .invalidQuery])
                try expectEqual(report.counts, [0, 0, 2, 0, 0])
                let strict = importer(mapping) { $0.isStrict = true }
                try expectError(.invalidRecord, entity: "Artist") {
                    try tx.import(source, as: Artist.self, with: strict).records
                }
                // What it returns is converted, and reported where the source has the value.
                let converted = importer(ImportMapping().takeOver(from: "label") { _, _ in ["rating": "much"] })
                let kept = try tx.import([["id": 1, "label": "x"]] as ImportValue, as: Artist.self, with: converted)
                    .report
                try expectEqual(kept.issues.map(\.path), ["$[0].rating"])
                for path in ["@self", "@parent.label", "names[0]"] as [ImportPath] {
                    let wrong = importer(ImportMapping().takeOver(from: path) { _, _ in [:] })
                    try expectError(.invalidQuery, entity: "Artist") {
                        try tx.import([] as ImportValue, as: Artist.self, with: wrong).records
                    }
                }
            }
        },
        ConformanceCase(
            "import.choose-typed", in: .importing,
            "of an import whose types are chosen, the records of the type are returned, and others are imported"
        ) { trial in
            let source: ImportValue = [
                ["id": 90, "label": "Soul", "kind": "genre"], ["id": 91, "label": "Cy", "genre": 90],
                ["id": 92, "kind": "none"], ["id": 93, "label": "Di", "kind": "artist"],
            ]
            let choosing = importer(ImportMapping().ignore("kind")) {
                $0.mappings["Artist"] = ImportMapping().ignore("kind")
                $0.mappings["Genre"] = ImportMapping().ignore("kind")
                $0.choose = { value, _ in
                    switch value["kind"] {
                    case "none": nil
                    case "genre": "Genre"
                    default: "Artist"
                    }
                }
            }
            func check(_ result: ImportResult<Artist>, in context: ReadContext) throws {
                try expectEqual(result.records.map(\.id), [91, 93])
                try expectEqual(result.records.map(\.genre), [Ref(90), nil])
                try expectEqual(result.report.counts, [3, 0, 0, 1, 0])
                try expectEqual(result.report.skippedObjects.map(\.reason), [.notChosen])
                try expectEqual(try context.find(Genre.self, 90)?.label, "Soul")
            }
            try Shop(trial).write { tx in
                try check(try tx.import(source, as: Artist.self, with: choosing), in: tx)
                // A name that is no entity fails the object.
                let unknown = importer(ImportMapping()) { $0.choose = { _, _ in "Nothing" } }
                try expectError(.unknownEntity) { try tx.import(source, as: Artist.self, with: unknown).records }
                try Artist.where { $0.id >= 90 }.deleteAll(in: tx)
                try Genre.where { $0.id >= 90 }.deleteAll(in: tx)
            }
            let context = try trial.stack.makeContext()
            try check(try context.import(source, as: Artist.self, with: choosing), in: context)
            try context.blocking.save()
            try expectEqual(try trial.read { try $0.count(Artist.where { $0.id >= 90 }) }, 2)
            try expectEqual(
                try trial.stack.blocking.import(source, as: Artist.self, with: choosing).counts, [0, 0, 3, 1, 0])
        },
    ]
}
