import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

/// id, name, rating, plays: two ratings, nils among them, names of which two begin alike far beyond what a key holds.
private let long = String(repeating: "x", count: 400)

private func charts(indexed: Bool = true) throws -> KeyValueStore {
    var entity = artist
    if !indexed { entity.indexes = [] }
    let store = try newStore(entity)
    try store.write { writer in
        let rows: [[Value]] = [
            [1, "b", 4.5, 10], [2, "a", nil, 20], [3, (long + "2").value, 4.5, nil], [4, (long + "1").value, 2.0, 30],
            [5, "a", 2.0, 10], [6, (long + "2").value, nil, nil],
        ]
        for row in rows { try writer.insert(row) }
    }
    return store
}

private let name = TypedExpression(.attribute(1), .string, isOptional: false)
private let rating = TypedExpression(.attribute(2), .double, isOptional: true)
private let plays = TypedExpression(.attribute(3), .int32, isOptional: true)

@Suite struct AggregateTests {
    private func answer(
        _ groups: [TypedExpression], _ aggregates: [Aggregation.Aggregate], _ rows: FetchRequest = request(),
        indexed: Bool = true
    ) throws -> [[Value]] {
        try charts(indexed: indexed).read {
            try $0.groups(rows.aggregated(groups: groups, aggregates))
        }
    }

    @Test func `without groups there is one row`() throws {
        try #expect(
            answer(
                [],
                [
                    .init(.count, nil), .init(.count, plays), .init(.sum, plays), .init(.average, plays),
                    .init(.minimum, rating), .init(.maximum, rating),
                ]) == [[6, 4, 70, 17.5, 2.0, 4.5]])
    }

    @Test func `of nothing the count and the sum are 0 and the rest is nil`() throws {
        let nothing = request(0, .compare(position: 0, .greater, 99))
        try #expect(
            answer(
                [], [.init(.count, nil), .init(.sum, plays), .init(.average, plays), .init(.maximum, rating)], nothing)
                == [[0, 0, nil, nil]])
        try #expect(answer([rating], [.init(.count, nil)], nothing) == [])
        try #expect(answer([], [.init(.minimum, rating)], request(0, .compare(position: 2, .equal, nil))) == [[nil]])
    }

    @Test(arguments: [true, false]) func `the ends of an index are the least and the greatest`(indexed: Bool) throws {
        let ends: [Aggregation.Aggregate] = [.init(.minimum, name), .init(.maximum, name), .init(.count, nil)]
        try #expect(answer([], ends, indexed: indexed) == [["a", (long + "2").value, 6]])
        let rated = request(0, .compare(position: 2, .equal, 2.0))
        try #expect(answer([], ends, rated, indexed: indexed) == [["a", (long + "1").value, 2]])
    }

    @Test(arguments: [true, false]) func `nil is a group like any other`(indexed: Bool) throws {
        try #expect(answer([rating], [.init(.count, nil)], indexed: indexed) == [[nil, 2], [2.0, 2], [4.5, 2]])
        try #expect(
            answer([rating], [.init(.count, nil), .init(.sum, plays)], indexed: indexed)
                == [[nil, 2, 20], [2.0, 2, 40], [4.5, 2, 10]])
    }

    @Test(arguments: [true, false]) func `texts longer than a key are groups of their own`(indexed: Bool) throws {
        try #expect(
            answer([name], [.init(.count, nil)], indexed: indexed)
                == [["a", 2], ["b", 1], [(long + "1").value, 1], [(long + "2").value, 2]])
    }

    @Test func `groups by several expressions`() throws {
        let length = TypedExpression(.function(.length, .attribute(1)), .int64, isOptional: false)
        try #expect(
            answer([length, rating], [.init(.count, nil)]) == [
                [1, nil, 1], [1, 2.0, 1], [1, 4.5, 1], [401, nil, 1], [401, 2.0, 1], [401, 4.5, 1],
            ])
    }

    @Test func `equal values count once if they are to be distinct`() throws {
        try #expect(
            answer(
                [],
                [
                    .init(.count, plays, isDistinct: true), .init(.sum, plays, isDistinct: true), .init(.sum, plays),
                    .init(.count, name, isDistinct: true),
                ]) == [[3, 60, 70, 4]])
    }

    @Test func `limit and offset are taken before aggregating`() throws {
        let rows = request(order: [(0, true)], limit: 3, offset: 1)
        try #expect(answer([], [.init(.count, nil), .init(.sum, plays)], rows) == [[3, 40]])
        try #expect(answer([], [.init(.count, nil)], request(limit: 4)) == [[4]])
        try #expect(answer([], [.init(.minimum, name)], request(limit: 1)) == [["b"]])
    }

    @Test func `counts for the first attribute of an index read the index alone, ends one row`() throws {
        let counts = request().aggregated(groups: [rating], [.init(.count, nil)])
        var sums = counts
        sums.aggregation?.aggregates = [.init(.sum, plays)]
        try charts().read { reader in
            try #expect(
                reader.explain(counts).lines == ["scan Artist using rating_name alone", "group by rating"])
            try #expect(
                reader.explain(request().aggregated([.init(.maximum, name)])).lines
                    == ["scan Artist using name backwards until 1 found"])
            try #expect(reader.explain(sums).lines == ["scan Artist", "group by rating"])
        }
    }

    @Test func `a sum that does not fit names the entity`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            for key in [Int64.max, Int64.max - 1] { try writer.insert([.integer(key), "", nil, nil]) }
        }
        let key = TypedExpression(.attribute(0), .int64, isOptional: false)
        let sum = request().aggregated([.init(.sum, key)])
        try store.read { reader in
            let error = #expect(throws: GranaryError.self) { _ = try reader.groups(sum) }
            #expect(error?.code == .overflow)
            #expect(error?.entity == "Artist")
        }
    }

    @Test func `a cursor of groups ends with the next write`() throws {
        let writer = try charts().beginWrite()
        defer { writer.end() }
        let cursor = try writer.rows(
            request().aggregated(groups: [rating], [.init(.count, nil)]))
        #expect(try cursor.next() != nil)
        try writer.delete(1)
        #expect(code { _ = try cursor.next() != nil } == .cursorInvalidated)
    }
}
