import Foundation
import Testing

@testable import GranaryText
import TestSupport

struct TextMatcherTests {
    static let both: TextFolding = [.caseInsensitive, .diacriticInsensitive]

    @Test func `plain comparisons are by bytes`() throws {
        #expect(try matches(.equal, "abc", "abc"))
        #expect(try !matches(.equal, "abc", "abcd"))
        #expect(try !matches(.equal, "\u{E9}", "e\u{301}"))
        #expect(try matches(.prefix, "ab", "abc"))
        #expect(try !matches(.prefix, "abcd", "abc"))
        #expect(try matches(.suffix, "bc", "abc"))
        #expect(try !matches(.suffix, "ab", "abc"))
        #expect(try matches(.contains, "b\0c", "ab\0cd"))
        #expect(try !matches(.contains, "ac", "abc"))
        for kind in [TextMatch.Kind.prefix, .suffix, .contains] {
            #expect(try matches(kind, "", ""))
            #expect(try matches(kind, "", "a"))
            #expect(try !matches(kind, "a", ""))
        }
        #expect(try matches(.equal, "", ""))
        #expect(try !matches(.equal, "", "a"))
    }

    @Test func `a folding folds both sides`() throws {
        #expect(try matches(.equal, "STRASSE", "Straße", .caseInsensitive))
        #expect(try matches(.contains, "JÖRK", "Bjo\u{308}rk", .caseInsensitive))
        #expect(try !matches(.contains, "JORK", "Björk", .caseInsensitive))
        #expect(try matches(.contains, "JORK", "Björk", TextMatcherTests.both))
        #expect(try matches(.suffix, "ORK", "Björk", TextMatcherTests.both))
        #expect(try matches(.prefix, "Å", "ångström", .caseInsensitive))
        #expect(try matches(.equal, "bjork", "björk", .diacriticInsensitive))
        #expect(try !matches(.equal, "bjork", "Björk", .diacriticInsensitive))
    }

    @Test func `equal, contains, prefix and suffix agree with a naive search`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(21))
        func bytes(upTo count: Int) -> [UInt8] {
            (0..<Int.random(in: 0...count, using: &numbers)).map { _ in
                [0x00, 0x61, 0x62].randomElement(using: &numbers) ?? 0
            }
        }
        for _ in 0..<20_000 {
            let text = bytes(upTo: 40)
            let part = bytes(upTo: 6)
            func isAt(_ offset: Int) -> Bool { Array(text[offset...].prefix(part.count)) == part }
            let places = part.count > text.count ? [] : (0...(text.count - part.count)).filter(isAt)
            func result(_ kind: TextMatch.Kind) throws -> Bool {
                try matches(TextMatcher(TextMatch(kind, utf8: part)), text)
            }
            #expect(try result(.contains) == !places.isEmpty)
            #expect(try result(.prefix) == places.contains(0))
            #expect(try result(.suffix) == places.contains(text.count - part.count))
            #expect(try result(.equal) == (text == part))
            let found = text.withUnsafeBytes { text in
                part.withUnsafeBytes { ByteSearch.first($0, in: text, from: 0) }
            }
            #expect(found == places.first)
        }
    }

    @Test func `a part that almost occurs everywhere is searched in linear time`() throws {
        let part = String(repeating: "a", count: 50_000) + "b"
        let text = String(repeating: "a", count: 1_000_000)
        #expect(try !matches(.contains, part, text))
        #expect(try matches(.contains, part, text + "b" + text))
        #expect(try !matches(.contains, "b" + part + part, text + part + text))
    }

    static let wildcards: [(String, String, Bool)] = [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("**", "", true), ("?", "", false),
        ("?", "a", true), ("?", "ab", false), ("??", "ab", true), ("?*", "", false), ("?*", "abc", true),
        ("a*c", "abbbc", true), ("a*c", "ac", true), ("a*c", "acb", false), ("a*b*c", "axxbyyc", true),
        ("*b*", "abc", true), ("*ab", "aab", true), ("*ab", "aba", false), ("ab*ab", "ab", false),
        ("ab*ab", "abab", true),
        ("a?c", "abc", true), ("a?c", "a\0c", true), ("a?c", "aéc", true), ("a?c", "ae\u{301}c", false),
        ("a?c", "a😀c", true), ("?", "😀", true), ("????", "😀", false), ("*?b", "😀b", true), ("*??b", "😀b", false),
        ("a\0*", "a\0b", true), ("*\0", "a\0", true), ("\\*", "*", true), ("\\*", "a", false), ("\\?", "?", true),
        ("\\?", "a", false), ("\\\\", "\\", true), ("a\\*b*", "a*bc", true), ("a\\*b*", "axbc", false),
        ("*a?b*", "aaaxxaxbyy", true), ("*a?b*c?", "aaxbcbcz", true), ("*a?b", "aaabab", false),
        ("*a?b", "abaxb", true),
        ("*é", "caf\u{E9}", true), ("*\u{303}*", "a\u{303}b", true), ("*x?*y", "xy", false), ("*x?*y", "xzy", true),
        ("[a]", "a", false), ("%", "abc", false), ("_", "a", false), (".*", "abc", false),
        ("*.fl?c", "song.flac", true),
    ]

    @Test(arguments: wildcards)
    func `wildcards match the whole text`(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(.like, pattern, text) == expected)
    }

    @Test func `wildcards see the folded text`() throws {
        #expect(try matches(.like, "BJ?RK", "bjo\u{308}rk", .caseInsensitive))
        #expect(try !matches(.like, "bj?rk", "bjo\u{308}rk"))
        #expect(try matches(.like, "STRA??E", "straße", .caseInsensitive))
        #expect(try matches(.like, "*É*", "CAFE CREME", TextMatcherTests.both))
    }

    @Test func `wildcards agree with a naive matcher`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(22))
        func word(_ letters: [Character], _ count: Int) -> String {
            String(
                (0..<Int.random(in: 0...count, using: &numbers)).map { _ in
                    letters.randomElement(using: &numbers) ?? "a"
                })
        }
        func naive(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = pattern.dropFirst()
            if first == "*" { return (text.startIndex...text.endIndex).contains { naive(rest, text[$0...]) } }
            guard let letter = text.first, first == "?" || first == letter else { return false }
            return naive(rest, text.dropFirst())
        }
        for _ in 0..<30_000 {
            let pattern = word(["a", "é", "😀", "?", "*", "*"], 8)
            let text = word(["a", "é", "😀"], 10)
            #expect(
                try matches(.like, pattern, text) == naive(Array(pattern)[...], Array(text)[...]), "\(pattern) \(text)")
        }
    }

    @Test func `many stars on a long text end soon`() throws {
        let text = String(repeating: "a", count: 100_000)
        #expect(try !matches(.like, String(repeating: "a*", count: 50) + "b", text))
        #expect(try !matches(.like, String(repeating: "*a?", count: 50) + "*b*", text))
    }

    @Test func `a wildcard search beyond the limit of steps is given up`() throws {
        let pattern = "*" + String(repeating: "a?", count: 200) + "b*"
        let matcher = TextMatcher(try TextPattern(TextMatch(.like, pattern)), stepLimit: 10_000)
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        #expect { try matches(matcher, text) } throws: { ($0 as? GranaryError)?.code == .limit }
    }

    @Test(arguments: [("a\\", 2), ("ab\\c*", 3), ("é\\n", 2)])
    func `a single backslash in a wildcard pattern is refused at its column`(pattern: String, column: Int) {
        #expect {
            try TextPattern(TextMatch(.like, pattern))
        } throws: { error in
            guard let error = error as? GranaryError else { return false }
            return error.code == .invalidQuery && error.message.contains("column \(column).")
        }
    }

    @Test func `a pattern that is not UTF-8 is refused`() {
        for kind in TextMatch.Kind.allCases {
            #expect {
                try TextPattern(TextMatch(kind, utf8: [0xFF]))
            } throws: {
                ($0 as? GranaryError)?.code == .invalidQuery
            }
        }
    }

    @Test func `damaged text is an error where it is read by scalars`() throws {
        for match in [TextMatch(.like, "?"), TextMatch(.matches, "."), TextMatch(.equal, "a", .caseInsensitive)] {
            #expect {
                try matches(TextMatcher(match), [0xC3])
            } throws: {
                ($0 as? GranaryError)?.code == .corrupt
            }
        }
    }

    @Test func `a match is coded with its pattern as a string`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let match = TextMatch(.like, "é*", TextMatcherTests.both)
        let json = try encoder.encode(match)
        #expect(String(decoding: json, as: UTF8.self) == #"{"folding":3,"kind":"like","pattern":"é*"}"#)
        #expect(try JSONDecoder().decode(TextMatch.self, from: json) == match)
        let plain = try encoder.encode(TextMatch(.equal, "a"))
        #expect(String(decoding: plain, as: UTF8.self) == #"{"kind":"equal","pattern":"a"}"#)
        #expect(try JSONDecoder().decode(TextMatch.self, from: plain) == TextMatch(.equal, "a"))
    }

    @Test func `the prefix that an index can use is known`() throws {
        #expect(try TextPattern(TextMatch(.prefix, "AB", .caseInsensitive)).literalPrefix == Array("ab".utf8))
        #expect(try TextPattern(TextMatch(.like, "ab?c*")).literalPrefix == Array("ab".utf8))
        #expect(try TextPattern(TextMatch(.like, "*ab")).literalPrefix.isEmpty)
        #expect(try TextPattern(TextMatch(.contains, "ab")).literalPrefix.isEmpty)
    }

    @Test func `a prefix has the least string after all that begin with it`() {
        #expect(successorOfPrefix([1, 2]) == [1, 3])
        #expect(successorOfPrefix([1, 0xFF]) == [2])
        #expect(successorOfPrefix([0xFF, 0xFF]) == nil)
        #expect(successorOfPrefix([]) == nil)
    }

    @Test func `a folding is written in brackets`() {
        #expect(TextFolding.caseInsensitive.description == "[c]")
        #expect(TextFolding.diacriticInsensitive.description == "[d]")
        #expect(TextMatcherTests.both.description == "[cd]")
        #expect(TextFolding().description == "")
    }
}
