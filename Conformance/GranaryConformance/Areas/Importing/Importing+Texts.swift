import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

// Random objects as a text and as values: a text is read onto tapes, from which plain values are taken as they lie, and values
// are trees. Both must come to the same.

private let things = Schema(entities: [
    Entity(
        "Thing", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("small", .int8, isOptional: true),
            Attribute("count", .uint16, defaultValue: .integer(0)),
            Attribute("ratio", .float, isOptional: true), Attribute("width", .double, defaultValue: .real(0)),
            Attribute("price", .decimal, isOptional: true),
            Attribute("cents", .scaledDecimal(places: 2), defaultValue: .integer(0)),
            Attribute("full_name", .string, isOptional: true), Attribute("link", .url, isOptional: true),
            Attribute("mark", .uuid, isOptional: true), Attribute("born", .date, isOptional: true),
            Attribute("bytes", .data, isOptional: true), Attribute("more", .json, isOptional: true),
            Attribute("done", .bool, defaultValue: .integer(0)),
            Attribute("next", .int64, isOptional: true, reference: .init(entity: "Thing", onDelete: .nullify)),
            Attribute("loose", .int64, isOptional: true, reference: .init(entity: "Thing", onDelete: .noAction)),
        ], indexes: [.unique("mark")])
])

/// Makes values twice: as they are written, and as trees.
private struct ThingMaker {
    var random: SeededGenerator

    typealias Made = (text: String, value: ImportValue)

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private static let keys = [
        "id", "ID", "small", "Count", "ratio", "width", "WIDTH", "price", "cents", "full_name", "fullName", "full-name",
        "link", "mark", "born", "bytes", "more", "done", "next", "nextId", "loose", "unknown", "",
    ]
    private static let numbers = [
        "0", "-0", "1", "7", "-7", "127", "128", "-129", "65535", "65536", "1.50", "2.0", "-3.25", "1e2", "1E-2", "0.1",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890", "1e400",
        "0.30000000000000004", "1234567890.123456789", "1700000000", "5e-324", "1e-400", "17.005",
    ]
    private static let strings = [
        "", "a", "5", " 6 ", "0x1", "true", "No", "1.5", "2024-02-29", "2024-02-29T12:30:00Z", "https://example.org/a",
        "6F9619FF-8B86-D011-B42D-00C04FC964FF", "6f9619ff8b86d011b42d00c04fc964fe", "aGk=", "e\u{301}", "\u{E9}",
        "a\"b\\c\n", "longer than what lies within the string itself", "\u{1F600}",
    ]

    private mutating func plain() -> Made {
        switch below(9) {
        case 0: return ("null", .null)
        case 1: return ("true", .bool(true))
        case 2: return ("false", .bool(false))
        case 3...5:
            let text = ThingMaker.numbers[below(ThingMaker.numbers.count)]
            let isPlain = !text.contains { ".eE".contains($0) }
            if isPlain, text != "-0", let integer = Int64(text) { return (text, .integer(integer)) }
            return (text, .decimal(text))
        case 6:
            let number = below(12)
            return ("\(number)", .integer(Int64(number)))
        default:
            let text = ThingMaker.strings[below(ThingMaker.strings.count)]
            return (ThingMaker.quoted(text), .string(text))
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\u000a"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private mutating func value(depth: Int) -> Made {
        guard depth < 2, below(6) == 0 else { return plain() }
        if below(2) == 0 { return object(depth: depth + 1) }
        let elements = (0..<below(3)).map { _ in value(depth: depth + 1) }
        return ("[\(elements.map(\.text).joined(separator: ", "))]", .array(elements.map(\.value)))
    }

    mutating func object(depth: Int = 0) -> Made {
        var members: [(key: String, made: Made)] = []
        if below(12) > 0 {
            let id = 1 + below(9)
            members.append(("id", below(4) == 0 ? ("\"\(id)\"", .string("\(id)")) : ("\(id)", .integer(Int64(id)))))
        }
        // Mostly in one order, as in files; now and then in any, and a key twice.
        let isOrdered = below(3) > 0
        for place in 0..<ThingMaker.keys.count where below(3) == 0 {
            let key = ThingMaker.keys[isOrdered ? place : below(ThingMaker.keys.count)]
            if key.lowercased() != "id" || below(10) == 0 { members.append((key, value(depth: depth))) }
        }
        if depth == 0, below(20) == 0 { return plain() }
        return (
            "{\(members.map { "\(ThingMaker.quoted($0.key)): \($0.made.text)" }.joined(separator: ","))}",
            .object(ImportObject(members.map { .init($0.key, $0.made.value) }))
        )
    }
}

private func contents(_ stack: Stack) throws -> [String] {
    try stack.blocking.read { snapshot in try snapshot.fetch(Request("Thing")).map { "\($0.values)" } }
}

private func describe(_ report: ImportReport) -> [String] {
    ["\(report.counts) \(report.deleted)", "\(report.unknownKeys)"]
        + report.issues.map { "\($0.kind) \($0.path) \($0.error.code) \($0.error.message)" }
}

/// Imports the same objects as a text into one store and as values into another.
private func compare(_ trial: Trial, seed: UInt64, rounds: Int) async throws {
    var maker = ThingMaker(random: SeededGenerator(seed: seed))
    let texts = try trial.another(things, at: trial.folder + "/texts-\(seed).granary")
    let values = try trial.another(things, at: trial.folder + "/values-\(seed).granary")
    for round in 0..<rounds {
        var importer = Importer([ImportPolicy.upsert, .insertOnly, .updateOnly, .mirror()][max(0, maker.below(8) - 4)])
        importer.failures = .report
        importer.batchSize = [1, 2, 3, 500][maker.below(4)]
        importer.isStrict = maker.below(6) == 0
        importer.missingKey = [.error, .skip][maker.below(2)]
        if maker.below(4) == 0 { importer.mapping = ImportMapping().map("full_name", from: "unknown") }
        let made = (0..<(1 + maker.below(12))).map { _ in maker.object() }
        let isLines = maker.below(2) == 0
        let text =
            isLines
            ? made.map(\.text).joined(separator: "\n") : "[\(made.map(\.text).joined(separator: ",\n"))]"
        let options = JSONOptions(layout: isLines ? .lines : .document, duplicateKeys: .last)
        let first = try await texts.import(.json(.text(text), options), as: "Thing", with: importer)
        let second = try await values.import(made.map(\.value), as: "Thing", with: importer)
        let place = "seed \(seed), round \(round), \(text)"
        try expectEqual(describe(first), describe(second), place)
        try expectEqual(try contents(texts), try contents(values), place)
    }
}

var importTextsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.random-texts", in: .importing, "random texts are imported as the values are that they say",
            modes: [.fresh]
        ) { trial in
            for seed in 1...3 as ClosedRange<UInt64> { try await compare(trial, seed: seed, rounds: 12) }
            for seed in 0..<2 as Range<UInt64> {
                try await compare(trial, seed: trial.seed &* 1_000 &+ seed, rounds: 12)
            }
        },
        ConformanceCase(
            "import.random-texts-long", in: .importing, "the same, for longer", isHeavy: true, modes: [.fresh]
        ) { trial in
            for seed in 100..<200 as Range<UInt64> {
                try await compare(trial, seed: trial.seed &* 1_000 &+ seed, rounds: 30)
            }
        },
    ]
}
