import GranaryCore
import Testing

@testable import GranaryKeyValue

@Suite struct PlannerTests {
    private func explain(_ request: FetchRequest) throws -> [String] {
        try newStore(artist).read { try $0.explain(request).lines }
    }
    private func compare(_ position: Int, _ comparison: Comparison, _ value: Value) -> ResolvedCondition {
        .compare(position: position, comparison, value)
    }

    @Test func `without a condition the rows are scanned by key`() throws {
        try #expect(explain(request()) == ["scan Artist"])
        try #expect(explain(request(order: [(0, true)])) == ["scan Artist backwards"])
    }

    @Test func `the key is searched`() throws {
        try #expect(explain(request(0, compare(0, .equal, 5))) == ["search Artist using key (id = ?)"])
        try #expect(explain(request(0, .among(position: 0, [1, 2]))) == ["search Artist using key (id in (2))"])
        let range = ResolvedCondition.all([compare(0, .greater, 1), compare(0, .lessOrEqual, 9)])
        try #expect(explain(request(0, range)) == ["search Artist using key (id > ?, id <= ?)"])
    }

    @Test func `an index is searched`() throws {
        try #expect(
            explain(request(0, compare(1, .greater, "a"), order: [(1, false)])) == [
                "search Artist using name (name > ?)"
            ])
        try #expect(
            explain(request(0, compare(1, .greater, "a"))) == [
                "search Artist using name (name > ?)", "sort by id",
            ])
        try #expect(
            explain(request(0, .all([compare(2, .equal, 4.5), compare(1, .less, "b")]), order: [(1, false)]))
                == ["search Artist using rating_name (rating = ?, name < ?)"])
        try #expect(
            explain(request(0, compare(2, .equal, nil), order: [(1, true)])) == [
                "search Artist using rating_name (rating = ?) backwards"
            ])
    }

    @Test func `equality is preferred to a list, a list to a range`() throws {
        let condition = ResolvedCondition.all([compare(0, .greater, 3), compare(1, .equal, "a")])
        try #expect(explain(request(0, condition)) == ["search Artist using name (name = ?, id > ?)"])
        let list = ResolvedCondition.all([compare(0, .greater, 3), .among(position: 2, [1.0, 2.0])])
        try #expect(
            explain(request(0, list)) == [
                "search Artist using rating_name (rating in (2))", "filter", "sort by id",
            ])
    }

    @Test func `after equal values an index is searched by key`() throws {
        let later = ResolvedCondition.all([compare(1, .equal, "a"), compare(0, .greater, 3), compare(0, .less, 9)])
        try #expect(
            explain(request(0, later, order: [(1, true)], limit: 5)) == [
                "search Artist using name (name = ?, id > ?, id < ?) backwards"
            ])
        let first = ResolvedCondition.all([compare(2, .equal, nil), compare(0, .lessOrEqual, 3)])
        try #expect(
            explain(request(0, first)) == ["search Artist using rating_name (rating = ?)", "filter", "sort by id"])
        let never = ResolvedCondition.all([compare(1, .equal, "a"), compare(0, .greater, .integer(.max))])
        try #expect(explain(request(0, never)) == ["nothing Artist"])
    }

    @Test func `what no index has is a filter`() throws {
        try #expect(explain(request(0, compare(3, .equal, 5))) == ["scan Artist", "filter"])
        try #expect(explain(request(0, compare(1, .notEqual, "a"))) == ["scan Artist", "filter"])
    }

    @Test func `an order that an index gives is not sorted`() throws {
        try #expect(explain(request(order: [(1, false)], limit: 20)) == ["scan Artist using name until 20 found"])
        try #expect(
            explain(request(order: [(2, true), (1, true)], limit: 2)) == [
                "scan Artist using rating_name backwards until 2 found"
            ])
        try #expect(
            explain(request(order: [(2, true), (1, false)], limit: 2)) == [
                "scan Artist", "sort top 2 by rating desc, name",
            ])
        try #expect(
            explain(request(order: [(3, false)], limit: 20, offset: 5)) == ["scan Artist", "sort top 25 by plays"])
    }

    @Test func `a condition that never holds reads nothing`() throws {
        try #expect(explain(request(0, .always(false))) == ["nothing Artist"])
        let never = ResolvedCondition.all([compare(0, .greater, 9), compare(0, .less, 3)])
        try #expect(explain(request(0, never)) == ["nothing Artist"])
        try #expect(
            explain(request(0, compare(0, .greater, .integer(.max)))) == ["nothing Artist"])
    }
}
