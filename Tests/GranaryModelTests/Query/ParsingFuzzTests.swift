import Testing

@testable import GranaryModel
import TestSupport

struct ParsingFuzzTests {
    private static let pieces = [
        "AND", "OR", "NOT", "!", "(", ")", "{", "}", "[", "]", "[c]", ",", ".", "..", "@count", "@sum", "%@", "%K", "%",
        "$s", "$", "ANY", "ALL songs", "SUBQUERY(songs, $s, ", "BETWEEN", "IN", "CONTAINS[cd]", "a", "songs.plays",
        "'x'",
        "\"", "'", "\\", "`", "#", "5", "1e9999", "-", "+", "x'00'", "x'", "nil", "TRUE", "??", "**", "==", "=", "<>",
        "folded", "json(", "year(", "integer(", "real(inf)", "SELECT a FROM B", "WHERE", "é", "\u{301}", "\0", "\r\n",
        " ",
    ]

    /// What a text makes, and whether it reads back from its print.
    private func parse(_ text: String) throws {
        let arguments: [QueryArgument] = [1, "a.b", [1, 2], .attribute("songs.plays")]
        for count in [0, 1, 4] {
            do {
                let condition = try AnyCondition(
                    parsing: text, arguments: Array(arguments.prefix(count)), named: ["s": "x"])
                #expect(condition.depth <= AnyCondition.maximumDepth)
                // NaN does not equal itself.
                guard !text.contains("nan") else { continue }
                #expect(try AnyCondition(parsing: condition.predicateText) == condition, "\(text)")
            } catch let error as GranaryError {
                #expect([.invalidQuery, .range].contains(error.code), "\(text): \(error)")
            }
        }
        _ = try? AnyExpression(parsing: text)
    }

    @Test func `no change of a valid text does harm`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(20_240_501))
        let texts = ParsingTests.conditions.map { Array($0.0.utf8) }
        for _ in 0..<30_000 {
            var bytes = texts.randomElement(using: &numbers) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0...bytes.count, using: &numbers)
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0 where place < bytes.count: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
                case 2:
                    bytes.insert(
                        contentsOf: (ParsingFuzzTests.pieces.randomElement(using: &numbers) ?? "").utf8, at: place)
                case 3: bytes = Array(bytes[place...]) + bytes[..<place]
                default:
                    let other = texts.randomElement(using: &numbers) ?? []
                    bytes.insert(contentsOf: other[Int.random(in: 0...other.count, using: &numbers)...], at: place)
                }
            }
            try parse(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func `no heap of words does harm`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(7))
        for _ in 0..<20_000 {
            let words = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                ParsingFuzzTests.pieces.randomElement(using: &numbers) ?? ""
            }
            try parse(words.joined(separator: Bool.random(using: &numbers) ? " " : ""))
        }
    }

    @Test func `no bytes do harm`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(99))
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            try parse(String(decoding: bytes, as: UTF8.self))
        }
    }
}
