import GranaryStoreKit
import Testing

@testable import GranaryModel

struct ConditionTests {
    private let entity = Entity(
        "Thing", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("count", Int?.self), Attribute("size", Int.self),
            Attribute("weight", Double?.self),
        ])

    private func resolved(_ condition: AnyCondition) throws -> ResolvedCondition {
        try QueryResolver(schema: Schema(entities: [entity])).condition(condition.root, of: 0)
    }

    @Test func `a negated order holds of nil too`() throws {
        let less = AnyCondition.compare("count", .less, .integer(5))
        #expect(
            try resolved(.not(less))
                == .any([.compare(position: 1, .greaterOrEqual, .integer(5)), .compare(position: 1, .equal, .null)]))
        #expect(
            try resolved(.not(.compare("size", .less, .integer(5))))
                == .compare(position: 2, .greaterOrEqual, .integer(5)))
    }

    @Test func `negation goes down to the terms by De Morgan`() throws {
        let both = AnyCondition.all([.compare("size", .equal, .integer(1)), .compare("id", .greater, .integer(2))])
        #expect(
            try resolved(.not(both))
                == .any([
                    .compare(position: 2, .notEqual, .integer(1)), .compare(position: 0, .lessOrEqual, .integer(2)),
                ]))
    }

    @Test func `an order with nil holds of nothing and its negation of everything`() throws {
        #expect(try resolved(.compare("count", .less, .null)) == .always(false))
        #expect(try resolved(.not(.compare("count", .less, .null))) == .always(true))
        #expect(try resolved(.compare("size", .notEqual, .null)) == .always(true))
    }

    @Test func `an integer compares exactly with a double that is not whole`() throws {
        #expect(
            try resolved(.compare("size", .greater, .real(2.5))) == .compare(position: 2, .greaterOrEqual, .integer(3)))
        #expect(
            try resolved(.compare("size", .lessOrEqual, .real(-2.5)))
                == .compare(position: 2, .lessOrEqual, .integer(-3)))
        #expect(try resolved(.compare("size", .equal, .real(2.5))) == .always(false))
        #expect(try resolved(.compare("count", .notEqual, .real(2.5))) == .always(true))
        #expect(try resolved(.compare("count", .less, .real(.infinity))) == .compare(position: 1, .notEqual, .null))
    }

    @Test func `a double compares exactly with an integer it cannot hold`() throws {
        let odd = (Int64(1) << 53) + 1
        #expect(try resolved(.compare("weight", .equal, .integer(odd))) == .always(false))
        #expect(
            try resolved(.compare("weight", .less, .integer(odd))) == .compare(position: 3, .lessOrEqual, .real(0x1p53))
        )
        #expect(
            try resolved(.compare("weight", .greater, .integer(odd)))
                == .compare(position: 3, .greaterOrEqual, .real((0x1p53).nextUp)))
    }

    @Test func `a list is sorted, without repetitions and without what cannot match`() throws {
        let list = AnyCondition.among("size", [.integer(3), .real(1), .integer(3), .real(0.5), .null])
        #expect(try resolved(list) == .among(position: 2, [.integer(1), .integer(3)]))
        #expect(try resolved(.among("size", [])) == .always(false))
        #expect(try resolved(.not(.among("count", [.null]))) == .notAmong(position: 1, [.null]))
    }

    @Test func `a value of another kind is refused with the attribute's name`() throws {
        let error = #expect(throws: GranaryError.self) { try resolved(.compare("size", .equal, .string("1"))) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.attributes == ["size"])
    }

    @Test func `nesting without end becomes an error, not a crash`() throws {
        var condition = AnyCondition.compare("size", .equal, .integer(1))
        for round in 0..<200_000 {
            let term = AnyCondition.compare("size", .equal, .integer(2))
            condition = round.isMultiple(of: 2) ? .all([condition, term]) : .any([condition, term])
        }
        let error = #expect(throws: GranaryError.self) { try resolved(condition) }
        #expect(error?.code == .invalidQuery)
    }

    @Test func `conditions side by side do not nest`() {
        let term = AnyCondition.compare("size", .equal, .integer(1))
        let chain = (0..<500).reduce(AnyCondition.always(true)) { chain, _ in .all([chain, term]) }
        #expect(chain.depth == 2)
    }

    @Test func `a condition prints as it is written`() {
        let condition = AnyCondition.any([
            .all([.compare("size", .greater, .integer(1)), .not(.compare("count", .equal, .null))]),
            .among("size", [.integer(4)]),
        ])
        #expect(condition.description == "(size > 1 && !count == nil) || size in [4]")
    }
}
