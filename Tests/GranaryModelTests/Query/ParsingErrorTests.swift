import Testing

@testable import GranaryModel

struct ParsingErrorTests {
    static let errors: [(String, String)] = [
        ("", "Column 1: expected a value."),
        ("rating >=", "Column 10: expected a value after \">=\"."),
        ("rating >= AND b == 1", "Column 11: expected a value after \">=\"."),
        ("rating", "Column 7: expected a comparison such as \"==\" after \"rating\"."),
        ("(a > 1", "Column 7: expected \")\" after \"1\"."),
        ("a > 1)", "Column 6: expected the end or an operator, not \")\"."),
        ("a > 1 b > 2", "Column 7: expected the end or an operator, not \"b\"."),
        ("a > 1 AND", "Column 10: expected a value after \"AND\"."),
        ("a > (b > 1)", "Column 5: expected a value, not a condition."),
        ("(a > 1) + 2 == 3", "Column 1: expected a value, not a condition."),
        ("a < b < c", "Column 7: a condition cannot be compared with \"<\"."),
        ("(a > 1) == 3", "Column 12: a condition is compared with TRUE or FALSE alone."),
        ("NOT a", "Column 6: expected a comparison such as \"==\" after \"a\"."),
        ("a + 1 AND b > 1", "Column 1: expected a condition."),
        ("a ** 2 == 4", "Column 3: there is no operator \"**\". Multiply a value with itself."),
        ("a == 'x", "Column 6: the text that begins here is not closed."),
        (#"a == "\d""#, "Column 7: no such escape. Write \\\\ for a backslash."),
        (#"a == "\u{D800}""#, "Column 7: expected a Unicode scalar as \\u00E9 or \\u{1F600}."),
        ("a == 5x", "Column 7: a number ends before this letter. Put a space or an operator between."),
        ("a == 5.", "Column 8: expected a digit after the point."),
        ("a == 1e", "Column 8: expected the digits of an exponent."),
        ("a == x'0'", "Column 9: expected two digits for each byte."),
        ("a == x'0g'", "Column 9: expected hexadecimal digits."),
        ("a == ~1", "Column 6: \"~\" has no meaning here."),
        ("é == 'é' AND ~", "Column 14: \"~\" has no meaning here."),
        ("a. == 1", "Column 4: expected the name of an attribute after \".\"."),
        ("a IN 5", "Column 6: expected a list such as {1, 2} after \"IN\"."),
        ("a IN {1, 2", "Column 11: expected \",\" or \"}\" after \"2\"."),
        ("a IN {1,}", "Column 9: expected a value after \",\"."),
        ("a BETWEEN {1}", "Column 11: BETWEEN takes two values, not 1."),
        ("a BETWEEN 1 OR 2", "Column 13: expected AND and the upper bound after \"1\"."),
        ("a CONTAINS 5", "Column 12: expected a text after CONTAINS."),
        ("a CONTAINS[x] 'y'", "Column 12: expected [c] for case, [d] for diacritics or [cd] for both."),
        ("a <[c] 'y'", "Column 4: only equality takes [c] and [d]. Compare folded(...) on both sides."),
        ("a IN[c] {1}", "Column 9: IN[c] takes texts alone."),
        (
            "a == %d",
            "Column 6: \"%d\" is no placeholder. Use %@ for a value, %K for a name, $name for an argument by name."
        ),
        (
            "a == %ld",
            "Column 6: \"%ld\" is no placeholder. Use %@ for a value, %K for a name, $name for an argument by name."
        ),
        ("a == %@", "Column 6: there is no argument for this placeholder: 0 were given."),
        ("a == $x", "Column 6: there is no argument named \"x\"."),
        (
            "ANY songs > 3",
            "Column 11: expected an attribute of the related records, or a condition on them in parentheses after \"songs\"."
        ),
        ("ANY songs.@count > 3", "Column 11: ANY takes a relationship, and no aggregate of it."),
        (
            "ANY songs.plays > a",
            "Column 19: the right side of ANY, ALL and NONE is a value. For attributes write ANY relationship (a > b)."
        ),
        ("ANY songs.plays", "Column 16: expected a comparison such as \"==\" after \"plays\"."),
        ("songs.@foo > 3", "Column 7: \"@foo\" is no aggregate. Known are @count, @sum, @avg, @min and @max."),
        ("songs.@sum > 3", "Column 12: expected a point and an attribute after \"@sum\"."),
        ("SUBQUERY(songs, s, s.a > 1).@count > 0", "Column 17: expected a variable such as $x after \",\"."),
        (
            "SUBQUERY(songs, $s, a > 1).@count > 0",
            "Column 21: inside this SUBQUERY attributes are named as $s.name, and no others can be."
        ),
        ("SUBQUERY(songs, $s, $s == 1).@count > 0", "Column 24: expected a point and an attribute after \"$s\"."),
        (
            "SUBQUERY(songs, $s, $s.a > 1) > 0",
            "Column 31: expected .@count or another aggregate of the subquery after \")\"."
        ),
        ("json(a, 'b..c') == 1", "Column 9: The JSON path is not valid at column 3. A key is missing."),
        ("json(a, b) == 1", "Column 9: expected a path in quotes such as \"theme.name\" after \",\"."),
        ("json(a, 'b', date9) == 1", "Column 14: there is no such type. Known are string, int, double and bool."),
        ("year(born == 1", "Column 11: expected \")\" after \"born\"."),
        ("year() == 1", "Column 6: expected a value after \"(\"."),
        ("self == 1", "Column 6: expected a point and an attribute after \"self\"."),
    ]

    @Test(arguments: errors)
    func `an error names the column and what was expected`(text: String, expected: String) throws {
        let error = #expect(throws: GranaryError.self) { try AnyCondition(parsing: text) }
        #expect(error?.message == expected)
        #expect(error?.code == .invalidQuery)
    }

    @Test func `an unknown function is answered with the known ones`() throws {
        let error = #expect(throws: GranaryError.self) { try AnyCondition(parsing: "a == lowercase(b)") }
        #expect(error?.message.hasPrefix("Column 6: there is no function of this name. Known are year, month") == true)
        #expect(error?.message.contains("length, double, decimal, abs, folded, json") == true)
    }

    @Test func `the number of arguments must be right`() throws {
        let more = #expect(throws: GranaryError.self) { try AnyCondition(parsing: "a == %@", arguments: [1, 2]) }
        #expect(more?.message == "The text has 1 placeholders, but there are 2 arguments.")
        let fewer = #expect(throws: GranaryError.self) {
            try AnyCondition(parsing: "a == %@ AND b == %@", arguments: [1])
        }
        #expect(fewer?.message == "Column 18: there is no argument for this placeholder: 1 were given.")
    }

    @Test func `an argument of the wrong form is refused at its place`() throws {
        func message(_ text: String, _ argument: QueryArgument) -> String? {
            #expect(throws: GranaryError.self) { try AnyCondition(parsing: text, arguments: [argument]) }?.message
        }
        #expect(message("a == %@", [1]) == "Column 6: a list of values may follow IN and BETWEEN alone.")
        #expect(message("a == %@", .attribute("b")) == "Column 6: this argument is a name. Use %K for names.")
        #expect(message("%K == 1", 5) == "Column 1: the argument for %K is not the name of an attribute.")
        #expect(message("a IN %@", 5) == "Column 6: expected a list such as {1, 2} after \"IN\".")
        #expect(message("a IN %@", [[1]])?.hasPrefix("Column 6: A list in a query has values in it") == true)
        #expect(message("a == %@", .value(Double.nan))?.hasPrefix("Column 6: NaN cannot be stored") == true)
    }

    @Test(arguments: [
        "(", "!(", "NOT (", "-(", "folded(", "ANY a (", "a + (", "a ?? ", "a IN {(", "a.@sum(",
    ])
    func `nesting without end is refused`(piece: String) throws {
        let error = #expect(throws: GranaryError.self) {
            try AnyCondition(parsing: String(repeating: piece, count: 60_000))
        }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message.contains("nested more than 100 deep") == true)
    }

    @Test func `subqueries inside each other without end are refused`() throws {
        let text = "SUBQUERY(a, $s, " + String(repeating: "SUBQUERY($s.a, $s, ", count: 50_000)
        let error = #expect(throws: GranaryError.self) { try AnyCondition(parsing: text) }
        #expect(error?.message.contains("nested more than 100 deep") == true)
    }

    @Test func `signs and negations without end are counted, not nested`() throws {
        let signs = String(repeating: "-", count: 100_000)
        #expect(try AnyCondition(parsing: "a == \(signs)5").description == "a == 5")
        let negations = String(repeating: "!", count: 100_001)
        #expect(try AnyCondition(parsing: "\(negations)(a == 1)").description == "!a == 1")
    }

    @Test func `a sum of too many terms is refused`() throws {
        let sum = Array(repeating: "a", count: 101).joined(separator: " + ")
        let error = #expect(throws: GranaryError.self) { try AnyCondition(parsing: "\(sum) > 1") }
        #expect(error?.message.contains("nested more than 100 deep") == true)
    }

    @Test func `a hundred parentheses are read`() throws {
        let text = String(repeating: "(", count: 100) + "a == 1" + String(repeating: ")", count: 100)
        #expect(try AnyCondition(parsing: text).description == "a == 1")
    }

    @Test func `a text of more than a megabyte is refused`() throws {
        let error = #expect(throws: GranaryError.self) {
            try AnyCondition(parsing: String(repeating: " ", count: 1 << 20) + "a == 1")
        }
        #expect(error?.message == "The text of a query is longer than 1 MB. Pass lists as arguments.")
    }
}
