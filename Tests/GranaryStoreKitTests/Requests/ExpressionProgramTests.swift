import Testing

@testable import GranaryStoreKit

/// One entity and no other records: id, name, count?, weight?, born?, profile?, price?.
private final class Alone: RelatedRows {
    func entity(at position: Int) throws -> Entity {
        Entity(
            "Thing", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("count", .int64, isOptional: true),
                Attribute("weight", .double, isOptional: true), Attribute("born", .date, isOptional: true),
                Attribute("profile", .json, isOptional: true), Attribute("price", .decimal, isOptional: true),
            ])
    }
    func lookup(of entity: Int) throws -> any RowLookup { throw GranaryError(.unknownEntity, "There is none.") }
    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows {
        throw GranaryError(.unknownEntity, "There is none.")
    }
    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws {}
}

private func decimal(_ magnitude: UInt128, _ exponent: Int) throws -> StoredValue {
    .bytes(try DecimalNumber(magnitude: magnitude, exponent: exponent, isNegative: false).bytes)
}

private func row() throws -> HeldCells {
    HeldCells([
        .integer(1), .string("Äbc"), .integer(7), .null, .real(0), .string("{\"n\":[1,{\"s\":\"x\"}]}"),
        try decimal(25, -1),
    ])
}

private func value(_ expression: ResolvedExpression) throws -> StoredValue {
    let program = try ExpressionProgram(expression, of: 0, in: Alone())
    return try row().withCells { cells in
        guard let base = cells.baseAddress else { return .null }
        // Twice: what a program keeps of one row must not show in the next.
        _ = try program.value(base)
        return StoredValue(try program.value(base))
    }
}

private func holds(_ condition: ResolvedCondition) throws -> Bool {
    let program = try ConditionProgram(condition, of: 0, in: Alone())
    return try row().withCells { cells in
        guard let base = cells.baseAddress else { return false }
        return try program.holds(base)
    }
}

@Suite struct ExpressionProgramTests {
    private let count = ResolvedExpression.attribute(2)
    private let weight = ResolvedExpression.attribute(3)

    @Test func `attributes and values are themselves`() throws {
        try #expect(value(count) == .integer(7))
        try #expect(value(.value(.string("a"))) == .string("a"))
        try #expect(value(.value(.null)) == .null)
    }

    @Test func `arithmetic is nested, and nil goes through`() throws {
        let sum = ResolvedExpression.arithmetic(.add, count, .value(.integer(1)), .integer)
        try #expect(value(.arithmetic(.multiply, sum, sum, .integer)) == .integer(64))
        try #expect(value(.arithmetic(.divide, .function(.real, count), .value(.real(2)), .real)) == .real(3.5))
        try #expect(value(.arithmetic(.add, weight, .value(.real(2)), .real)) == .null)
        try #expect(value(.arithmetic(.multiply, .attribute(6), .attribute(6), .decimal)) == decimal(625, -2))
        try #expect(value(.arithmetic(.add, .attribute(6), .value(.null), .decimal)) == .null)
    }

    @Test func `the second of ifNil is computed only where the first is nil`() throws {
        let inverse = ResolvedExpression.arithmetic(.divide, count, .value(.integer(0)), .integer)
        try #expect(value(.ifNil(count, inverse)) == .integer(7))
        try #expect(value(.ifNil(weight, .ifNil(.value(.null), .value(.real(1))))) == .real(1))
        #expect(throws: GranaryError.self) { try value(.ifNil(.value(.null), inverse)) }
    }

    @Test func `texts, dates and JSON are looked into`() throws {
        try #expect(value(.function(.length, .attribute(1))) == .integer(3))
        try #expect(
            value(.function(.folded([.caseInsensitive, .diacriticInsensitive]), .attribute(1))) == .string("abc"))
        try #expect(value(.function(.date(.year, offset: -1), .attribute(4))) == .integer(2000))
        try #expect(value(.function(.date(.year, offset: 0), weight)) == .null)
        try #expect(value(.function(.json(JSONPath("n[1].s"), .text), .attribute(5))) == .string("x"))
        try #expect(value(.function(.json(JSONPath("n[0]"), .text), .attribute(5))) == .null)
    }

    @Test func `an error names the entity`() throws {
        let tooLarge = ResolvedExpression.arithmetic(.add, count, .value(.integer(.max)), .integer)
        let error = #expect(throws: GranaryError.self) { try value(tooLarge) }
        #expect(error?.code == .overflow)
        #expect(error?.entity == "Thing")
    }

    @Test(arguments: Comparison.allCases) func `nil equals nil alone and has no order`(comparison: Comparison) throws {
        let none = ResolvedExpression.value(.null)
        for isNegated in [false, true] {
            let nils = ResolvedCondition.relation(weight, comparison, none, isNegated: isNegated)
            try #expect(holds(nils) == ((comparison == .equal) != isNegated))
            let one = ResolvedCondition.relation(weight, comparison, .value(.real(1)), isNegated: isNegated)
            try #expect(holds(one) == ((comparison == .notEqual) != isNegated))
            let other = ResolvedCondition.relation(.value(.real(1)), comparison, weight, isNegated: isNegated)
            try #expect(holds(other) == ((comparison == .notEqual) != isNegated))
        }
    }

    @Test func `an integer and a real compare exactly`() throws {
        let large = ResolvedExpression.value(.integer(1 << 53 + 1))
        let near = ResolvedExpression.value(.real(0x1p53))
        try #expect(holds(.relation(large, .greater, near, isNegated: false)))
        try #expect(!holds(.relation(large, .equal, near, isNegated: false)))
        try #expect(holds(.relation(count, .equal, .value(.real(7)), isNegated: false)))
    }

    @Test func `a list has nil if nil is listed`() throws {
        for isNegated in [false, true] {
            try #expect(holds(.listed(weight, [.null, .real(1)], isNegated: isNegated)) != isNegated)
            try #expect(holds(.listed(weight, [.real(1)], isNegated: isNegated)) == isNegated)
            try #expect(holds(.listed(count, [.integer(3), .integer(7)], isNegated: isNegated)) != isNegated)
        }
    }

    @Test func `a pattern does not match nil, and its negation does`() throws {
        let match = TextMatch(.prefix, "äB", [.caseInsensitive])
        let nothing = ResolvedExpression.value(.null)
        for isNegated in [false, true] {
            try #expect(holds(.text(.attribute(1), match, isNegated: isNegated)) != isNegated)
            try #expect(holds(.text(nothing, TextMatch(.contains, ""), isNegated: isNegated)) == isNegated)
        }
        #expect(throws: GranaryError.self) {
            try holds(.text(.attribute(1), TextMatch(.matches, "("), isNegated: false))
        }
    }
}
