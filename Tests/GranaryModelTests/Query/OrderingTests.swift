@testable import GranaryCore
import GranaryStoreKit
import Foundation
import Testing

@testable import GranaryModel

struct OrderingTests {
    private let schema = Schema(entities: [
        Entity("Song", key: "id", attributes: [Attribute("id", .int64), Attribute("title", .string)])
    ])

    private func order(_ query: Query<DynamicRecord>) throws -> [FetchRequest.OrderTerm] {
        try FetchRequest(query.untyped, in: schema).order
    }

    private var own: Ordering {
        var ordering = Ordering(attribute: "id")
        ordering.givesWay = true
        return ordering
    }

    @Test func `an order of a list's own gives way to one that is asked for`() throws {
        let list = Request("Song").sorted(by: [own])
        #expect(try order(list) == [.at(0)])
        #expect(try order(list.reversed()) == [.at(0, isDescending: true)])
        #expect(try order(list.sorted(by: "title")) == [.at(1, type: .string)])
        let subquery = AnySubquery("Song", column: .attribute("id"), order: [own, Ordering(attribute: "title")])
        #expect(subquery.order == [Ordering(attribute: "title")])
    }

    @Test func `that an order gives way is kept when it is encoded`() throws {
        let copy = try JSONDecoder().decode(Ordering.self, from: try JSONEncoder().encode(own))
        #expect(copy == own)
        #expect(copy.givesWay)
    }

    @Test func `an order by nothing is none, but for the direction of ties`() throws {
        #expect(try order(Request("Song").reversed()) == [.at(0, isDescending: true)])
        #expect(try order(Request("Song").reversed().reversed()) == [.at(0)])
        let nothing = Ordering(.value(.null), .descending)
        #expect(
            try order(Request("Song").sorted(by: [nothing, Ordering(attribute: "title")]))
                == [.at(1, type: .string)])
    }

    @Test func `none of more values than a list takes is several terms`() {
        let values = (0..<Int64(AnyCondition.maximumListedValues * 2 + 1)).map { StoredValue.integer($0) }
        #expect(AnyCondition.noneOf(values, "id").terms == 3)
        #expect(AnyCondition.noneOf([], "id") == .always(true))
        #expect(AnyCondition.noneOf([.integer(1)], "id") == .not(.among("id", [.integer(1)])))
    }
}

extension FetchRequest.OrderTerm {
    fileprivate static func at(
        _ position: Int, type: AttributeType = .int64, isDescending: Bool = false
    ) -> FetchRequest.OrderTerm {
        FetchRequest.OrderTerm(
            TypedExpression(.attribute(position), type, isOptional: false), isDescending: isDescending)
    }
}
