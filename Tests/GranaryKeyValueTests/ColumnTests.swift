import GranaryCore
import Testing

@testable import GranaryKeyValue

private let name = TypedExpression(.attribute(1), .string, isOptional: false)
private let rating = TypedExpression(.attribute(2), .double, isOptional: true)
private let plays = TypedExpression(.attribute(3), .int32, isOptional: true)

private func filled() throws -> KeyValueStore {
    let store = try newStore(artist)
    try store.write { writer in
        let rows: [[Value]] = [
            [1, "b", 4.5, 10], [2, "a", nil, 20], [3, "b", 4.5, nil], [4, "c", 2.0, 30], [5, "a", nil, 10],
        ]
        for row in rows { try writer.insert(row) }
    }
    return store
}

@Suite struct ColumnTests {
    private func rows(
        _ columns: [TypedExpression], distinct: Bool = false, order: [FetchRequest.OrderTerm] = [], limit: Int? = nil,
        offset: Int = 0
    ) throws -> [[Value]] {
        var request = FetchRequest(entity: 0, order: order, limit: limit, offset: offset)
        request.columns = columns
        request.isDistinct = distinct
        return try filled().read { reader in
            let rows = try reader.values(request, count: columns.count)
            try #expect(reader.count(request) == rows.count)
            return rows
        }
    }

    @Test func `columns are computed from the row`() throws {
        let twice = TypedExpression(
            .arithmetic(.multiply, .attribute(3), .value(2), .integer), .int64, isOptional: true)
        let shown = TypedExpression(.ifNil(.attribute(2), .value(0.0)), .double, isOptional: false)
        try #expect(
            rows([name, twice, shown]) == [
                ["b", 20, 4.5], ["a", 40, 0.0], ["b", nil, 4.5], ["c", 60, 2.0], ["a", 20, 0.0],
            ])
    }

    @Test func `an expression that is not needed is not computed`() throws {
        let inverse = ResolvedExpression.arithmetic(.divide, .value(1), .value(0), .integer)
        try #expect(
            rows([TypedExpression(.ifNil(.attribute(0), inverse), .int64, isOptional: false)], limit: 2) == [[1], [2]])
    }

    @Test func `distinct rows are in the order of their columns`() throws {
        try #expect(rows([rating, name], distinct: true) == [[nil, "a"], [2.0, "c"], [4.5, "b"]])
        try #expect(rows([name], distinct: true) == [["a"], ["b"], ["c"]])
        try #expect(rows([plays], distinct: true) == [[nil], [10], [20], [30]])
    }

    @Test func `distinct rows are ordered by a column first, and cut afterwards`() throws {
        let down = FetchRequest.OrderTerm(rating, isDescending: true)
        let nilsFirst = FetchRequest.OrderTerm(rating, isDescending: true, nilsFirst: true)
        try #expect(
            rows([plays, rating], distinct: true, order: [down])
                == [[nil, 4.5], [10, 4.5], [30, 2.0], [10, nil], [20, nil]])
        try #expect(rows([rating], distinct: true, order: [nilsFirst]) == [[nil], [4.5], [2.0]])
        try #expect(rows([rating], distinct: true, order: [down], limit: 1, offset: 1) == [[2.0]])
        try #expect(rows([rating], distinct: true, limit: 0) == [])
        try #expect(rows([rating], distinct: true, offset: 9) == [])
    }

    @Test func `distinct values of an index are read from it`() throws {
        try filled().read { reader in
            var names = request()
            names.isDistinct = true
            names.columns = [name]
            try #expect(
                reader.explain(names).lines == ["scan Artist using name alone", "distinct (name)", "sort by name"])
            names.columns = [plays]
            try #expect(reader.explain(names).lines == ["scan Artist", "distinct (plays)", "sort by plays"])
        }
    }

    @Test func `nils come where the order says`() throws {
        func keys(_ isDescending: Bool, _ nilsFirst: Bool?) throws -> [Value] {
            let term = FetchRequest.OrderTerm(rating, isDescending: isDescending, nilsFirst: nilsFirst)
            return try filled().read { try $0.keys(FetchRequest(entity: 0, order: [term])) }
        }
        try #expect(keys(false, nil) == [2, 5, 4, 1, 3])
        try #expect(keys(false, false) == [4, 1, 3, 2, 5])
        try #expect(keys(true, nil) == [3, 1, 4, 5, 2])
        try #expect(keys(true, true) == [5, 2, 3, 1, 4])
    }

    @Test func `rows are ordered by what is computed, ties by key in the last direction`() throws {
        let half = TypedExpression(
            .arithmetic(.divide, .attribute(3), .value(20), .integer), .int64, isOptional: true)
        try filled().read { reader in
            let up = FetchRequest.OrderTerm(half, isDescending: false)
            try #expect(reader.keys(FetchRequest(entity: 0, order: [up])) == [3, 1, 5, 2, 4])
            let down = FetchRequest.OrderTerm(half, isDescending: true)
            try #expect(reader.keys(FetchRequest(entity: 0, order: [down])) == [4, 2, 5, 1, 3])
            try #expect(reader.keys(FetchRequest(entity: 0, order: [down], limit: 2, offset: 1)) == [2, 5])
            try #expect(
                reader.explain(FetchRequest(entity: 0, order: [up], limit: 2)).lines
                    == ["scan Artist", "sort top 2 by (... / ...)"])
        }
    }
}
