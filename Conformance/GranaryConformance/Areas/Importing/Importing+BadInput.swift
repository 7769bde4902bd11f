import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Input that is damaged, or made to do damage: an error with its place, and everything as it was.

private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let packed = MemorySink()
    let sink = try GzipSink(packed)
    try bytes.withUnsafeBytes { try sink.write($0) }
    try sink.finish()
    return packed.bytes
}

private func bytes(_ source: [UInt8], _ change: (inout ByteSource) -> Void = { _ in }) -> ByteSource {
    var source = ByteSource.bytes(source)
    change(&source)
    return source
}

private let lines = JSONOptions(layout: .lines)

/// Imports each object as soon as it is read, so that some are there when the input turns out to be bad.
private func eager(_ failures: ImportFailures = .throw) -> Importer {
    var importer = Importer()
    importer.batchSize = 1
    importer.failures = failures
    return importer
}

extension Shop {
    /// Expects that an input of genres is refused with an error that has a path and a line, by a transaction that goes on, a
    /// context and the stack, and that the genres are what they were.
    fileprivate func expectRefused(
        _ input: ImportInput, _ code: GranaryError.Code, at path: String, line: Int, _ what: String,
        _ importer: Importer = eager()
    ) async throws {
        func check(_ error: GranaryError) throws {
            try expectEqual(error.importPath, path, what)
            try expectEqual(error.importLine, line, what)
        }
        try write { tx in
            try tx.insert(Genre(id: 50, label: "Before"))
            let error = try expectError(code) { try tx.import(input, as: "Genre", with: importer).records }
            try check(error)
            // What the transaction had done before is there.
            try expectEqual(try tx.fetch(Genre.all), Shop.genres + [Genre(id: 50, label: "Before")], what)
            try tx.delete(Genre.self, 50)
        }
        let stack = try trial.stack
        let context = try stack.makeContext()
        let error = try expectError(code) { try context.import(input, as: "Genre", with: importer).records }
        try check(error)
        try expectEqual(context.hasChanges, false, what)
        let other = try await expectAsyncError(code) { try await stack.import(input, as: "Genre", with: importer) }
        try check(other)
        try read { snapshot in try expectEqual(try snapshot.fetch(Genre.all), Shop.genres, what) }
    }
}

/// A text that never ends, after a beginning.
private final class EndlessStream: ByteStream {
    private var beginning: ArraySlice<UInt8>
    private let given: Journal<Int>

    init(_ beginning: String, _ given: Journal<Int>) {
        self.beginning = ArraySlice(beginning.utf8)
        self.given = given
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = beginning.isEmpty ? buffer.count : min(buffer.count, beginning.count)
        if beginning.isEmpty {
            buffer.initializeMemory(as: UInt8.self, repeating: 0x61)
        } else {
            buffer.copyBytes(from: beginning.prefix(count))
            beginning = beginning.dropFirst(count)
        }
        given.add(count)
        return count
    }
}

var importBadInputCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.bomb", in: .importing, "an archive of a few KB that unpacks to more than the limit is refused",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 1 << 20)
            for (name, begin, path, line) in [
                ("a document", "[{\"id\": 7, \"label\": \"a\"},\n{\"id\": 8, \"label\": \"", "$[1].label", 2),
                ("lines", "{\"id\": 7, \"label\": \"a\"}\n{\"id\": 8, \"label\": \"", "$[1].label", 2),
                ("a table", "id,label\n7,a\n8,", "$[1]", 3),
            ] {
                let packed = try gzip(Array(begin.utf8) + zeros)
                try expect(packed.count < 8_192, "\(packed.count) bytes")
                let source = bytes(packed) { $0.unpackingLimits.maximumSize = 1 << 18 }
                let input: ImportInput =
                    switch name {
                    case "a document": .json(source)
                    case "lines": .json(source, lines)
                    default: .csv(source)
                    }
                for failures in [ImportFailures.throw, .report] {
                    try await shop.expectRefused(input, .limit, at: path, line: line, name, eager(failures))
                }
            }
        },
        ConformanceCase(
            "import.bomb-ratio", in: .importing, "an archive that unpacks to hundreds of times its size is refused",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let begin = Array("{\"id\": 7, \"label\": \"a\"}\n{\"id\": 8, \"label\": \"".utf8)
            let packed = try gzip(begin + [UInt8](repeating: UInt8(ascii: "0"), count: 80 << 20))
            let input = ImportInput.json(
                .bytes(packed), JSONOptions(layout: .lines, maximumTextLength: 1 << 30))
            try await Shop(trial).expectRefused(input, .limit, at: "$[1].label", line: 2, "an archive of zeros")
        },
        ConformanceCase(
            "import.cut-archive", in: .importing,
            "an archive that is cut off leaves nothing of what was imported from it",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            var random = SeededGenerator(seed: 77)
            let objects = (100..<400).map { "{\"id\": \($0), \"label\": \"\(random.next())\"}" }
            let rows = (100..<400).map { "\($0),\(random.next())" }
            for (name, text, first) in [
                ("a document", "[" + objects.joined(separator: ",\n") + "]", 1),
                ("lines", objects.joined(separator: "\n"), 1),
                ("a table", "id,label\n" + rows.joined(separator: "\n"), 2),
            ] {
                let packed = try gzip(Array(text.utf8))
                let source = bytes(Array(packed.dropLast(packed.count / 4)))
                let input: ImportInput =
                    switch name {
                    case "a document": .json(source)
                    case "lines": .json(source, lines)
                    default: .csv(source)
                    }
                for failures in [ImportFailures.throw, .report] {
                    // Objects of the archive are imported before its end is found to be missing.
                    let counts = Journal<Int>()
                    var importer = eager(failures)
                    importer.progress = { counts.add($0.inserted) }
                    let error = try expectError(.invalidInput) {
                        try trial.stack.blocking.import(input, as: "Genre", with: importer)
                    }
                    try expect((counts.entries.last ?? 0) > 100, "\(name): \(counts.entries.count) were imported")
                    let (line, path) = (error.importLine ?? 0, error.importPath ?? "")
                    try expect(line > 100 && line - first < 300, "line \(line)")
                    try expect(path.hasPrefix("$[\(line - first)]"), "\(path) in line \(line)")
                    try await shop.expectRefused(input, .invalidInput, at: path, line: line, name, importer)
                }
            }
        },
        ConformanceCase(
            "import.uneven-rows", in: .importing,
            "rows that are longer or shorter than the header are refused or left out"
        ) { trial in
            let shop = try Shop(trial)
            let text = "id,label\n7,Ska\n8\n9,Soul,more\n10,Funk\n,\n11,\n"
            try await shop.expectRefused(.csv(.text(text)), .invalidInput, at: "$[1]", line: 3, "a short row")
            try await shop.expectRefused(
                .csv(.text("id,label\n7,Ska\n9,Soul,more\n")), .invalidInput, at: "$[1]", line: 3, "a long row")
            try shop.write { tx in
                let result = try tx.import(.csv(.text(text)), as: Genre.self, with: eager(.report))
                try expectEqual(result.records.map(\.id), [7, 10])
                try expectEqual(result.report.issues.filter { $0.kind == .failed }.map(\.line), [3, 4, 6, 7])
                try expectEqual(
                    result.report.issues.filter { $0.kind == .failed }.map(\.path), ["$[1]", "$[2]", "$[4]", "$[5]"])
                try Genre.where { $0.id > 3 }.deleteAll(in: tx)
                // Where they are accepted, what is not there is no value, and what is too much has no attribute.
                let uneven = CSVOptions(unevenRows: .accept)
                let accepted = try tx.import(.csv(.text(text), uneven), as: Genre.self, with: eager(.report))
                try expectEqual(accepted.records.map(\.id), [7, 9, 10])
                try expectEqual(accepted.report.unknownKeys, ["Genre": ["2"]])
                try expectEqual(
                    try tx.fetch(Genre.all).map(\.label), Shop.genres.map(\.label) + ["Ska", "Soul", "Funk"])
            }
        },
        ConformanceCase(
            "import.long-text", in: .importing,
            "a text of half a MB is imported up to the limit, and refused beyond it",
            modes: [.fresh]
        ) { trial in
            let limit = 1 << 19
            try trial.write { tx in
                for unit in ["a", "\u{e9}", "\\n"] {
                    let size = unit == "\u{e9}" ? 2 : 1
                    func text(_ count: Int) -> ByteSource {
                        let long = String(repeating: unit, count: count / size)
                        return .text("{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2,\"text\": \"\(long)\"}")
                    }
                    let options = JSONOptions(layout: .lines, maximumTextLength: limit)
                    let records = try tx.import(.json(text(limit), options), as: Sample.self, with: eager()).records
                    try expectEqual(records.last?.text?.utf8.count, limit)
                    try Sample.deleteAll(in: tx)
                    let error = try expectError(.limit) {
                        try tx.import(.json(text(limit + 2), options), as: Sample.self, with: eager()).records
                    }
                    try expectEqual(error.importPath, "$[1].text")
                    try expectEqual(error.importLine, 2)
                    try expectEqual(try tx.count(Sample.all), 0)
                }
                let rows = "id,text\n1,a\n2,\"\(String(repeating: "b\n", count: limit / 2))\"\n3,c\n"
                let table = ImportInput.csv(.text(rows), CSVOptions(maximumRowLength: limit))
                let error = try expectError(.limit) { try tx.import(table, as: Sample.self, with: eager()).records }
                try expectEqual(error.importPath, "$[1]")
                try expectEqual(error.importLine, 3)
                try expectEqual(try tx.count(Sample.all), 0)
            }
        },
        ConformanceCase(
            "import.endless-text", in: .importing, "a text that does not end is read up to the limit and no further",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            for (isTable, begin, path, line) in [
                (false, "[{\"id\": 7, \"label\": \"a\"},\n{\"id\": 8, \"label\": \"", "$[1].label", 2),
                (true, "id,label\n7,a\n8,\"", "$[1]", 3),
            ] {
                let limit = 1 << 20
                let given = Journal<Int>()
                let source = ByteSource("endless") { EndlessStream(begin, given) }
                try shop.write { tx in
                    let input: ImportInput =
                        isTable
                        ? .csv(source, CSVOptions(maximumRowLength: limit))
                        : .json(source, JSONOptions(maximumTextLength: limit))
                    let error = try expectError(.limit) { try tx.import(input, as: "Genre", with: eager()).records }
                    try expectEqual(error.importPath, path)
                    try expectEqual(error.importLine, line)
                    try expectEqual(try tx.fetch(Genre.all), Shop.genres)
                }
                // For each of the two stores at most the limit and what is read ahead.
                try expect(given.entries.reduce(0, +) < 2 * (limit + (1 << 18)), "\(given.entries.reduce(0, +)) bytes")
            }
        },
        ConformanceCase(
            "import.hostile-names", in: .importing,
            "an entity's name is compared with those of the schema byte by byte, whatever it holds"
        ) { trial in
            let shop = try Shop(trial)
            let names = [
                "", " ", "genre", "GENRE", "Genre ", " Genre", "Genre\u{0}", "\u{0}Genre", "Gen\u{200B}re",
                "G\u{435}nre",
                "\"Genre\"", "Genre\"; DROP TABLE \"Genre\"; --", "Genre' OR '1'='1", "main.Genre", "../Genre", "/",
                "%s%n",
                "$[0]", "@root", "sqlite_master", "rowid", "Genre.label", "\u{FEFF}Genre", "Genre\u{301}", "\u{1F600}",
                String(repeating: "Genre", count: 20_000),
            ]
            let input = ImportInput.json(.text("[{\"id\": 7, \"label\": \"a\"},\n{\"id\": 1, \"label\": \"b\"}]"))
            for name in names {
                try shop.write { tx in
                    let error = try expectError(.unknownEntity, entity: name) { try tx.import(input, as: name).records }
                    try expect(error.message.contains("Genre, "), "\(error.message.suffix(300))")
                    try expectEqual(try tx.fetch(Genre.all), Shop.genres, name)
                }
                var importer = eager()
                importer.choose = { _, place in place.index == 0 ? "Genre" : name }
                try await shop.expectRefused(
                    input, .unknownEntity, at: "$[1]", line: 2, "chosen: \(name.prefix(50))", importer)
                importer.failures = .report
                try shop.write { tx in
                    let report = try tx.import(input, as: "Genre", with: importer).report
                    try expectEqual(report.counts, [1, 0, 0, 0, 1])
                    try expectEqual(report.issues.map(\.error.code), [.unknownEntity])
                    try expectEqual(report.issues.map(\.path), ["$[1]"])
                    try expectEqual(report.issues.map(\.line), [2])
                    try tx.delete(Genre.self, 7)
                    try expectEqual(try tx.fetch(Genre.all), Shop.genres)
                }
            }
        },
        ConformanceCase(
            "import.deep-anywhere", in: .importing, "100 000 levels are refused wherever they are", modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let count = 100_000
            let arrays = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            let mentors =
                String(repeating: "{\"mentor\": ", count: count) + "null" + String(repeating: "}", count: count)
            for (what, entity, member, path) in [
                ("arrays for a text", "Artist", "\"label\": \(arrays)", "$[1].label[0][0]"),
                ("objects within each other", "Artist", "\"mentor\": \(mentors)", "$[1].mentor.mentor"),
                ("arrays for a reference", "Artist", "\"genre\": \(arrays)", "$[1].genre[0]"),
                ("arrays for JSON", "Song", "\"info\": \(arrays)", "$[1].info[0]"),
                ("objects that no attribute has", "Artist", "\"other\": \(mentors)", "$[1].other.mentor"),
                ("open arrays", "Artist", "\"label\": \(String(repeating: "[", count: count))", "$[1].label[0][0]"),
            ] {
                let first = "{\"id\": 90, \"label\": \"a\", \"title\": \"a\", \"album\": 1}"
                for (options, text) in [
                    (JSONOptions(), "[\(first),\n{\"id\": 91, \(member)}]"),
                    (JSONOptions(layout: .lines, maximumDepth: .max), "\(first)\n{\"id\": 91, \(member)}"),
                ] {
                    try shop.write { tx in
                        let error = try expectError(.limit) {
                            try tx.import(.json(.text(text), options), as: entity, with: eager()).records
                        }
                        try expect(
                            error.importPath?.hasPrefix(path) ?? false, "\(what): \(error.importPath ?? "no path")")
                        try expectEqual(error.importLine, 2, what)
                        try expect(error.message.utf8.count < 1_000, "a message of \(error.message.utf8.count) bytes")
                        try expectEqual(try tx.find(entity, 90) == nil, true, what)
                    }
                }
                try expectError(.limit) { try ImportValue(json: "{\(member)}") }
            }
        },
        ConformanceCase(
            "import.deep-objects", in: .importing,
            "objects some hundred levels deep are imported, and refused on a thread whose stack does not hold them",
            modes: [.fresh]
        ) { trial in
            _ = try Shop(trial, filled: false)
            let stack = try trial.stack
            let levels = 500
            let objects = (1...levels).map { "{\"id\": \($0), \"label\": \"a\", \"mentor\": " }.joined()
            let input = ImportInput.json(.text("[\(objects)null\(String(repeating: "}", count: levels))]"))
            try expectOnSmallStack(
                { try stack.blocking.write { try $0.import(input, as: Artist.self).report.counts } },
                [levels, 0, 0, 0, 0])
            try await stack.write { _ = try Artist.deleteAll(in: $0) }
            let report = try await stack.import(input, as: Artist.self)
            try expectEqual(report.counts, [levels, 0, 0, 0, 0])
            let mentor = try await stack.read { try $0.find(Artist.self, 7)?.mentor }
            try expectEqual(mentor, Ref(8))
        },
        ConformanceCase(
            "import.long-numbers-placed", in: .importing,
            "a number of 10 000 digits is no key and no reference, and longer ones are refused",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let digits = String(repeating: "7", count: 10_000)
            for number in [digits, "-\(digits).\(digits)", "1e\(digits)"] {
                let text = "[{\"id\": 7, \"label\": \"a\"},\n{\"id\": \(number), \"label\": \"b\"}]"
                try await shop.expectRefused(
                    .json(.text(text)), .typeMismatch, at: "$[1].id", line: 2, String(number.prefix(9)))
                try shop.write { tx in
                    let source = "[{\"id\": 90, \"label\": \"a\", \"genre\": \(number), \"rating\": 2}]"
                    let result = try tx.import(.json(.text(source)), as: Artist.self)
                    try expectEqual(result.records, [Artist(id: 90, label: "a", rating: 2)])
                    try expectEqual(result.report.issues.map(\.path), ["$[0].genre"], String(number.prefix(9)))
                    try tx.delete(Artist.self, 90)
                }
            }
            let longer = String(repeating: "7", count: 70_000)
            for (member, path) in [("id", "$[1].id"), ("label", "$[1].label"), ("other", "$[1].other")] {
                for number in [longer, "[1, 2, -0.\(longer)]"] {
                    let end = number.hasPrefix("[") ? "[2]" : ""
                    let text = "{\"id\": 7, \"label\": \"a\"}\n{\"\(member)\": \(number)}"
                    try await shop.expectRefused(.json(.text(text), lines), .limit, at: path + end, line: 2, member)
                }
            }
        },
        ConformanceCase(
            "import.bad-text", in: .importing,
            "half a character, bytes that are not UTF-8 and NUL are refused in values, keys, what is skipped, and tables",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let bad: [(what: String, bytes: [UInt8])] = [
                ("half a surrogate pair", Array("\\ud800".utf8)), ("the other half", Array("\\udc00".utf8)),
                ("two first halves", Array("\\ud83d\\ud83d".utf8)), ("a half cut off", Array("\\ud83d\\u".utf8)),
                ("a surrogate in UTF-8", [0xED, 0xA0, 0x80]), ("a byte of none", [0xFF]),
                ("a character cut off", [0xE2, 0x82]),
                ("a long form", [0xC0, 0xAF]), ("beyond Unicode", [0xF4, 0x90, 0x80, 0x80]), ("NUL", [0]),
                ("a control", [0x1F]),
            ]
            let first = Array("{\"id\": 7, \"label\": \"a\"}\n".utf8)
            for (what, letter) in bad {
                let places: [(before: String, after: String, path: String)] = [
                    ("{\"id\": 8, \"label\": \"\u{e9}", "\"}", "$[1].label"),
                    ("{\"id\": 8, \"other\": \"a", "a\"}", "$[1].other"),
                    ("{\"id\": 8, \"other\": [{\"a\": 1}, {\"a\": \"", "\"}]}", "$[1].other[1].a"),
                ]
                for (before, after, path) in places {
                    let document = Array("[{\"id\": 7, \"label\": \"a\"},\n".utf8) + Array(before.utf8) + letter
                    try await shop.expectRefused(
                        .json(.bytes(document + Array("\(after)]".utf8))), .invalidInput, at: path, line: 2, what)
                }
                // Keys, whose path is that of their object.
                for text in [Array("{\"id\": 8, \"".utf8) + letter + Array("\": 1}".utf8)] {
                    try shop.write { tx in
                        let error = try expectError(.invalidInput) {
                            try tx.import(.json(.bytes(first + text), lines), as: Genre.self, with: eager()).records
                        }
                        try expect(error.importPath?.hasPrefix("$[1]") ?? false, error.importPath ?? "no path")
                        try expectEqual(error.importLine, 2, what)
                        try expectEqual(try tx.fetch(Genre.all), Shop.genres)
                    }
                }
                // A line that cannot be read is one of several.
                let line =
                    Array("{\"id\": 8, \"label\": \"".utf8) + letter + Array("\"}\n{\"id\": 9, \"label\": \"c\"}".utf8)
                try shop.write { tx in
                    let result = try tx.import(.json(.bytes(first + line), lines), as: Genre.self, with: eager(.report))
                    try expectEqual(result.records.map(\.id), [7, 9], what)
                    try expectEqual(result.report.issues.map(\.path), ["$[1].label"], what)
                    try expectEqual(result.report.issues.map(\.line), [2], what)
                    try Genre.where { $0.id > 3 }.deleteAll(in: tx)
                }
                guard letter[0] >= 0x80 || letter[0] == 0 else { continue }
                for (before, after) in [("8,", "\n"), ("8,\"x", "\"\n"), ("8,", "")] {
                    let row = Array("id,label\n7,a\n\(before)".utf8) + letter + Array(after.utf8)
                    try await shop.expectRefused(.csv(.bytes(row)), .invalidInput, at: "$[1].label", line: 3, what)
                }
                try await shop.expectRefused(
                    .csv(.bytes(Array("id,".utf8) + letter + Array("\n7,a\n".utf8))), .invalidInput, at: "column 2",
                    line: 1, what)
            }
        },
    ]
}
