import Foundation
import Testing

@testable import GranaryModel

struct ParsingTests {
    /// A text, and the condition it is, in Swift's spelling.
    static let conditions: [(String, String)] = [
        // Comparisons
        (#"rating >= 4.5 AND genre.name CONTAINS[cd] "rock""#, #"rating >= 4.5 && genre.name contains[cd] "rock""#),
        ("a = 1", "a == 1"),
        ("a == 1", "a == 1"),
        ("a != 1", "a != 1"),
        ("a <> 1", "a != 1"),
        ("a < 1", "a < 1"),
        ("a <= 1", "a <= 1"),
        ("a =< 1", "a <= 1"),
        ("a > 1", "a > 1"),
        ("a >= 1", "a >= 1"),
        ("a => 1", "a >= 1"),
        ("1 < a", "1 < a"),
        ("a == b", "a == b"),
        ("a==-1", "a == -1"),
        ("a == +1", "a == 1"),
        ("a == 1.50e-3", "a == 1.50e-3"),
        ("a == nil", "a == nil"),
        ("a != NULL", "a != nil"),
        ("a == YES", "a == true"),
        ("a == no", "a == false"),
        ("a == TRUE", "a == true"),
        ("a == 'it\\'s'", #"a == "it's""#),
        (#"a == "\u00E9\u{1F600}""#, #"a == "é😀""#),
        ("a == x'00ff'", "a == x'00ff'"),
        ("a == integer(5)", "a == 5"),
        ("`in` == 1 AND #or == 2", "in == 1 && or == 2"),
        ("self.a == SELF.b", "a == b"),
        ("år == 1", "år == 1"),
        // Ranges and lists
        ("a BETWEEN {1, 5}", "a >= 1 && a <= 5"),
        ("a between 1 and 5", "a >= 1 && a <= 5"),
        ("a BETWEEN (1, 5) OR b BETWEEN 1 AND 2 AND c == 3", "(a >= 1 && a <= 5) || (b >= 1 && b <= 2 && c == 3)"),
        ("a IN {1, 2}", "a in [1, 2]"),
        ("a IN (1, 2)", "a in [1, 2]"),
        ("a IN [1, 'x', nil]", #"a in [1, "x", nil]"#),
        ("a IN {}", "a in []"),
        ("NOT a IN {1}", "!a in [1]"),
        ("a IN [c]", "a in [c]"),
        ("a IN[c] {'x', 'y'}", #"a ==[c] "x" || a ==[c] "y""#),
        ("a IN (SELECT b FROM Other)", "a in (b of Other)"),
        (
            "a IN (select b from Other where c > 1 order by d desc nils last, e limit 3 offset 2)",
            "a in (b of Other where c > 1 sorted by -d nils last, e limit 3 offset 2)"
        ),
        // Texts
        ("a BEGINSWITH 'x'", #"a prefix "x""#),
        ("a endswith[c] 'x'", #"a suffix[c] "x""#),
        ("a LIKE[d] 'x*'", #"a like[d] "x*""#),
        (#"a MATCHES "\\d+""#, #"a matches "\d+""#),
        ("a ==[c] 'x'", #"a ==[c] "x""#),
        ("a !=[dc] 'x'", #"!a ==[cd] "x""#),
        ("a ==[c] b", "folded[c](a) == folded[c](b)"),
        ("a ==[c] nil", "a == nil"),
        // Logic
        ("a > 1 AND b > 2 OR c > 3", "(a > 1 && b > 2) || c > 3"),
        ("a > 1 && (b > 2 || c > 3)", "a > 1 && (b > 2 || c > 3)"),
        ("NOT a > 1 AND b > 2", "!a > 1 && b > 2"),
        ("!(a > 1 AND b > 2)", "!(a > 1 && b > 2)"),
        ("NOT NOT !a > 1", "!a > 1"),
        ("!!(a > 1)", "a > 1"),
        ("(a > 1) == FALSE", "!a > 1"),
        ("TRUEPREDICATE", "true"),
        ("a > 1 OR FALSEPREDICATE", "a > 1 || false"),
        ("NOT TRUE", "false"),
        // Arithmetic and functions
        ("a + b * 2 - 1 > 3", "((a + (b * 2)) - 1) > 3"),
        ("(a + b) * 2 > -c", "((a + b) * 2) > -c"),
        ("-a == -5", "-a == -5"),
        ("-(a + b) * -2 < - -a", "(-(a + b) * -2) < a"),
        ("-(-a) == -year(b)", "--a == -b.year"),
        ("a - -b == 0 - c", "(a - -b) == -c"),
        ("0 - 5 == -(5)", "(0 - 5) == (0 - 5)"),
        ("-songs.@count < -a ?? 1", "-songs.count() < (-a ?? 1)"),
        ("a - date(0.5) > 1", "(a - date(0.5)) > 1"),
        ("a > date(-1)", "a > -1.0"),
        ("a - b - c == a / b * c % d", "((a - b) - c) == (((a / b) * c) % d)"),
        ("a.in % 2 == a.not.where", "(a.in % 2) == a.not.where"),
        ("a % 2 == 0", "(a % 2) == 0"),
        ("a - -1 / 2 == 0", "(a - (-1 / 2)) == 0"),
        ("a ?? b ?? 1 == 2", "(a ?? (b ?? 1)) == 2"),
        ("ifnil(a, 1 + 2) == 2", "(a ?? (1 + 2)) == 2"),
        ("year(born) == 1967 AND Month(born) < 3", "born.year == 1967 && born.month < 3"),
        ("weekday(born, -3600) == 1", "born.weekday(-3600) == 1"),
        ("length(name) > 3", "name.length > 3"),
        ("ABS(-a) > 3", "abs(-a) > 3"),
        ("folded(name) < 'b'", #"folded[cd](name) < "b""#),
        ("folded[c](name) < 'b'", #"folded[c](name) < "b""#),
        ("double(a) / b > 0.5", "(double(a) / b) > 0.5"),
        ("json(s, 'theme.name') == 'x'", #"s->theme.name == "x""#),
        ("year == 1 AND json == 2 AND count == 3", "year == 1 && json == 2 && count == 3"),
        // Relationships
        ("ANY songs.plays > 3", "any songs (plays > 3)"),
        ("some artist.songs.title CONTAINS 'x'", #"any artist.songs (title contains "x")"#),
        ("ALL songs.plays > 3", "!any songs (!plays > 3)"),
        ("NONE songs.plays BETWEEN {1, 2}", "!any songs (plays >= 1 && plays <= 2)"),
        ("NOT ANY songs.plays IN {1, 2}", "!any songs (plays in [1, 2])"),
        ("ANY songs (plays > 3 AND title == 'x') OR a == 1", #"any songs (plays > 3 && title == "x") || a == 1"#),
        ("ALL songs (ANY tags.name == 'x')", #"!any songs (!any tags (name == "x"))"#),
        ("songs.isEmpty", "!songs is not empty"),
        ("!a.songs.isEmpty AND b == 1", "a.songs is not empty && b == 1"),
        ("songs.@count == 0", "!songs is not empty"),
        ("songs.@count >= 1", "songs is not empty"),
        ("0 < songs.@count", "songs is not empty"),
        ("songs.@count > 3", "songs.count() > 3"),
        ("artist.songs.@sum.plays > 3", "artist.songs.sum(plays) > 3"),
        ("songs.@avg.album.price < songs.@max.price", "songs.average(album.price) < songs.maximum(price)"),
        ("songs.@min(plays * 2) == 4", "songs.minimum((plays * 2)) == 4"),
        ("songs.@count(DISTINCT genre WHERE plays > 3) > 1", "songs.count(distinct genre where plays > 3) > 1"),
        ("@sum.plays > 3", "sum(plays) > 3"),
        (
            "SUBQUERY(songs, $s, $s.plays > 3 AND $s.title CONTAINS 'x').@count > 0",
            #"any songs (plays > 3 && title contains "x")"#
        ),
        ("SUBQUERY(songs, $s, $s.plays > 3).@count == 0", "!any songs (plays > 3)"),
        ("SUBQUERY(songs, $s, $s.plays > 3).@count > 2", "songs.count(where plays > 3) > 2"),
        ("SUBQUERY(songs, $s, $s.plays > 3).@sum.plays > 9", "songs.sum(plays where plays > 3) > 9"),
        ("SUBQUERY(songs, $s, ANY $s.tags.name == 'x').@count > 0", #"any songs (any tags (name == "x"))"#),
        (
            "SUBQUERY(songs, $s, SUBQUERY($s.tags, $t, $t.x == 1).@count > 1).@count > 0",
            "any songs (tags.count(where x == 1) > 1)"
        ),
    ]

    @Test(arguments: conditions)
    func `a text is the condition that Swift would spell so`(text: String, expected: String) throws {
        #expect(try AnyCondition(parsing: text).description == expected)
    }

    @Test func `a condition in text equals the one that builders make`() throws {
        func parsed(_ text: String, _ arguments: QueryArgument...) throws -> AnyCondition {
            try AnyCondition(parsing: text, arguments: arguments)
        }
        let plays = AnyCondition.compare("plays", .greater, .integer(3))
        #expect(try parsed("rating >= %@", 4.5) == .compare("rating", .greaterOrEqual, .real(4.5)))
        #expect(try parsed("%@ <= rating", 4.5) == .compare("rating", .greaterOrEqual, .real(4.5)))
        #expect(try parsed("name == nil") == .compare("name", .equal, .null))
        #expect(try parsed("id IN %@", [1, 2, 3]) == .among("id", [.integer(1), .integer(2), .integer(3)]))
        #expect(try parsed("id IN {%@, %@}", 1, nil) == .among("id", [.integer(1), .null]))
        #expect(try parsed("%K == %@", .attribute("a.b"), "x") == .compare("a.b", .equal, .string("x")))
        #expect(
            try parsed("name CONTAINS[c] %@", "x")
                == .text(.attribute("name"), TextMatch(.contains, "x", [.caseInsensitive])))
        #expect(try parsed("name LIKE 'a*'") == .text(.attribute("name"), TextMatch(.like, "a*")))
        #expect(try parsed("ANY songs.plays > %@", 3) == .exists("songs", plays))
        #expect(try parsed("NONE songs (plays > %@)", 3) == .not(.exists("songs", plays)))
        #expect(try parsed("ALL songs.plays > %@", 3) == .not(.exists("songs", .not(plays))))
        #expect(try parsed("songs.isEmpty") == .not(.exists("songs")))
        #expect(
            try parsed("songs.@count(WHERE plays > %@) > %@", 3, 5)
                == .relation(.aggregate(.count, over: "songs", where: plays), .greater, .value(.integer(5))))
        #expect(
            try parsed("plays * %@ > skips", 2)
                == .relation(
                    .arithmetic(.attribute("plays"), .multiply, .value(.integer(2))), .greater, .attribute("skips")))
        #expect(
            try parsed("year(born) BETWEEN %@", [1960, 1970])
                == .all([
                    .relation(
                        .function(.date(.year, offset: 0), .attribute("born")), .greaterOrEqual, .value(.integer(1960))),
                    .relation(
                        .function(.date(.year, offset: 0), .attribute("born")), .lessOrEqual, .value(.integer(1970))),
                ]))
        #expect(
            try parsed("json(s, 'a.b', int) == %@", 1)
                == .relation(
                    .function(.json(try JSONPath("a.b"), .int64), .attribute("s")), .equal, .value(.integer(1))))
        #expect(try parsed("json:int(s, 'a.b') == 1") == parsed("json(s, 'a.b', int) == 1"))
    }

    @Test func `arguments by name may be used twice, and lists too`() throws {
        let condition = try AnyCondition(
            parsing: "a > $least AND b > $least AND c IN $list", named: ["least": 3, "list": ["x"]])
        #expect(condition.description == #"a > 3 && b > 3 && c in ["x"]"#)
    }

    @Test func `an empty list and a list of optionals are lists`() throws {
        let none: [Int] = []
        #expect(try AnyCondition(parsing: "a IN %@", arguments: [.list(none)]) == .among("a", []))
        #expect(
            try AnyCondition(parsing: "a IN %@", arguments: [.list([1, nil] as [Int?])])
                == .among("a", [.integer(1), .null]))
    }

    @Test func `a date as an argument stays a date in arithmetic, and is a plain value in a comparison`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        #expect(
            try AnyCondition(parsing: "a > %@ AND b IN {%@}", arguments: [.value(date), .value(date)])
                == .all([.compare("a", .greater, .real(5)), .among("b", [.real(5)])]))
        #expect(
            try AnyCondition(parsing: "a - %@ > %@", arguments: [.value(date), 5.0])
                == .relation(
                    .arithmetic(.attribute("a"), .subtract, .literal(.date(5))), .greater, .value(.real(5))))
    }

    @Test func `a name as an argument may go on in the text`() throws {
        #expect(
            try AnyCondition(
                parsing: "ANY %K > 3 AND %K.@count > 2 AND a.%K == 1",
                arguments: [.attribute("songs.plays"), .attribute("songs"), .attribute("b")]
            ).description == "any songs (plays > 3) && songs.count() > 2 && a.b == 1")
    }

    @Test func `an expression in text is the one that builders make`() throws {
        #expect(try AnyExpression(parsing: "album.title") == .attribute("album.title"))
        #expect(try AnyExpression(parsing: "@count") == .aggregate(.count))
        #expect(try AnyExpression(parsing: "a ?? 'x'") == .ifNil(.attribute("a"), .literal(.string("x"))))
        #expect(try AnyExpression(parsing: "-a").description == "-a")
        #expect(try AnyExpression(parsing: "-(a + b)") == .negated(.arithmetic(.attribute("a"), .add, .attribute("b"))))
        #expect(try AnyExpression(parsing: "-5") == .literal(.number("-5")))
    }

    @Test func `a long chain is read side by side`() throws {
        let text = (0..<9_000).map { "a == \($0)" }.joined(separator: " OR ")
        let condition = try AnyCondition(parsing: text)
        #expect(condition.depth == 3)
        #expect(condition.terms == 9_000)
    }
}
