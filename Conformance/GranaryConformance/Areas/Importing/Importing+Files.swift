import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Objects that are read from JSON, JSON lines and CSV.

private var reporting: Importer {
    var importer = Importer()
    importer.failures = .report
    return importer
}

var importFilesCases: [ConformanceCase] {
    [
        ConformanceCase("import.json", in: .importing, "the objects of a JSON text are imported, numbers exactly") {
            trial in
            try trial.write { tx in
                let text = """
                    [{"id": 1, "integer": 9223372036854775807, "decimal": 0.1234567890123456789, "text": "\\u00e9\\ud83d\\ude00"},
                     {"id": 2, "integer": 1e3, "text": 1.50, "flag": true, "date": null, "json": {"tags": ["x"], "depth": 2}}]
                    """
                let records = try tx.import(.json(.text(text)), as: Sample.self).records
                try expectEqual(
                    records,
                    [
                        Sample(
                            id: 1, integer: .max, decimal: Boundaries.decimal("0.1234567890123456789"),
                            text: "\u{e9}\u{1F600}"),
                        Sample(
                            id: 2, flag: true, integer: 1000, text: "1.50", json: JSON(Extra(tags: ["x"], depth: 2))),
                    ])
                try expectEqual(try tx.import(.json(.text("[]")), as: Sample.self).records, [])
                try expectEqual(
                    try tx.import(try ImportValue(json: #"{"id": 3}"#), as: Sample.self).records, [Sample(id: 3)])
            }
        },
        ConformanceCase(
            "import.json-root", in: .importing, "the records are found within a document without reading it whole"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var importer = Importer()
                importer.root = "data.pages[1].genres"
                let text = """
                    {"skip": [{"genres": 1}], "data": {"pages": [{}, {"genres": [{"id": 1, "label": "Rock"}, {"id": 2}]}]}}
                    """
                let error = try expectError(.required, entity: "Genre") {
                    try tx.import(.json(.text(text)), as: Genre.self, with: importer).records
                }
                try expectEqual(error.importPath, "$.data.pages[1].genres[1]")
                importer.root = "data.nothing"
                try expectError(.typeMismatch) {
                    try tx.import(.json(.text(text)), as: Genre.self, with: importer).records
                }
                importer.root = nil
                importer.isKeyed = true
                importer.mapping = ImportMapping().map("id", from: "@key")
                let keyed = #"{"1": {"label": "Rock"}, "2": {"label": "Jazz"}}"#
                try expectEqual(
                    try tx.import(.json(.text(keyed)), as: Genre.self, with: importer).records, Array(Shop.genres[..<2])
                )
            }
        },
        ConformanceCase("import.json-damaged", in: .importing, "a text that is not JSON leaves everything as it was") {
            trial in
            try Shop(trial).write { tx in
                for text in [
                    "", "[", #"[{"id": 1, "label": "x"}"#, #"[{"id": 1, "label": "x"}] ]"#, #"[{"id": 1 "label": 1}]"#,
                ] {
                    try expectError(.invalidInput) { try tx.import(.json(.text(text)), as: Genre.self).records }
                    try expectError(.invalidInput) {
                        try tx.import(.json(.text(text)), as: Genre.self, with: reporting).records
                    }
                }
                try expectEqual(try tx.fetch(Genre.all), Shop.genres)
            }
        },
        ConformanceCase(
            "import.bad-input", in: .importing,
            "what is too deep, too long, no UTF-8 or half a character is refused with its line, and leaves everything as it was"
        ) { trial in
            try Shop(trial).write { tx in
                let begin = Array("[\n{\"id\": 1, \"label\": \"".utf8)
                let bad: [(what: String, bytes: [UInt8], code: GranaryError.Code)] = [
                    ("arrays without end", [0x0A] + [UInt8](repeating: UInt8(ascii: "["), count: 100_000), .limit),
                    ("a long text", begin + [UInt8](repeating: 65, count: 2_000) + Array("\"}]".utf8), .limit),
                    ("half a surrogate pair", begin + Array("\\ud800\"}]".utf8), .invalidInput),
                    ("no UTF-8", begin + [0xC3, 0x28] + Array("\"}]".utf8), .invalidInput),
                    ("a byte that is 0", begin + [0] + Array("\"}]".utf8), .invalidInput),
                ]
                for (what, bytes, code) in bad {
                    let source = ImportInput.json(.bytes(bytes), JSONOptions(maximumTextLength: 1_000))
                    let error = try expectError(code) { try tx.import(source, as: Genre.self).records }
                    try expectEqual(error.importLine, 2, what)
                    try expectError(code) { try tx.import(source, as: Genre.self, with: reporting).records }
                }
                try expectEqual(try tx.fetch(Genre.all), Shop.genres)
                // After a key that comes twice, the next object can be read.
                let twice = ImportInput.json(.text(#"[{"id": 1, "label": "x", "id": 2}, {"id": 3, "label": "Ska"}]"#))
                try expectError(.invalidInput) { try tx.import(twice, as: Genre.self).records }
                let reported = try tx.import(twice, as: Genre.self, with: reporting).report
                try expectEqual(reported.counts, [0, 1, 0, 0, 1])
                try expectEqual(reported.issues.map(\.path), ["$[0].id"])
                try tx.update(Shop.genres[2])
                // This is a character like others.
                try tx.import(.json(.text(#"[{"id": 1, "label": "a\u0000b"}]"#)), as: Genre.self)
                try expectEqual(try tx.find(Genre.self, 1)?.label, "a\u{0}b")
            }
        },
        ConformanceCase(
            "import.long-numbers", in: .importing, "a number of 10 000 digits is no value of any type of numbers"
        ) { trial in
            try trial.write { tx in
                let digits = String(repeating: "7", count: 10_000)
                let text = #"[{"id": 1, "integer": \#(digits), "double": \#(digits), "decimal": \#(digits)}]"#
                let result = try tx.import(.json(.text(text)), as: Sample.self)
                try expectEqual(result.records, [Sample(id: 1)])
                try expectEqual(result.report.issues.map(\.path), ["$[0].integer", "$[0].double", "$[0].decimal"])
            }
        },
        ConformanceCase(
            "import.lines", in: .importing,
            "each line is an object, and a damaged one is left out where that is asked for"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let text = """
                    {"id": 1, "label": "Rock"}

                    {"id": 2, "label": "Jazz"
                    {"id": 3, "label": "Folk"}
                    {"id": 4}
                    """
                let source = ImportInput.json(.text(text), JSONOptions(layout: .lines))
                try expectError(.invalidInput) { try tx.import(source, as: Genre.self).records }
                try expectEqual(try tx.count(Genre.all), 0)
                let result = try tx.import(source, as: Genre.self, with: reporting)
                try expectEqual(result.records.map(\.id), [1, 3])
                try expectEqual(result.report.counts, [2, 0, 0, 0, 2])
                try expectEqual(result.report.issues.map(\.line), [3, 5])
            }
        },
        ConformanceCase("import.csv", in: .importing, "the rows of CSV are objects, an empty field is null") { trial in
            try trial.write { tx in
                let text = "id,text,INTEGER,is_none\r\n1,\"a, \"\"b\"\"\",5,x\r\n2,,,y\r\n3,\"\",-7,z\r\n"
                let result = try tx.import(.csv(.text(text)), as: Sample.self)
                try expectEqual(
                    result.records,
                    [Sample(id: 1, integer: 5, text: "a, \"b\""), Sample(id: 2), Sample(id: 3, integer: -7, text: "")])
                try expectEqual(result.report.unknownKeys, ["Sample": ["is_none"]])
            }
        },
        ConformanceCase(
            "import.files-named", in: .importing, "what goes wrong in a folder is reported with the file's name"
        ) {
            trial in
            let folder = URL(filePath: trial.folder).appending(path: "Source")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, text) in [
                ("1.json", #"[{"id": 1, "label": "a"}, {"id": 2}]"#), ("2.csv", "id,label\n3,b\nx,c\n"),
                ("3.jsonl", "{\"id\": 4, \"label\": \"d\"}\n{\"id\"\n"), ("4.json", "["),
                ("5.json", #"[{"id": 5, "label": "e"}]"#),
            ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try Shop(trial, filled: false).write { tx in
                let report = try tx.import(folder, as: Genre.self, with: reporting).report
                try expectEqual(report.inserted, 4)
                try expectEqual(
                    Set(report.issues.map { String($0.path.prefix { $0 != "$" }) }),
                    ["1.json: ", "2.csv: ", "3.jsonl: ", "4.json: "])
                try expect(report.issues.contains { $0.path == "1.json: $[1]" }, "\(report.issues.map(\.path))")
                var small = Importer()
                small.batchSize = 1
                let error = try expectError(.required) { try tx.import(folder, as: Genre.self, with: small).records }
                try expectEqual(error.importPath, "1.json: $[1]")
            }
        },
        ConformanceCase("import.files", in: .importing, "files and folders are imported by their names") { trial in
            let folder = URL(filePath: trial.folder).appending(path: "Source")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: folder.appending(path: name))
            }
            try write(#"[{"id": 1, "label": "a"}]"#, "1.json")
            try write("{\"id\": 2, \"label\": \"b\"}\n{\"id\": 3, \"label\": \"c\"}\n", "2.jsonl")
            try write("id;label\n", "notes.txt")
            try write("id,label\n4,d\n", "3.csv")
            try Shop(trial, filled: false).write { _ in }
            let stack = try trial.stack
            let one = try await stack.import(folder.appending(path: "1.json"), as: Genre.self)
            try expectEqual(one.counts, [1, 0, 0, 0, 0])
            let all = try await stack.import(folder, as: Genre.self)
            try expectEqual(all.counts, [3, 0, 1, 0, 0])
            try expectEqual(try trial.fetch(Genre.all).map(\.label), ["a", "b", "c", "d"])
            var named = Importer()
            named.mapping = ImportMapping().transform("label") { _, place in
                ImportValue.string("\(place.fileName ?? "") \(place.index)")
            }
            _ = try await trial.stack.import(folder, as: Genre.self, with: named)
            try expectEqual(
                try trial.fetch(Genre.all).map(\.label), ["1.json 0", "2.jsonl 0", "2.jsonl 1", "3.csv 0"])
            try trial.write { tx in
                _ = try expectError(.unsupported) {
                    try tx.import(folder.appending(path: "notes.txt"), as: Genre.self).records
                }
                let other = URL(filePath: trial.folder).appending(path: "Notes")
                try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
                try Data("id,label\n".utf8).write(to: other.appending(path: "notes.txt"))
                _ = try expectError(.invalidInput) {
                    try tx.import(other, as: Genre.self, with: Importer(.mirror())).records
                }
                try expectEqual(try tx.count(Genre.all), 4)
            }
        },
        ConformanceCase(
            "import.damaged-archive", in: .importing,
            "an archive that is cut off ends the import, also one that reports failures"
        ) { trial in
            let cut: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B]
            var reporting = Importer()
            reporting.failures = .report
            try Shop(trial).write { tx in
                _ = try expectError(.invalidInput) {
                    try tx.import(
                        .csv(.bytes(cut), CSVOptions(hasHeader: false)), as: Genre.self, with: reporting
                    ).records
                }
                _ = try expectError(.invalidInput) {
                    try tx.import(.json(.bytes(cut), JSONOptions(layout: .lines)), as: Genre.self, with: reporting)
                        .records
                }
                try expectEqual(try tx.count(Genre.all), 3)
            }
        },
        ConformanceCase("import.ignore-path", in: .importing, "what is ignored within a value is left out of it alone")
        {
            trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.mapping = ImportMapping().ignore("genre.debug", "albums.debug")
                importer.isStrict = true
                let source: ImportValue = [
                    [
                        "id": 1, "genre": ["id": 2, "debug": 1],
                        "albums": [["id": 1, "debug": 1], ["id": 2, "debug": 2]],
                    ]
                ]
                let result = try tx.import(source, as: Artist.self, with: importer)
                try expectEqual(result.records.map(\.genre), [Ref(2)])
            }
        },
        ConformanceCase(
            "import.json-keys", in: .importing,
            "an object with many keys, some of them twice, becomes JSON with sorted keys"
        ) { trial in
            try Shop(trial).write { tx in
                let members = (0..<20_000).map { ImportObject.Member("k\($0 % 19_000)", .integer(Int64($0))) }
                let source: ImportValue = ["id": 1, "info": .object(ImportObject(members + [.init("tempo", 7)]))]
                try tx.import(source, as: Song.self)
                try expectEqual(try tx.find(Song.self, 1)?.info?.value.tempo, 7)
            }
        },
        ConformanceCase("import.csv-root", in: .importing, "a place within CSV is refused") { trial in
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.root = "data"
                try expectError(.unsupported) {
                    try tx.import(.csv(.text("id,label\n7,Ska\n")), as: Genre.self, with: importer).records
                }
            }
        },
        ConformanceCase(
            "import.folder-damaged", in: .importing, "after a file that cannot be read, the next one is imported"
        ) { trial in
            let folder = trial.folder + "/files"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, text) in [
                ("a.json", "[{\"id\": 7, \"label\": \"Ska\"}, {"), ("b.json", "[{\"id\": 8, \"label\": \"Soul\"}]"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            }
            try Shop(trial).write { tx in
                var importer = Importer()
                importer.failures = .report
                let result = try tx.import(URL(fileURLWithPath: folder), as: Genre.self, with: importer)
                try expectEqual(result.records.map(\.id), [7, 8])
                try expectEqual(result.report.failed, 1)
                try expectError(.invalidInput) { try tx.import(URL(fileURLWithPath: folder), as: Genre.self).records }
            }
        },
    ]
}
