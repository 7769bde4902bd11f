import Foundation
import Testing

@testable import GranaryModel
import TestSupport

/// Random documents, read by Foundation and by paths; and bytes that are no document.
struct JSONPathRandomTests {
    /// Writes a random value and notes each scalar in it with its path.
    private struct Writer {
        var numbers: SeededNumbers
        var text = ""
        var scalars: [(path: String, kind: JSONScalarKind, text: String)] = []

        init(seed: UInt64) {
            numbers = SeededNumbers(seed: seed)
            write(path: "", depth: 0)
        }

        private mutating func pick(_ count: UInt64) -> UInt64 { numbers.next() % count }

        private mutating func space() { text += ["", "", " ", "\n\t"][Int(pick(4))] }

        private mutating func string() -> String {
            let pieces = ["a", "é", "😀", #"\""#, #"\\"#, #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, "{", "]", ",", "key"]
            return (0..<pick(5)).map { _ in pieces[Int(pick(12))] }.joined()
        }

        private mutating func number() -> String {
            let whole = "\(Int64(bitPattern: numbers.next()) >> Int64(pick(64)))"
            switch pick(4) {
            case 0: return whole
            case 1: return "\(whole).\(pick(1000))"
            case 2: return "\(whole)e\(pick(20))"
            default: return "\(whole).\(pick(100))E-\(pick(300))"
            }
        }

        private mutating func write(path: String, depth: Int) {
            space()
            switch depth == 0 ? pick(2) : pick(depth < 4 ? 7 : 5) + (depth < 4 ? 0 : 2) {
            case 0:
                text += "{"
                for index in 0..<pick(5) {
                    if index > 0 { text += "," }
                    space()
                    text += "\"k\(index)\\u0020\""
                    space()
                    text += ":"
                    write(path: path + (path.isEmpty ? "" : ".") + "\"k\(index) \"", depth: depth + 1)
                }
                text += "}"
            case 1:
                text += "["
                for index in 0..<pick(5) {
                    if index > 0 { text += "," }
                    write(path: path + "[\(index)]", depth: depth + 1)
                }
                text += "]"
            case 2, 3:
                text += "\"\(string())\""
                scalars.append((path, .text, ""))
            case 4:
                text += ["true", "false"][Int(pick(2))]
                scalars.append((path, .bool, ""))
            case 5:
                text += "null"
            default:
                let number = number()
                text += number
                scalars.append((path, .real, number))
            }
            space()
        }
    }

    private static func step(_ value: Any?, _ step: JSONPath.Step) -> Any? {
        switch step {
        case .key(let utf8): (value as? [String: Any])?[String(decoding: utf8, as: UTF8.self)]
        case .position(let position):
            (value as? [Any]).flatMap { $0.indices.contains(position) ? $0[position] : nil }
        }
    }

    @Test func `every scalar of random documents is what Foundation reads`() throws {
        var compared = 0
        for seed in (1...600).map(TestSeed.of) {
            let writer = Writer(seed: seed)
            let document = try JSONSerialization.jsonObject(with: Data(writer.text.utf8))
            for (text, kind, number) in writer.scalars {
                let path = try JSONPath(text)
                let reference = path.steps.reduce(document as Any?) { JSONPathRandomTests.step($0, $1) }
                let expected: StoredValue? =
                    switch kind {
                    case .text: (reference as? String).map { .string($0) }
                    case .bool: (reference as? Bool).map { .integer($0 ? 1 : 0) }
                    default: (reference as? NSNumber).map { .real($0.doubleValue + 0.0) }
                    }
                let found = Array(writer.text.utf8).withUnsafeBytes { path.value(as: kind, in: $0) }
                if case .real(let value)? = expected {
                    // Foundation's parser is off by some units of the last place: 12 at 14571455850924178.22E-118.
                    let nearest = try #require(Double(number)) + 0.0
                    #expect(found == .real(nearest), "\(number)")
                    #expect(abs(value - nearest) <= 1024 * nearest.ulp, "\(number)")
                } else {
                    #expect(found == expected, "\(text) in \(writer.text)")
                }
                compared += 1
            }
        }
        #expect(compared > 1000)
    }

    @Test func `damaged documents and random bytes give a value or nil`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(9))
        let paths = try ["[0]", "[1].\"k0 \"", "\"k0 \"", "\"k1 \"[0]", "\"k2 \".\"k1 \"", "a"].map { try JSONPath($0) }
        let alphabet = Array(#"{}[]:,"\u0dtrfalsen1-+.eE "#.utf8) + [0, 0x1F, 0x80, 0xFF]
        var found = 0
        for seed in (1...600).map(TestSeed.of) {
            var bytes = Array(Writer(seed: seed).text.utf8)
            switch seed % 3 {
            case 0: bytes.removeLast(Int(numbers.next() % UInt64(bytes.count)))
            case 1:
                bytes[Int(numbers.next() % UInt64(bytes.count))] =
                    alphabet[Int(numbers.next() % UInt64(alphabet.count))]
            default:
                bytes = (0..<(numbers.next() % 60)).map { _ in alphabet[Int(numbers.next() % UInt64(alphabet.count))] }
            }
            for path in paths {
                for kind in JSONScalarKind.allCases {
                    let value = bytes.withUnsafeBytes { path.value(as: kind, in: $0) }
                    #expect(
                        value.kind == .null || value.kind == (kind == .text ? .text : kind == .real ? .real : .integer))
                    if value != .null { found += 1 }
                }
            }
        }
        #expect(found > 100)
    }
}
