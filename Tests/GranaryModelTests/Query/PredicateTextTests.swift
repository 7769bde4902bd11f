import Testing

@testable import GranaryModel
import TestSupport

struct PredicateTextTests {
    @Test func `every kind of value prints in a form that keeps its type`() {
        #expect(AnyCondition.compare("a", .equal, .integer(5)).predicateText == "a == integer(5)")
        #expect(AnyCondition.compare("a", .less, .real(4.5)).predicateText == "a < real(4.5)")
        #expect(AnyCondition.compare("a", .equal, .null).predicateText == "a == nil")
        #expect(
            AnyCondition.among("a", [.string("x\"y"), .bytes([0, 255])]).predicateText
                == #"a IN {text("x\"y"), x'00ff'}"#)
        #expect(
            AnyCondition.relation(.attribute("a"), .greater, .literal(.number("4.50"))).predicateText == "a > 4.50")
    }

    @Test func `a condition prints as it would be written`() throws {
        func printed(_ text: String) throws -> String { try AnyCondition(parsing: text).predicateText }
        #expect(try printed("a>1&&(b>2||c>3)") == "a > 1 AND (b > 2 OR c > 3)")
        #expect(try printed("not any songs.plays > 3") == "NOT ANY songs (plays > 3)")
        #expect(try printed("all songs.plays > 3") == "ALL songs (plays > 3)")
        #expect(try printed("songs.isEmpty") == "NOT songs.@count > 0")
        #expect(try printed("a - (b - c) * 2 ?? 1 == 0") == "a - (b - c) * 2 ?? 1 == 0")
        #expect(try printed("-a + -(b * 2) > -5") == "-a + (-(b * 2)) > -5")
        #expect(try printed("-(-a) == 0 - 5 AND b == -integer(5)") == "-(-a) == 0 - 5 AND b == -integer(5)")
        #expect(try printed("a - date(0.5) > 1") == "a - date(0.5) > 1")
        #expect(try printed("name ==[cd] 'x'") == #"name ==[cd] "x""#)
        #expect(try printed("songs.@sum(plays where plays > 3) > 1") == "songs.@sum(plays WHERE plays > 3) > 1")
        #expect(try printed("json:int(s, 'a.b') == 1") == #"json(s, "a.b", int64) == 1"#)
        #expect(
            try printed("a in (select b from C where d == 1 order by e desc limit 2)")
                == "a IN (SELECT b FROM C WHERE d == 1 ORDER BY e DESC LIMIT 2)")
    }

    @Test(arguments: ParsingTests.conditions)
    func `what was read prints so that it reads the same`(text: String, description: String) throws {
        let condition = try AnyCondition(parsing: text)
        #expect(try AnyCondition(parsing: condition.predicateText) == condition)
    }

    @Test func `random conditions print so that they read the same`() throws {
        var random = RandomConditions(numbers: SeededNumbers(seed: TestSeed.of(42)))
        for round in 0..<4_000 {
            let condition = random.condition(round % 5)
            if case .invalid = condition.root { continue }
            let text = condition.predicateText
            #expect(try AnyCondition(parsing: text) == condition, "\(text)")
        }
    }

    @Test func `random expressions print so that they read the same`() throws {
        var random = RandomConditions(numbers: SeededNumbers(seed: TestSeed.of(43)))
        for round in 0..<4_000 {
            let expression = random.expression(round % 5)
            let text = expression.predicateText
            #expect(try AnyExpression(parsing: text) == expression, "\(text)")
        }
    }

    @Test func `the deepest conditions print so that they read the same`() throws {
        let term = AnyCondition.compare("a", .equal, .integer(1))
        var mixed = term
        var nested = term
        var sum = AnyExpression.attribute("a")
        while mixed.depth < AnyCondition.maximumDepth - 1 {
            mixed = mixed.depth.isMultiple(of: 2) ? .any([.not(mixed), term]) : .all([.not(mixed), term])
        }
        while nested.depth < AnyCondition.maximumDepth { nested = .exists("a", nested) }
        while sum.depth < AnyCondition.maximumDepth - 1 { sum = .arithmetic(.attribute("b"), .subtract, sum) }
        for condition in [mixed, nested, .relation(sum, .equal, .attribute("c"))] {
            #expect(condition.depth > 90)
            #expect(try AnyCondition(parsing: condition.predicateText) == condition)
        }
    }

    @Test func `a condition that is not valid is refused when it is read`() {
        let invalid = AnyCondition.invalid(.range, "Too large.")
        #expect(invalid.predicateText == "<range>")
        #expect(throws: GranaryError.self) { try AnyCondition(parsing: invalid.predicateText) }
    }
}
