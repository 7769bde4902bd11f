import Testing

@testable import GranaryText
import TestSupport

struct RegularExpressionTests {
    static let table: [(String, String, Bool)] = [
        // Literals, alternatives, groups
        ("", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "abcd", false), ("abc", "xabc", false),
        ("a|b", "b", true), ("a|b", "ab", false), ("ab|cd", "cd", true), ("ab|cd", "acd", false), ("a|", "", true),
        ("|a", "a", true), ("(a|b)c", "bc", true), ("(?:a|b)c", "c", false), ("()", "", true),
        ("(a(b(c)))", "abc", true),
        ("a.c", "abc", true), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true), (".", "😀", true), (".", "\0", true),
        ("a\0b", "a\0b", true), ("]}", "]}", true), ("é", "\u{E9}", true), ("é", "e\u{301}", false),
        // Repetitions
        ("a*", "", true), ("a*", "aaa", true), ("a*", "aab", false), ("a+", "", false), ("a+", "aa", true),
        ("a?", "", true), ("a?", "aa", false), ("a{2}", "aa", true), ("a{2}", "aaa", false), ("a{2,}", "a", false),
        ("a{2,}", "aaaa", true), ("a{1,3}", "aaa", true), ("a{1,3}", "aaaa", false), ("a{0}", "", true),
        ("a{0}", "a", false), ("a{0,1}b", "b", true), ("(ab){2}", "abab", true), ("ab{2}", "abb", true),
        ("ab{2}", "abab", false), ("a*?b", "aab", true), ("a+?", "aaa", true), ("a??", "a", true),
        ("a{2,3}?", "aaa", true),
        ("(a*)*", "aaa", true), ("(a*)+b", "b", true), ("(a|b*)*c", "abbac", true), ("(){1000}a", "a", true),
        ("(a{3}){3}", "aaaaaaaaa", true), ("(a{3}){3}", "aaaaaaaa", false), (".*b.*", "aabaa", true),
        (".{3}", "a😀é", true),
        ("(|a)+", "aaa", true), ("(^)*a", "a", true),
        // Places
        ("^abc$", "abc", true), ("a^b", "ab", false), ("a$b", "ab", false), ("\\Aabc\\z", "abc", true),
        ("a$\n", "a\n", false),
        ("(?m)a$\n^b", "a\nb", true), ("a$\n^b", "a\nb", false), ("(?m)^$", "", true), ("\\bab\\b", "ab", true),
        ("a\\bb", "ab", false), ("a\\Bb", "ab", true), ("a\\b b", "a b", true), ("\\B", "", true), ("\\b", "", false),
        (".*\\bfoo\\b.*", "a foo b", true), (".*\\bfoo\\b.*", "a food b", false), ("é\\bx", "éx", false),
        // Sets
        ("[abc]", "b", true), ("[abc]", "d", false), ("[a-c]+", "abcab", true), ("[^a-c]", "d", true),
        ("[^a-c]", "a", false),
        ("[^a]", "\n", true), ("[a-]", "-", true), ("[-a]", "-", true), ("[\\]]", "]", true), ("[\\-x]", "-", true),
        ("[a^]", "^", true), ("[.*+?(){}|$]", "*", true), ("[.]", "x", false), ("[à-ü]", "é", true),
        ("[à-ü]", "x", false),
        ("[😀-😂]", "😁", true), ("[\\d_]+", "12_", true), ("[\\D]", "1", false), ("[^\\D]", "1", true),
        ("[\\W\\d]", "5", true),
        ("[\\W\\d]", "_", false), ("[\\x{61}-\\x{63}]", "b", true), ("[\\n\\t]", "\t", true), ("[^\\n]", "\n", false),
        ("[\\p{Lu}\\d]", "Ä", true), ("[^\\p{L}]", "x", false), ("[a\\S]", " ", false), ("[c-ea-d]", "e", true),
        // Classes
        ("\\d+", "0189", true), ("\\d", "٣", true), ("\\d", "Ⅷ", false), ("\\D", "x", true), ("\\w+", "aé_1", true),
        ("\\w", "-", false), ("\\w\\w", "e\u{301}", true), ("\\w", "\u{203F}", false), ("\\W", "_", false),
        ("\\W", "‿", true),
        ("\\s+", " \t\n\r\u{A0}\u{3000}", true), ("\\s", "\u{200B}", false), ("\\S", "x", true), ("\\p{Lu}", "É", true),
        ("\\p{Lu}", "é", false), ("\\P{Lu}", "é", true), ("\\pL", "ß", true), ("\\PL", "1", true),
        ("\\p{N}+", "1Ⅷ½", true),
        ("\\p{Nd}", "½", false), ("\\p{P}+", "!?-_«»", true), ("\\p{S}+", "+€^©", true), ("\\p{Z}", "\u{2028}", true),
        ("\\p{M}", "\u{301}", true), ("\\p{Sc}", "€", true), ("\\p{Sc}", "+", false), ("\\p{C}", "\0", true),
        // Escapes
        ("\\n\\t\\r\\f\\v", "\n\t\r\u{C}\u{B}", true), ("\\.", ".", true), ("\\.", "x", false), ("\\\\", "\\", true),
        ("\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\/", "*+?()[]{}|^$/", true), ("\\x41", "A", true),
        ("\\x{1F600}", "😀", true),
        ("\\u00E9", "é", true), ("\\x{0}", "\0", true), ("\\x{41}{2}", "AA", true), ("\\ ", " ", true),
        // Flags
        ("(?i)straße", "STRASSE", true), ("(?i)[a-z]+", "ABC", true), ("(?ims)A.", "a\n", true),
        ("(?i)(?s)A.", "a\n", true),
        // In earnest
        ("[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+", "ann.lee+x@mail.example.org", true),
        ("[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+", "ann.lee@mail", false), ("(19|20)\\d\\d-[01]\\d", "1984-04", true),
        ("(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}", "192.168.0.255", true),
        ("(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}", "192.168.0.256", false),
    ]

    @Test(arguments: table)
    func `an expression matches the whole text`(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(.matches, pattern, text) == expected)
    }

    static let foldedTable: [(String, String, Bool, Bool, Bool)] = [
        // pattern, text, [c], [d], [cd]
        ("björk", "BJÖRK", true, false, true), ("bjork", "björk", false, true, true),
        ("BJORK", "björk", false, false, true),
        ("straße", "STRASSE", true, false, true), ("ß{2}", "SSSS", true, false, true),
        ("[A-Z]", "q", true, false, true),
        ("[a-z]", "Q", true, false, true), ("[^a-z]", "Q", false, true, false), ("[ä-ö]", "É", true, false, true),
        ("[é]", "e", false, true, true), ("[^é]", "e", true, false, false), ("\\x{212A}", "k", true, false, true),
        ("[\\x{212A}]", "K", true, true, true), ("\\p{Lu}", "a", true, false, true),
        ("\\p{Ll}", "A", true, false, true),
        ("\\P{Lu}", "a", false, true, false), ("e\u{301}", "é", true, true, true),
        ("(?:e\u{301}|x)", "É", true, false, true),
        ("\\w", "e\u{301}", true, true, true), ("Σ+", "σςΣ", true, false, true), ("[ß]", "ß", false, true, false),
        ("\u{301}*", "", true, true, true), (".", "e\u{301}", true, true, true),
    ]

    @Test(arguments: foldedTable)
    func `an expression sees the folded text`(
        pattern: String, text: String, small: Bool, bare: Bool, both: Bool
    ) throws {
        #expect(try matches(.matches, pattern, text, .caseInsensitive) == small)
        #expect(try matches(.matches, pattern, text, .diacriticInsensitive) == bare)
        #expect(try matches(.matches, pattern, text, [.caseInsensitive, .diacriticInsensitive]) == both)
    }

    @Test(arguments: ["(a*)*b", "(a|a)*c", "(a+)+b", "(a?){100}a{100}b", "(.*)*(.*)*x", "((a|aa)+)+$b"])
    func `expressions that ruin a backtracking matcher end`(pattern: String) throws {
        let text = String(repeating: "a", count: 10_000)
        #expect(try !matches(.matches, pattern, text))
    }

    @Test func `a text that takes too many steps is given up`() throws {
        let pattern = try TextPattern(TextMatch(.matches, "(a?){100}b"))
        let matcher = TextMatcher(pattern, stepLimit: 1_000)
        #expect {
            try matches(matcher, [UInt8](repeating: UInt8(ascii: "a"), count: 100))
        } throws: {
            ($0 as? GranaryError)?.code == .limit
        }
        #expect(try matches(matcher, Array("b".utf8)))
    }

    @Test func `one matcher answers one text after the other`() throws {
        let matcher = try TextMatcher(TextMatch(.matches, "(ab)*c?", .caseInsensitive))
        let texts = ["ab", "", "abx", "ABABc", "c", "cc", "é", "ab"]
        let answers = try texts.map { try matches(matcher, Array($0.utf8)) }
        #expect(answers == [true, true, false, true, true, false, false, true])
    }

    static let mistakes: [(String, Int, String)] = [
        ("ab)", 3, "no group to close"), ("(ab", 1, "not closed"), ("a(b|(c)", 2, "not closed"),
        ("*a", 1, "nothing to repeat"),
        ("a|+", 3, "nothing to repeat"), ("({2})", 2, "nothing to repeat"), ("a**", 3, "repeats a repetition"),
        ("a*+", 3, "possessive"), ("a{2}{3}", 5, "repeats a repetition"), ("a{", 2, "{3}, {3,} or {3,5}"),
        ("a{,3}", 2, "{3}, {3,} or {3,5}"), ("a{x}", 2, "{3}, {3,} or {3,5}"), ("éa{3,2}", 3, "less than its minimum"),
        ("a{1001}", 3, "at most 1000"), ("a{1,99999999999999999999}", 5, "at most 1000"), ("[]", 1, "empty"),
        ("x[^]", 2, "empty"), ("[abc", 1, "not closed"), ("[b-a]", 2, "ends before"),
        ("[a-\\d]", 2, "from one character"),
        ("[\\d-z]", 4, "range"), ("[a[b]]", 3, "not nested"), ("[a&&b]", 3, "not intersected"),
        ("[a-c-e]", 5, "- stands for itself"),
        ("(a)\\1", 4, "backreferences are not supported"), ("\\k<a>", 1, "backreferences"), ("(?=a)", 1, "lookahead"),
        ("x(?!a)", 2, "lookahead"), ("(?<=a)b", 1, "lookbehind"), ("(?<!a)b", 1, "lookbehind"),
        ("(?<n>a)", 1, "named groups"),
        ("(?P<n>a)", 1, "named groups"), ("(?>a)", 1, "atomic"), ("a(?i)b", 2, "flags stand at the beginning"),
        ("(?x)a", 3, "flags are i, m and s"), ("(?i:a)", 4, "flags are i, m and s"), ("(?i", 4, "closing parenthesis"),
        ("a\\", 2, "nothing after it"), ("\\q", 1, "no meaning"), ("\\Z", 1, "no meaning"), ("\\0", 1, "no meaning"),
        ("[\\b]", 2, "no meaning"),
        ("\\é", 1, "only ASCII"), ("\\x{}", 1, "hexadecimal"), ("\\x4", 1, "hexadecimal"),
        ("\\x{1234567}", 1, "hexadecimal"),
        ("\\x{110000}", 1, "no Unicode scalar"), ("a\\uD800", 2, "no Unicode scalar"), ("\\u12", 1, "hexadecimal"),
        ("\\p{Xx}", 1, "general category"), ("\\p{L", 1, "closing brace"), ("\\p", 1, "general category"),
        ("(?", 1, "after (?"),
    ]

    @Test(arguments: mistakes)
    func `what is wrong with an expression is said with its column`(pattern: String, column: Int, words: String) {
        #expect {
            try TextPattern(TextMatch(.matches, pattern))
        } throws: { error in
            guard let error = error as? GranaryError else { return false }
            let isExpected = error.message.contains("column \(column): ") && error.message.contains(words)
            return error.code == .invalidQuery && isExpected
        }
    }

    @Test func `nesting, length and size have limits`() throws {
        func pattern(nested: Int) -> String {
            String(repeating: "(", count: nested) + "a" + String(repeating: ")", count: nested)
        }
        #expect(try matches(.matches, pattern(nested: 100), "a"))
        #expect(try matches(.matches, String(repeating: "a?", count: 4_999), "aaa"))
        for pattern in [
            pattern(nested: 101), pattern(nested: 5_000), "((a{1000}){1000}){1000}", "(\\p{L}{200}){100}",
            String(repeating: "a", count: 10_001), String(repeating: "(", count: 10_000),
        ] {
            #expect {
                try TextPattern(TextMatch(.matches, pattern))
            } throws: {
                ($0 as? GranaryError)?.code == .invalidQuery
            }
        }
    }

    @Test func `no pattern of random characters does harm`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(31))
        let letters = Array("ab()[]{}|*+?.^$\\-,13dpLx:i&é")
        var valid = 0
        for _ in 0..<20_000 {
            let pattern = String((0..<10).map { _ in letters.randomElement(using: &numbers) ?? "a" })
            do {
                let matcher = try TextMatcher(TextMatch(.matches, pattern, [.caseInsensitive]))
                _ = try matches(matcher, Array("ab1éx".utf8))
                valid += 1
            } catch let error as GranaryError {
                #expect(error.code == .invalidQuery, "\(pattern)")
            }
        }
        #expect(valid > 100)
    }
}
