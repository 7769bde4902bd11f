import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Paths that lead into values, the whole value, and what is around it.

private func importer(_ mapping: ImportMapping, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    change(&importer)
    return importer
}

private func genres(
    _ source: some ImportSource, _ importer: Importer, in trial: Trial
) throws -> ImportResult<Genre> {
    try trial.write { tx in
        try Genre.deleteAll(in: tx)
        return try tx.import(source, as: Genre.self, with: importer)
    }
}

/// A song that has the values of its genre next to its own.
private let flat = ImportMapping().map("genre", from: "@self").ignore("genre_id", "genre_label")

private func flatImporter(_ genre: ImportMapping) -> Importer {
    var importer = Importer()
    importer.mapping = flat
    importer.mappings["Genre"] = genre.withoutInference()
    return importer
}

/// Pages are known by their book's name and the key that they are under.
private let pages = Schema(entities: [
    Entity(
        "Book", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        relationships: [Relationship("pages", entity: "Page", attribute: "book")]),
    Entity(
        "Page", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("number", Int64.self),
            Attribute("text", String?.self),
            Attribute("book", .int64, isOptional: true, reference: .init(entity: "Book", onDelete: .nullify)),
        ], indexes: [.unique("name", "number")]),
])

var importPathsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.unknown-within", in: .importing,
            "an unknown key within a value that is read by a path is reported by its path, and refused by a strict import"
        ) { trial in
            try Shop(trial, filled: false).write { _ in }
            let mapping = ImportMapping().map("label", from: "a.b", "a.list[0].text").ignore("a.debug", "z")
            let plain = importer(mapping)
            let object: ImportValue = [
                "id": 1, "z": ["y": 1],
                "a": ["b": "x", "c": 1, "debug": 2, "list": [["text": "t", "more": 1], ["more": 2, "other": 3]]],
            ]
            let result = try genres([object] as ImportValue, plain, in: trial)
            try expectEqual(result.records.map(\.label), ["x"])
            try expectEqual(result.report.unknownKeys, ["Genre": ["a.c", "a.list.more", "a.list.other"]])
            // Every object of a list may have the keys of the path.
            let listed: ImportValue = [["id": 1, "label": "n", "names": [["x": ["a"], "y": 1], ["x": ["b"]]]]]
            let names = try genres(
                listed, importer(ImportMapping().map("label", from: "names.x[0]", "label")), in: trial)
            try expectEqual(names.report.unknownKeys, ["Genre": ["names.y"]])
            // A value that is read or ignored as a whole has no unknown keys, and neither has a value that is not an object.
            let inner: ImportValue = [["id": 1, "a": ["b": "x", "c": 1]]]
            for mapping in [
                ImportMapping().map("label", from: "a.b", "a"), ImportMapping().map("label", from: "a.b").ignore("a"),
            ] { try expectEqual(try genres(inner, importer(mapping), in: trial).report.unknownKeys, [:]) }
            let number: ImportValue = [["id": 1, "label": "x", "a": 5]]
            let either = importer(ImportMapping().map("label", from: "a.b", "label"))
            try expectEqual(try genres(number, either, in: trial).report.unknownKeys, [:])
            let strict = importer(mapping) { $0.isStrict = true }
            let error = try expectError(.typeMismatch, entity: "Genre") {
                try genres([object] as ImportValue, strict, in: trial).records
            }
            try expect(error.message.contains("\"a.c\""), error.message)
            let known: ImportValue = [["id": 1, "a": ["b": "x", "debug": 2, "list": [["text": "t"]]]]]
            try expectEqual(try genres(known, strict, in: trial).records.map(\.label), ["x"])
            try expectEqual(
                try genres(
                    .json(.text(#"[{"id": 1, "a": {"b": "x", "c": {"d": 1}}}]"#)), plain, in: trial
                ).report.unknownKeys, ["Genre": ["a.c"]])
        },
        ConformanceCase(
            "import.deep-paths", in: .importing,
            "a path with more parts than objects may nest is refused, wherever it is used"
        ) { trial in
            try Shop(trial, filled: false).write { _ in }
            let longest = ImportPath(keys: [String](repeating: "a", count: 512))
            let path = ImportPath(keys: [String](repeating: "a", count: 20_000))
            let source: ImportValue = [["id": 1, "label": "Folk"]]
            _ = try genres(source, importer(ImportMapping().map("label", from: longest, "label")), in: trial)
            let whole = ImportPath([String](repeating: "@self", count: 20_000).joined(separator: "."))
            for mapping in [
                ImportMapping().map("label", from: path), ImportMapping().map("label", from: "label", whole),
                ImportMapping().ignore(path), ImportMapping().takeOver(from: path) { _, _ in nil },
            ] {
                try expectError(.limit, entity: "Genre", isOwnText: true) {
                    try genres(source, importer(mapping), in: trial)
                }
            }
            try expectError(.limit, entity: "Artist") {
                try trial.write { tx in
                    let mapping = ImportMapping().connect("genre", [path: "label"])
                    return try tx.import(source, as: Artist.self, with: importer(mapping))
                }
            }
        },
        ConformanceCase(
            "import.connected-unknown", in: .importing,
            "the keys of connections and choices are known, others next to them are not"
        ) { trial in
            try Shop(trial).write { tx in
                let mapping = ImportMapping().connect("genre", ["of.genre.label": "label"])
                let source: ImportValue = [["id": 1, "of": ["genre": ["label": "Folk", "size": 1], "year": 1]]]
                let result = try tx.import(source, as: Artist.self, with: importer(mapping))
                try expectEqual(result.records.map(\.genre), [Ref(3)])
                try expectEqual(result.report.unknownKeys, ["Artist": ["of.genre.size", "of.year"]])
            }
        },
        ConformanceCase(
            "import.whole-primitives", in: .importing,
            "values that are no objects are imported where the whole is mapped"
        ) { trial in
            try Shop(trial, filled: false).write { _ in }
            let mapping = ImportMapping().map("label", from: "@self").map("id", from: "@index")
            let expected = [Genre(id: 0, label: "a"), Genre(id: 1, label: "b")]
            try expectEqual(try genres(["a", "b"] as ImportValue, importer(mapping), in: trial).records, expected)
            for source in [
                ImportInput.json(.text(#"["a", "b"]"#)),
                .json(.text("\"a\"\n\"b\"\n"), JSONOptions(layout: .lines)),
            ] {
                try expectEqual(try genres(source, importer(mapping), in: trial).records, expected)
            }
            let inner = importer(mapping) { $0.root = "data.names" }
            let nested: ImportValue = ["data": ["names": ["a", "b"]]]
            try expectEqual(try genres(nested, inner, in: trial).records, expected)
            let keyed = importer(ImportMapping().map("label", from: "@key").map("id", from: "@self")) {
                $0.isKeyed = true
            }
            try expectEqual(
                try genres(["Rock": 7, "Jazz": "8"] as ImportValue, keyed, in: trial).records,
                [Genre(id: 7, label: "Rock"), Genre(id: 8, label: "Jazz")])
            // Objects have their keys all the same, and a value that does not fit fails its record.
            let mixed = importer(ImportMapping().map("label", from: "name", "@self").map("id", from: "@index")) {
                $0.failures = .report
            }
            let some = try genres(["a", ["name": "b"], nil, ["c"]] as ImportValue, mixed, in: trial)
            try expectEqual(some.records, expected)
            try expectEqual(some.report.failed, 2)
            // Where nothing takes the whole value, it is no record.
            try expectError(.typeMismatch, entity: "Genre") {
                try genres(["a"] as ImportValue, importer(ImportMapping().map("id", from: "@index")), in: trial).records
            }
        },
        ConformanceCase(
            "import.whole-related", in: .importing,
            "a relationship from the object itself counts only if the object has a value that is mapped for the target"
        ) { trial in
            let mapping = ImportMapping().map("id", from: "genre_id").map("label", from: "genre_label")
            try Shop(trial).write { tx in
                let source: ImportValue = [
                    ["id": 1, "genre_id": 3, "genre_label": "Folks"], ["id": 2, "rating": 5],
                    ["id": 3, "genre_id": nil],
                    ["id": 4, "genre_label": "Jazz"],
                ]
                let result = try tx.import(source, as: Artist.self, with: flatImporter(mapping))
                try expectEqual(result.records.map(\.genre), [Ref(3), Ref(2), nil, Ref(2)])
                try expectEqual(result.records.map(\.rating), [4.5, 5, 2, 4.5])
                try expectEqual(result.report.issueCount, 0)
                try expectEqual(try tx.find(Genre.self, 3)?.label, "Folks")
                // A transformer is not called for what is not there.
                var importer = flatImporter(mapping)
                importer.mapping = flat.transform("genre") { _, _ in throw Abandon() }
                let again = try tx.import([["id": 2, "rating": 4]] as ImportValue, as: Artist.self, with: importer)
                try expectEqual(again.report.issueCount, 0)
            }
        },
        ConformanceCase(
            "import.file-name", in: .importing,
            "the place of an object has the name of its file, also of one file alone"
        ) { trial in
            let folder = URL(filePath: trial.folder).appending(path: "Named")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func write(_ text: String, _ name: String) throws -> URL {
                try Data(text.utf8).write(to: folder.appending(path: name))
                return folder.appending(path: name)
            }
            let lines = (1...2_000).map { "{\"id\": \($0), \"label\": \"\($0)\", \"genre\": {\"id\": 1}}" }
            let files = [
                try write(#"[{"id": 1, "label": "x"}]"#, "a.json"), try write("id,label\n1,x\n", "b.csv"),
                try write(lines.joined(separator: "\n"), "c.jsonl"),
            ]
            try Shop(trial).write { _ in }
            let seen = Journal<String>()
            let naming = importer(
                ImportMapping().transform("label") { value, place in
                    seen.add("\(place.fileName ?? "-") \(place.path)")
                    return value
                })
            let stack = try trial.stack
            for (file, count) in zip(files, [1, 1, 2_000]) {
                let before = seen.entries.count
                try await stack.import(file, as: Artist.self, with: naming)
                try expectEqual(seen.entries.count - before, count)
                // A path begins with the name of a file only if there are several.
                let names = Set(seen.entries[before...].map { $0.split(separator: "$")[0] })
                try expectEqual(names, ["\(file.lastPathComponent) "])
            }
            try await stack.import(.json(.file(files[0].path)), as: Artist.self, with: naming)
            try expectEqual(seen.entries.last, "a.json $[0]")
            try await stack.import(.json(.text(#"[{"id": 1, "label": "x"}]"#)), as: Artist.self, with: naming)
            try expectEqual(seen.entries.last, "- $[0]")
            let before = seen.entries.count
            try await stack.import(folder, as: Artist.self, with: naming)
            try expectEqual(seen.entries.dropFirst(before).first, "a.json a.json: $[0]")
            // Nested objects are from the same file.
            let nested = try write(#"{"id": 1, "genre": {"id": 1, "label": "Rock"}}"#, "d.json")
            var inner = Importer()
            inner.mappings["Genre"] = naming.mapping
            try await stack.import(nested, as: Artist.self, with: inner)
            try expectEqual(seen.entries.last, "d.json $.genre")
        },
        ConformanceCase(
            "import.index-absent", in: .importing, "an object that is not in an array has no index"
        ) { trial in
            try Shop(trial).write { tx in
                let mapping = importer(ImportMapping().map("salary", from: "@index"))
                for (source, salary) in [
                    (["id": 1], 100), ([["id": 2], ["id": 1]], 1), ([["id": 1]], 0),
                ] as [(ImportValue, Int64)] {
                    let records = try tx.import(source, as: Employee.self, with: mapping).records
                    try expectEqual(records.last?.salary, salary)
                }
                let fallback = importer(ImportMapping().map("salary", from: "@index", "order"))
                let one: ImportValue = ["id": 1, "order": 7]
                try expectEqual(try tx.import(one, as: Employee.self, with: fallback).records.first?.salary, 7)
                // One that is nested, alone and in a list.
                var nested = Importer()
                nested.mappings["Album"] = ImportMapping().map("year", from: "@index")
                let album: ImportValue = ["id": 1]
                nested.mapping = ImportMapping().relate("albums", .add)
                try tx.import([["id": 1, "albums": album]] as ImportValue, as: Artist.self, with: nested)
                try expectEqual(try tx.find(Album.self, 1)?.year, 1967)
                try tx.import([["id": 1, "albums": [["id": 2], album]]] as ImportValue, as: Artist.self, with: nested)
                try expectEqual(try tx.find(Album.self, 1)?.year, 1)
            }
        },
        ConformanceCase(
            "import.connected-by-nothing", in: .importing,
            "a connection without values is refused before anything is imported"
        ) { trial in
            try Shop(trial).write { tx in
                let empty = importer(ImportMapping().connect("genre", [:]))
                let error = try expectError(.invalidQuery, entity: "Artist", attributes: ["genre"]) {
                    try tx.import([["id": 1, "label": "x"]] as ImportValue, as: Artist.self, with: empty).records
                }
                try expect(error.message.contains("connect"), error.message)
                try expectEqual(try tx.find(Artist.self, 1)?.label, "Ada")
            }
        },
        ConformanceCase(
            "import.compound-places", in: .importing,
            "a record is found by a value of its parent and the key that it is under, together"
        ) { trial in
            try trial.open(pages)
            try trial.write { tx in
                let nested = importer(ImportMapping().relate("pages", .add, isKeyed: true)) {
                    $0.mappings["Page"] = ImportMapping().map("name", from: "@parent.name").map("number", from: "@key")
                        .identify(by: "name", "number")
                }
                func texts() throws -> [String] {
                    try tx.fetch(Request("Page").sorted(by: "id")).map { page in
                        let number = try page.value("number", as: Int64.self)
                        let text = try page.value("text", as: String?.self) ?? "-"
                        return "\(try page.value("name", as: String.self)) \(number) \(text)"
                    }
                }
                let source: ImportValue = [
                    ["id": 1, "name": "A", "pages": ["1": ["text": "a"], "2": ["text": "b"]]],
                    ["id": 2, "name": "B", "pages": ["1": ["text": "c"]]],
                ]
                try expectEqual(try tx.import(source, as: "Book", with: nested).report.counts, [5, 0, 0, 0, 0])
                try expectEqual(try tx.import(source, as: "Book", with: nested).report.counts, [0, 0, 5, 0, 0])
                let changed: ImportValue = [["id": 2, "name": "B", "pages": ["1": ["text": "x"], "2": ["text": "y"]]]]
                try expectEqual(try tx.import(changed, as: "Book", with: nested).report.counts, [1, 1, 1, 0, 0])
                try expectEqual(try texts(), ["A 1 a", "A 2 b", "B 1 x", "B 2 y"])
                // The records of the source itself.
                let keyed = importer(ImportMapping().map("number", from: "@key")) { $0.isKeyed = true }
                let two: ImportValue = ["2": ["name": "A", "text": "z"], "3": ["name": "A"]]
                try expectEqual(try tx.import(two, as: "Page", with: keyed).report.counts, [1, 1, 0, 0, 0])
                try expectEqual(try texts(), ["A 1 a", "A 2 z", "B 1 x", "B 2 y", "A 3 -"])
            }
        },
        ConformanceCase(
            "import.duplicate-keys-first", in: .importing,
            "of a key that occurs twice in an object of a text, the first counts where the options say so"
        ) { trial in
            try Shop(trial).write { _ in }
            let text = #"{"id": 1, "label": "a", "genre": {"id": 2, "id": 3}, "label": "b", "id": 2}"#
            for layout in [JSONOptions.Layout.document, .lines] {
                func imported(_ keys: JSONOptions.DuplicateKeys) throws -> [Artist] {
                    try trial.write { tx in
                        try tx.import(
                            .json(.text(text), JSONOptions(layout: layout, duplicateKeys: keys)), as: Artist.self
                        ).records
                    }
                }
                let first = try imported(.first)
                try expectEqual(first.map(\.id), [1])
                try expectEqual(first.map(\.label), ["a"])
                try expectEqual(first.map(\.genre), [Ref(2)])
                let last = try imported(.last)
                try expectEqual(last.map(\.id), [2])
                try expectEqual(last.map(\.label), ["b"])
                try expectEqual(last.map(\.genre), [Ref(3)])
                try expectError(.invalidInput) { try imported(.error) }
            }
        },
    ]
}
