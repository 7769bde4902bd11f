import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// What the keys of the source mean.

private func importer(_ mapping: ImportMapping) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    return importer
}

private func sample(_ object: ImportValue, _ mapping: ImportMapping = ImportMapping(), in trial: Trial) throws
    -> Sample?
{
    try trial.write { tx in
        try Sample.deleteAll(in: tx)
        return try tx.import([object] as ImportValue, as: Sample.self, with: importer(mapping)).records.first
    }
}

var importKeysCases: [ConformanceCase] {
    [
        ConformanceCase("import.inferred", in: .importing, "case, underscores and hyphens do not matter in keys") {
            trial in
            try Shop(trial).write { tx in
                for key in ["isLive", "islive", "IsLive", "is_live", "Is_Live", "IS-LIVE", "is live"] {
                    try tx.update(Song.self, 6) { $0.isLive = nil }
                    let object = ImportObject([.init("id", 6), .init(key, true)])
                    let song = try tx.import([ImportValue.object(object)], as: Song.self).records.first
                    try expectEqual(song?.isLive, true, key)
                }
            }
        },
        ConformanceCase(
            "import.inferred-keys", in: .importing,
            "the entity's name and `id` mean the key, a reference's name and `id` mean it"
        ) { trial in
            try Shop(trial).write { tx in
                let source: ImportValue = [["artist_id": 9, "Label": "Zoe", "GenreId": "2"]]
                try expectEqual(
                    try tx.import(source, as: Artist.self).records, [Artist(id: 9, label: "Zoe", genre: Ref(2))])
            }
        },
        ConformanceCase(
            "import.mapped", in: .importing, "a mapped key is taken, and the inferred one still counts without it"
        ) { trial in
            let mapping = ImportMapping().map("text", from: "caption")
            try expectEqual(try sample(["id": 1, "caption": "a"], mapping, in: trial)?.text, "a")
            try expectEqual(try sample(["id": 1, "text": "b"], mapping, in: trial)?.text, "b")
            try expectEqual(try sample(["id": 1, "text": "b", "caption": "a"], mapping, in: trial)?.text, "a")
            try expectEqual(try sample(["id": 1, "caption": "a", "text": "b"], mapping, in: trial)?.text, "a")
            try expectEqual(
                try sample(["id": 1, "text": "b"], mapping.withoutInference().map("id", from: "id"), in: trial)?.text,
                nil)
        },
        ConformanceCase(
            "import.mapped-twice", in: .importing,
            "a mapped key has this meaning alone, and its own name's only if both are mapped"
        ) { trial in
            let mapping = ImportMapping().map("uuid", from: "text")
            let id = "00112233-4455-6677-8899-AABBCCDDEEFF"
            let taken = try sample(["id": 1, "text": .string(id)], mapping, in: trial)
            try expectEqual([taken?.uuid?.uuidString, taken?.text], [id, nil])
            let both = try sample(["id": 1, "text": .string(id)], mapping.map("text", from: "text"), in: trial)
            try expectEqual([both?.uuid?.uuidString, both?.text], [id, id])
        },
        ConformanceCase(
            "import.key-paths", in: .importing, "values are taken from objects and arrays within, three levels deep"
        ) { trial in
            let object: ImportValue = ["id": 1, "a": ["b": ["c": "deep", "list": ["x", "y"]]]]
            let expected: [(ImportPath, String?)] = [
                ("a.b.c", "deep"), ("a.b.list[1]", "y"), ("a.b.list[2]", nil), ("a.x.c", nil),
            ]
            for (path, text) in expected {
                try expectEqual(try sample(object, ImportMapping().map("text", from: path), in: trial)?.text, text)
            }
            let dotted: ImportValue = ["id": 1, "a.b": "dot"]
            try expectEqual(
                try sample(dotted, ImportMapping().map("text", from: ImportPath(keys: ["a.b"])), in: trial)?.text, "dot"
            )
        },
        ConformanceCase("import.fallbacks", in: .importing, "the first path that has a value counts, null included") {
            trial in
            let mapping = ImportMapping().map("text", from: "first", "second.inner", "third[0]")
            try expectEqual(
                try sample(["id": 1, "first": "a", "second": ["inner": "b"]], mapping, in: trial)?.text, "a")
            try expectEqual(try sample(["id": 1, "second": ["inner": "b"]], mapping, in: trial)?.text, "b")
            try expectEqual(try sample(["id": 1, "third": ["c"]], mapping, in: trial)?.text, "c")
            try expectEqual(try sample(["id": 1, "first": nil, "third": ["c"]], mapping, in: trial)?.text, nil)
        },
        ConformanceCase("import.whole", in: .importing, "the whole object is a value, and so are its place and its key")
        {
            trial in
            let mapping = ImportMapping().map("json", from: "@self").map("integer", from: "@index").ignore(
                "tags", "depth")
            let made = try sample(["id": 1, "tags": ["a"], "depth": 3], mapping, in: trial)
            try expectEqual(made?.json?.value, Extra(tags: ["a"], depth: 3))
            try expectEqual(made?.integer, 0)
            try trial.write { tx in
                var keyed = importer(ImportMapping().map("text", from: "@key").map("integer", from: "@index"))
                keyed.isKeyed = true
                let source: ImportValue = ["blake": ["id": 11], "anna": ["id": 12]]
                let records = try tx.import(source, as: Sample.self, with: keyed).records
                try expectEqual(records.map(\.text), ["blake", "anna"])
                try expectEqual(records.map(\.integer), [0, 1])
            }
        },
        ConformanceCase("import.keyed-ids", in: .importing, "the key of a dictionary is the key of the record") {
            trial in
            try Shop(trial).write { tx in
                var keyed = importer(ImportMapping().map("id", from: "@key"))
                keyed.isKeyed = true
                let source: ImportValue = ["1": ["label": "Roll"], "7": ["label": "Soul"]]
                try expectEqual(try tx.import(source, as: Genre.self, with: keyed).report.counts, [1, 1, 0, 0, 0])
                try expectEqual(try tx.find(Genre.self, 7)?.label, "Soul")
            }
        },
        ConformanceCase("import.parents", in: .importing, "a nested object takes values of its parent and of the root")
        {
            trial in
            try Shop(trial).write { tx in
                var nested = Importer()
                nested.mappings = [
                    "Album": ImportMapping().map("title", from: "@parent.label").map("year", from: "@root.since")
                ]
                let source: ImportValue = [["id": 20, "label": "Ada", "since": 1960, "albums": [["id": 8]]]]
                try tx.import(source, as: Artist.self, with: nested)
                try expectEqual(try tx.find(Album.self, 8), Album(id: 8, title: "Ada", artist: Ref(20), year: 1960))
            }
        },
        ConformanceCase("import.root", in: .importing, "the records are found within the source") { trial in
            try Shop(trial, filled: false).write { tx in
                var inner = Importer()
                inner.root = "data.genres"
                let source: ImportValue = ["data": ["genres": [["id": 1, "label": "Rock"]], "count": 1]]
                try expectEqual(try tx.import(source, as: Genre.self, with: inner).report.inserted, 1)
                inner.root = "data.nothing"
                try expectError(.typeMismatch) { try tx.import(source, as: Genre.self, with: inner).records }
            }
        },
        ConformanceCase(
            "import.unknown", in: .importing, "unknown keys are reported once an entity, ignored ones are not"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let source: ImportValue = [
                    ["id": 1, "label": "a", "colour": 1, "debug": ["x": 1]],
                    ["id": 2, "label": "b", "colour": 2, "size": 3],
                ]
                let report = try tx.import(source, as: Genre.self, with: importer(ImportMapping().ignore("debug")))
                    .report
                try expectEqual(report.unknownKeys, ["Genre": ["colour", "size"]])
                try expectEqual(report.counts, [2, 0, 0, 0, 0])
            }
        },
        ConformanceCase(
            "import.strict", in: .importing, "a strict import refuses unknown keys and values that do not fit"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var strict = Importer()
                strict.isStrict = true
                try expectError(.typeMismatch, entity: "Genre") {
                    try tx.import([["id": 1, "label": "a", "colour": 1]] as ImportValue, as: Genre.self, with: strict)
                        .records
                }
                try expectError(.typeMismatch, entity: "Employee", attributes: ["salary"]) {
                    try tx.import(
                        [["id": 1, "label": "a", "salary": "much"]] as ImportValue, as: Employee.self, with: strict
                    ).records
                }
                strict.failures = .report
                let source: ImportValue = [["id": 1, "label": "a", "salary": "much"], ["id": 2, "label": "b"]]
                try expectEqual(try tx.import(source, as: Employee.self, with: strict).report.counts, [1, 0, 0, 0, 1])
            }
        },
        ConformanceCase(
            "import.transformed", in: .importing, "a transformer replaces a value, vetoes it, or refuses it"
        ) {
            trial in
            struct Refused: Error {}
            let mapping = ImportMapping().transform("text") { value, _ in
                switch value {
                case .string(let text) where text == "veto": nil
                case .string(let text) where text == "refuse": throw Refused()
                case .string(let text): .string(text.uppercased())
                default: value
                }
            }
            try expectEqual(try sample(["id": 1, "text": "loud"], mapping, in: trial)?.text, "LOUD")
            try trial.write { tx in
                let source: ImportValue = [["id": 1, "text": "veto"], ["id": 1, "text": "refuse"]]
                let result = try tx.import(source, as: Sample.self, with: importer(mapping))
                try expectEqual(result.records.first?.text, "LOUD")
                try expectEqual(result.report.issues.map(\.path), ["$[1].text"])
            }
        },
        ConformanceCase(
            "import.absent", in: .importing, "an absent attribute is kept, or cleared where the mapping says so"
        ) { trial in
            try trial.write { tx in
                try tx.insert(Sample(id: 1, integer: 5, text: "a"))
                let mapping = ImportMapping().whenAbsent("text", .clear).whenAbsent("integer", .useDefault)
                try expectEqual(
                    try tx.import([["id": 1]] as ImportValue, as: Sample.self).records.first,
                    Sample(id: 1, integer: 5, text: "a"))
                let cleared = try tx.import([["id": 1]] as ImportValue, as: Sample.self, with: importer(mapping))
                try expectEqual(cleared.records.first, Sample(id: 1))
            }
        },
        ConformanceCase("import.ordered-keys", in: .importing, "ordered keys are taken before the others") { trial in
            let seen = Journal<String>()
            func noting(_ name: String) -> @Sendable (ImportValue, ImportPlace) -> ImportValue {
                { value, _ in
                    seen.add(name)
                    return value
                }
            }
            let mapping = ImportMapping().order("date", "text")
                .transform("text", importing: noting("text"))
                .transform("integer", importing: noting("integer"))
                .transform("date", importing: noting("date"))
            _ = try sample(["integer": 1, "text": "a", "id": 1, "date": 0], mapping, in: trial)
            try expectEqual(seen.entries, ["date", "text", "integer"])
        },
        ConformanceCase(
            "import.mapping-wrong", in: .importing, "a mapping of an attribute that does not exist is refused"
        ) { trial in
            try trial.write { tx in
                _ = try expectError(.unknownAttribute, entity: "Sample", attributes: ["txet"]) {
                    try tx.import(
                        [] as ImportValue, as: Sample.self, with: importer(ImportMapping().map("txet", from: "a"))
                    )
                    .records
                }
            }
        },
        ConformanceCase(
            "import.duplicate-keys", in: .importing, "of a key that occurs twice in an object, the last counts"
        ) { trial in
            let object = ImportValue.object(ImportObject([.init("id", 1), .init("text", "a"), .init("text", "b")]))
            try expectEqual(try sample(object, in: trial)?.text, "b")
        },
        ConformanceCase("import.deep", in: .importing, "a source nested without end is refused") { trial in
            var value: ImportValue = ["id": 1, "label": "x"]
            for number in 0..<600 { value = ["id": .integer(Int64(number + 2)), "label": "x", "manager": value] }
            try Shop(trial, filled: false).write { tx in
                try expectError(.limit) { try tx.import(value, as: Employee.self).records }
                try expectEqual(try tx.count(Employee.all), 0)
            }
        },
    ]
}
