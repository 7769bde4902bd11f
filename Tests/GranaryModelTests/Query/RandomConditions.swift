@testable import GranaryModel
import TestSupport

/// Trees of every kind of node, as the builders make them.
struct RandomConditions {
    var numbers: SeededNumbers

    private mutating func one<Element>(_ elements: [Element], or other: Element) -> Element {
        elements.randomElement(using: &numbers) ?? other
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }

    mutating func condition(_ depth: Int) -> AnyCondition {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 13), using: &numbers) {
        case 0: return .always(Bool.random(using: &numbers))
        case 1, 2: return .compare(path(), comparison(), value())
        case 3: return .among(path(), (0..<Int.random(in: 0...3, using: &numbers)).map { _ in value() })
        case 4: return .text(expression(0), match())
        case 5: return .relation(expression(depth - 1), comparison(), expression(depth - 1))
        case 6:
            return .listed(
                expression(depth - 1), (0..<Int.random(in: 0...3, using: &numbers)).map { _ in expression(depth - 1) })
        case 7: return .exists(path(), chance(4) ? nil : condition(depth - 1))
        case 8: return .amongRows(expression(depth - 1), subquery(depth - 1))
        case 9: return .not(condition(depth - 1))
        case 10: return .all((0..<Int.random(in: 0...3, using: &numbers)).map { _ in condition(depth - 1) })
        case 11: return .any((0..<Int.random(in: 0...3, using: &numbers)).map { _ in condition(depth - 1) })
        default: return .text(expression(depth - 1), match())
        }
    }

    mutating func expression(_ depth: Int) -> AnyExpression {
        switch Int.random(in: 0..<(depth == 0 ? 4 : 11), using: &numbers) {
        case 0, 1: return .attribute(path())
        case 2: return .value(value())
        case 3: return .literal(literal())
        case 4, 5:
            return .arithmetic(
                expression(depth - 1), one(ArithmeticOperator.allCases, or: .add), expression(depth - 1))
        case 6: return .ifNil(expression(depth - 1), expression(depth - 1))
        case 7, 8: return .function(function(), expression(depth - 1))
        case 9: return .negated(expression(depth - 1))
        default:
            let kind = one(AggregateFunction.allCases, or: .count)
            return .aggregate(
                kind, of: kind == .count && Bool.random(using: &numbers) ? nil : expression(depth - 1),
                over: chance(4) ? nil : path(), where: Bool.random(using: &numbers) ? condition(depth - 1) : nil,
                isDistinct: chance(3))
        }
    }

    private mutating func subquery(_ depth: Int) -> AnySubquery {
        let order = (0..<Int.random(in: 0...2, using: &numbers)).map { _ in
            Ordering(
                expression(depth), one([.ascending, .descending], or: .ascending),
                nils: one([nil, .first, .last], or: nil))
        }
        return AnySubquery(
            one(["Other", "in", "odd name"], or: "Other"), column: expression(depth),
            condition: Bool.random(using: &numbers) ? condition(depth) : nil, order: order,
            limit: one([nil, 5, -1], or: nil), offset: one([0, 7], or: 0),
            isDistinct: chance(3))
    }

    private mutating func function() -> AnyExpression.Function {
        let folding = one([[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]], or: [] as TextFolding)
        return one(
            [
                .date(one(DateComponent.allCases, or: .year), offset: one([0, 3600, -60], or: 0)), .folded(folding),
                .length, .real, .absolute, .json(path(inside: "a.\"odd key\"[3]"), .int64),
                .json(path(inside: "é"), .string),
                .json(path(inside: "a"), .scaledDecimal(places: 2)),
            ], or: .length)
    }

    private func path(inside text: String) -> JSONPath {
        do {
            return try JSONPath(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private mutating func match() -> TextMatch {
        let patterns: [[UInt8]] = [[], Array("x".utf8), Array("\"'\\\n\0é`".utf8), [0xFF, 0x00]]
        return TextMatch(
            one(TextMatch.Kind.allCases, or: .equal), utf8: one(patterns, or: []),
            one([[], .caseInsensitive, .diacriticInsensitive], or: []))
    }

    private mutating func literal() -> AnyExpression.Literal {
        one(
            [
                .null, .bool(true), .bool(false), .number("0"), .number("1"), .number("-4.50"), .number("1e9"),
                .number("odd"), .number("--1"), .number("5 "), .string(""), .string("it's \"so\"\\ \u{301}😀\t"),
                .number(""), .number("-"), .date(0.5), .date(-.infinity),
            ], or: .null)
    }

    private mutating func value() -> StoredValue {
        one(
            [
                .null, .integer(0), .integer(1), .integer(.min), .integer(.max), .real(0.1), .real(-.infinity),
                .real(.leastNonzeroMagnitude), .real(-1e300), .string("x"), .string("\"\r\n\\"), .text([0xC3, 0x28]),
                .bytes([]),
                .bytes([0, 255]),
            ], or: .null)
    }

    private mutating func comparison() -> Comparison { one(Comparison.allCases, or: .equal) }

    private mutating func path() -> String {
        one(
            [
                "a", "a.b.c", "in", "x", "NOT.a", "a.not", "self", "self.a", "songs.isEmpty", "isEmpty", "odd name",
                "where", "distinct", "select", "`", "a..b", "", "5", "é", "year", "folded", "%K", "$s",
            ], or: "a")
    }
}
