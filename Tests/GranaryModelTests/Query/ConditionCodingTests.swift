import Foundation
import Testing

@testable import GranaryModel
import TestSupport

struct ConditionCodingTests {
    private func json(_ condition: AnyCondition) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(condition), as: UTF8.self)
    }

    private func decoded(_ json: String) throws -> AnyCondition {
        try JSONDecoder().decode(AnyCondition.self, from: Data(json.utf8))
    }

    @Test func `a condition is an object for each node`() throws {
        #expect(
            try json(.compare("rating", .greaterOrEqual, .integer(4)))
                == #"{"attribute":"rating","kind":"compare","operator":">=","value":{"integer":4}}"#)
        #expect(
            try json(AnyCondition(parsing: "NOT ANY songs.plays > 3"))
                == #"{"condition":{"condition":{"kind":"relation","left":{"attribute":"plays","kind":"attribute"},"operator":">","right":{"kind":"literal","number":"3"}},"kind":"exists","relationship":"songs"},"kind":"not"}"#
        )
    }

    @Test func `random conditions are decoded as they were`() throws {
        var random = RandomConditions(numbers: SeededNumbers(seed: TestSeed.of(44)))
        for round in 0..<2_000 {
            let condition = random.condition(round % 5)
            // Text that is not UTF-8 has no form in JSON.
            guard !"\(condition)".contains("\u{FFFD}") else { continue }
            #expect(try decoded(json(condition)) == condition, "\(condition)")
        }
    }

    @Test func `random expressions are decoded as they were`() throws {
        var random = RandomConditions(numbers: SeededNumbers(seed: TestSeed.of(45)))
        for round in 0..<2_000 {
            let expression = random.expression(round % 5)
            guard !"\(expression)".contains("\u{FFFD}") else { continue }
            let data = try JSONEncoder().encode(expression)
            #expect(try JSONDecoder().decode(AnyExpression.self, from: data) == expression, "\(expression)")
        }
    }

    @Test func `a tree takes the builders' form and measures`() throws {
        let term = #"{"kind":"compare","attribute":"a","operator":"==","value":{"integer":1}}"#
        let condition = try decoded(
            #"{"kind":"all","conditions":[{"kind":"all","conditions":[\#(term),\#(term)]},{"kind":"not","condition":{"kind":"not","condition":\#(term)}}]}"#
        )
        let built = AnyCondition.compare("a", .equal, .integer(1))
        #expect(condition == .all([built, built, built]))
        #expect(condition.depth == 2)
        #expect(condition.terms == 3)
    }

    @Test(arguments: [50, 101, 200, 400, 1_000, 100_000])
    func `nesting of any depth is decoded or refused`(depth: Int) throws {
        let term = #"{"kind":"compare","attribute":"a","operator":"==","value":{"integer":1}}"#
        let nots =
            String(repeating: #"{"kind":"exists","relationship":"r","condition":"#, count: depth) + term
            + String(repeating: "}", count: depth)
        if depth < 100 {
            #expect(try decoded(nots).depth == depth + 1)
        } else {
            #expect(throws: (any Error).self) { try decoded(nots) }
        }
        let lists =
            String(repeating: #"{"kind":"any","conditions":["#, count: depth) + term
            + String(repeating: "]}", count: depth)
        if depth < 100 {
            #expect(try decoded(lists).depth == 1)
        } else {
            #expect(throws: (any Error).self) { try decoded(lists) }
        }
    }

    @Test func `a hundred and one levels are refused with the limit's name`() throws {
        let json =
            String(repeating: #"{"kind":"not","condition":"#, count: 100) + #"{"kind":"always","value":true}"#
            + String(repeating: "}", count: 100)
        let error = #expect(throws: GranaryError.self) { try decoded(json) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message == "An encoded condition is nested more than 100 deep.")
    }

    @Test func `too many terms are refused`() throws {
        let term = #"{"kind":"compare","attribute":"a","operator":"==","value":{"integer":1}}"#
        let json = #"{"kind":"any","conditions":[\#(Array(repeating: term, count: 10_001).joined(separator: ","))]}"#
        let error = #expect(throws: GranaryError.self) { try decoded(json) }
        #expect(error?.code == .invalidQuery)
    }

    @Test(arguments: [
        "{}", "[]", "5", #"{"kind":"compare"}"#, #"{"kind":"all"}"#, #"{"kind":"not","condition":5}"#,
        #"{"kind":"compare","attribute":"a","operator":"~","value":{}}"#, #"{"kind":"not","condition":null}"#,
    ])
    func `what is no condition is refused`(json: String) {
        #expect(throws: DecodingError.self) { try decoded(json) }
    }

    @Test func `a kind of a later version is named`() throws {
        let error = #expect(throws: GranaryError.self) { try decoded(#"{"kind":"near"}"#) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains("\"near\"") == true)
    }

    @Test func `a condition that was not valid stays so`() throws {
        let invalid = AnyCondition.invalid(.range, "Too large.", attribute: "a")
        #expect(try decoded(json(invalid)) == invalid)
    }
}
