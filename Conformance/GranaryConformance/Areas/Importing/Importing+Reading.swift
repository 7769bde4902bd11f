import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// What is not read, where it is in its source, and which values mean what they seem to.

private var reporting: Importer {
    var importer = Importer()
    importer.failures = .report
    return importer
}

private func lines(_ text: String) -> ImportInput { .json(.text(text), JSONOptions(layout: .lines)) }

var importReadingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.lines-rest", in: .importing, "a line that has something after its object is not imported"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let text = """
                    {"id": 1, "label": "Rock"} garbage
                    {"id": 2, "label": "Jazz"} {"id": 3, "label": "Folk"}
                    {"id": 4, "label": "Soul"}
                    """
                let result = try tx.import(lines(text), as: Genre.self, with: reporting)
                try expectEqual(result.records.map(\.id), [4])
                try expectEqual(result.report.counts, [1, 0, 0, 0, 2])
                try expectEqual(result.report.issues.map(\.line), [1, 2])
                try expectError(.invalidInput) { try tx.import(lines(text), as: Genre.self).records }
                var inner = reporting
                inner.root = "a"
                let wrapped =
                    "{\"a\": {\"id\": 5, \"label\": \"x\"}, \"b\": 1} x\n{\"a\": {\"id\": 6, \"label\": \"y\"}, \"b\": 1}\n"
                try expectEqual(try tx.import(lines(wrapped), as: Genre.self, with: inner).records.map(\.id), [6])
            }
        },
        ConformanceCase(
            "import.broken-file", in: .importing, "a file of several whose rest cannot be read is told as such"
        ) { trial in
            let folder = URL(filePath: trial.folder).appending(path: "Broken")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(#"[{"id": 1, "label": "a"}, {"id": 2 "label": "b"}, {"id": 3, "label": "c"}]"#.utf8)
                .write(to: folder.appending(path: "1.json"))
            try Data("{\"id\": 4, \"label\": \"d\"}\nx\n".utf8).write(to: folder.appending(path: "2.jsonl"))
            try Data("no JSON".utf8).write(to: folder.appending(path: "._2.json"))
            try Shop(trial, filled: false).write { tx in
                let report = try tx.import(folder, as: Genre.self, with: reporting).report
                try expectEqual(report.counts, [2, 0, 0, 0, 2])
                try expectEqual(report.issues.map(\.kind), [.notRead, .failed])
                try Genre.deleteAll(in: tx)
                // A line that is not JSON is a record that fails, and a hidden file none of the folder's.
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/Rest", withIntermediateDirectories: true)
                for name in ["2.jsonl", "._2.json"] {
                    let data = try Data(contentsOf: folder.appending(path: name))
                    try data.write(to: folder.appending(path: "Rest/\(name)"))
                }
                let rest = try tx.import(folder.appending(path: "Rest"), as: Genre.self, with: reporting)
                try expectEqual(rest.report.counts, [1, 0, 0, 0, 1])
                try Genre.deleteAll(in: tx)
            }
        },
        ConformanceCase(
            "import.failure-paths", in: .importing,
            "a failure is reported where it is: in its row, its line, its nested object"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                let rows = "id,label\n1,Rock\n2,\"a\"b\n3,Jazz\n,x\n"
                let table = try tx.import(.csv(.text(rows)), as: Genre.self, with: reporting).report
                try expectEqual(table.issues.map(\.path), ["$[1].label", "$[3]"])
                try expectEqual(table.issues.map(\.line), [3, 5])
                let text = "{\"id\": 4, \"label\": \"a\"}\n{\"id\": 5, \"label\": }\n"
                let read = try tx.import(lines(text), as: Genre.self, with: reporting).report
                try expectEqual(read.issues.map(\.path), ["$[1].label"])
                // Where nothing is reported, the error that is thrown says it.
                for (text, path, line) in [
                    ("{\"id\": 14, \"label\": \"c\"}\n\n{\"id\": 15}\n", "$[1]", 3), ("{\"id\": 14}\n", "$[0]", 1),
                    ("{\"id\": 14, \"label\": \"c\"}\n{\"id\": 15, \"label\": }\n", "$[1].label", 2),
                ] {
                    let code = line == 2 ? GranaryError.Code.invalidInput : .required
                    let error = try expectError(code) { try tx.import(lines(text), as: Genre.self).records }
                    try expectEqual(error.importPath, path)
                    try expectEqual(error.importLine, line)
                }
                let nested: ImportValue = [["id": 1, "label": "Ada", "albums": [["id": 1, "title": "A"], ["id": 2]]]]
                let inner = try tx.import(nested, as: Artist.self, with: reporting).report
                try expectEqual(inner.issues.map(\.path), ["$[0].albums[1]"])
                try Genre.deleteAll(in: tx)
            }
        },
        ConformanceCase(
            "import.dates-guessed", in: .importing, "a text that only might be a date is not taken for another one"
        ) { trial in
            try trial.write { tx in
                let texts = ["20240501", "2024", "0", "05/01/24", "5/1/2", "12345678.5", "03/08/2003", "1714566600000"]
                // What may be milliseconds or a day is not taken for seconds.
                let numbers: [ImportValue] = [1_714_566_600_000, 20_240_501, .decimal("20240501"), .integer(.min)]
                for value in texts.map({ ImportValue.string($0) }) + numbers {
                    try Sample.deleteAll(in: tx)
                    let report = try tx.import([["id": 1, "date": value]] as ImportValue, as: Sample.self).report
                    try expectEqual(report.issues.map(\.kind), [.valueKept], "\(value)")
                    try expectEqual(report.valuesLeftOut, 1)
                }
                var said = Importer()
                said.mapping = ImportMapping().dates(.secondsSince1970)
                var pattern = Importer()
                pattern.mapping = ImportMapping().dates(.pattern("MM/dd/yyyy"))
                let dates: [(String, Importer, Double)] = [
                    ("978307200", Importer(), 0), ("86400", said, 86_400 - 978_307_200),
                    ("01/01/2001", pattern, 0), ("2001-01-01t00:00:01z", Importer(), 1),
                ]
                for (text, importer, seconds) in dates {
                    let result = try tx.import(
                        [["id": 1, "date": .string(text)]] as ImportValue, as: Sample.self, with: importer)
                    try expectEqual(result.records.first?.date, Date(timeIntervalSinceReferenceDate: seconds), text)
                }
            }
        },
        ConformanceCase("import.negative-zero", in: .importing, "a number that is written as -0 stays what it is") {
            trial in
            try trial.write { tx in
                let made = try tx.import(.json(.text(#"[{"id": 1, "text": -0, "integer": -0}]"#)), as: Sample.self)
                    .records
                try expectEqual(made, [Sample(id: 1, integer: 0, text: "-0")])
            }
        },
        ConformanceCase(
            "import.any-numbers", in: .importing, "numbers of Foundation are numbers, and not finite ones are refused"
        ) { trial in
            try expectEqual(try ImportValue(any: NSNumber(value: Int8(5))), .integer(5))
            try expectEqual(try ImportValue(any: NSNumber(value: true)), .bool(true))
            try trial.write { tx in
                for value in [Float.infinity, Float.nan, Decimal.nan, NSDecimalNumber.notANumber] as [Any] {
                    let source = try ImportValue(any: [["id": 1, "text": value, "decimal": value]])
                    let report = try tx.import(source, as: Sample.self).report
                    try expectEqual(report.issues.map(\.path), ["$[0].decimal", "$[0].text"], "\(value)")
                }
            }
        },
        ConformanceCase("import.many-unknown", in: .importing, "a thousand unknown keys are told, each once") { trial in
            try Shop(trial, filled: false).write { tx in
                let members = (0..<2_000).map { ImportObject.Member("key \($0)", .null) }
                let source = (1...3).map { number in
                    ImportValue.object(
                        ImportObject([.init("id", .integer(number)), .init("label", .string("\(number)"))] + members))
                }
                let unknown = try tx.import(source, as: Genre.self).report.unknownKeys["Genre"] ?? []
                try expectEqual(unknown.count, 1_000)
                try expectEqual(Set(unknown).count, 1_000)
                try Genre.deleteAll(in: tx)
            }
        },
        ConformanceCase(
            "import.held-limit", in: .importing, "objects that wait for others are held up to a limit, and then refused"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var importer = Importer()
                importer.batchSize = 10
                importer.maximumHeldBytes = 10_000
                importer.choose = { value, _ in value["title"] == nil ? "Artist" : "Album" }
                let albums = (1...200).map { number -> ImportValue in
                    ["id": .integer(number), "title": .string("Album \(number)"), "artist": 1]
                }
                let artist: ImportValue = ["id": 1, "label": "Ada"]
                try expectError(.limit, entity: "Album") {
                    try tx.import(albums + [artist], as: "Album", with: importer).records
                }
                try expectEqual(try tx.count(Album.all), 0)
                importer.maximumHeldBytes = 1_000_000
                try expectEqual(try tx.import(albums + [artist], as: "Album", with: importer).report.inserted, 201)
                try Artist.deleteAll(in: tx)
                importer.maximumHeldBytes = 10_000
                try expectEqual(try tx.import([artist] + albums, as: "Album", with: importer).report.inserted, 201)
                try Artist.deleteAll(in: tx)
            }
        },
        ConformanceCase(
            "import.waiting-limit", in: .importing, "references wait for records that come later up to a limit"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                var importer = Importer()
                importer.batchSize = 10
                importer.maximumHeldBytes = 10_000
                importer.choose = { value, _ in value["genre"] == nil ? "Genre" : "Artist" }
                let artists = (1...200).map { number -> ImportValue in
                    ["id": .integer(number), "label": .string("Artist \(number)"), "genre": 1]
                }
                let genre: ImportValue = ["id": 1, "label": "Rock"]
                try expectError(.limit, entity: "Artist") {
                    try tx.import(artists + [genre], as: "Artist", with: importer).records
                }
                try expectEqual(try tx.count(Artist.all), 0)
                var going = importer
                going.failures = .report
                try expectError(.limit, entity: "Artist") {
                    try tx.import(artists + [genre], as: "Artist", with: going).records
                }
                try expectEqual(try tx.count(Artist.all), 0)
                try expectEqual(try tx.import([genre] + artists, as: "Artist", with: importer).report.inserted, 201)
                try Artist.deleteAll(in: tx)
                try Genre.deleteAll(in: tx)
                importer.maximumHeldBytes = 1_000_000
                try expectEqual(try tx.import(artists + [genre], as: "Artist", with: importer).report.inserted, 201)
                try expectEqual(try tx.count(Artist.where { $0.genre == Ref(1) }), 200)
                try Artist.deleteAll(in: tx)
                try Genre.deleteAll(in: tx)
            }
        },
        ConformanceCase(
            "import.stalled", in: .importing, "an import from a sequence that stalls is cancelled, and writers go on"
        ) { trial in
            try Shop(trial, filled: false).write { _ in }
            let stack = try trial.stack
            let (chunks, giving) = AsyncStream.makeStream(of: [UInt8].self)
            giving.yield(Array("[{\"id\": 1, \"label\": \"a\"},".utf8))
            let source = ImportInput.json(.chunks(of: chunks))
            let task = Task(executorPreference: trial.executor) { try await stack.import(source, as: Genre.self) }
            // The first batch is read before the import takes its turn to write, so that this one has its turn.
            try await stack.write { try $0.insert(Genre(id: 9, label: "Soul")) }
            task.cancel()
            let result = await task.result
            try expectError(.cancelled, isOwnText: true) { try result.get() }
            try await stack.write { try $0.insert(Genre(id: 10, label: "Funk")) }
            try expectEqual(try trial.fetch(Genre.all).map(\.id), [9, 10])
            giving.finish()
        },
    ]
}
