import GranaryCore
import Testing

@testable import GranaryKeyValue

/// In a table of 4 000 rows: `half` has 2 values, `tenth` 10, `rare` 1 000, `other` as many as there are rows.
@Suite struct ChoosingTests {
    private func store() throws -> KeyValueStore {
        let names = ["id", "half", "tenth", "rare", "other"]
        let entity = Entity(
            "Row", key: "id", attributes: names.map { Attribute($0, .int64) },
            indexes: [.index("half"), .index("tenth"), .index("rare"), .index("half", "tenth"), .index("other")])
        let store = try newStore(entity)
        try store.write { writer in
            for number in 0..<4000 {
                let row = [number, number % 2, number % 10, number % 1000, number * 7 % 4000]
                try writer.insert(row.map { .integer(Int64($0)) })
            }
        }
        return store
    }

    private func explain(_ request: FetchRequest) throws -> [String] {
        try store().read { try $0.explain(request).lines }
    }

    @Test func `of two equalities the one that fewer rows meet is searched`() throws {
        try #expect(
            explain(request(0, .all([compare(1, .equal, 1), compare(3, .equal, 7)]))) == [
                "search Row using rare (rare = ?)", "filter",
            ])
        try #expect(
            explain(request(0, .all([compare(1, .equal, 1), compare(2, .equal, 7)]))) == [
                "search Row using half_tenth (half = ?, tenth = ?)"
            ])
    }

    @Test func `a short range is preferred to an equality that many rows meet`() throws {
        try #expect(
            explain(request(0, .all([compare(1, .equal, 1), compare(4, .less, 5)]))) == [
                "search Row using other (other < ?)", "filter", "sort by id",
            ])
    }

    @Test func `reading in order until enough is found is preferred to sorting many rows`() throws {
        try #expect(explain(request(0, compare(4, .greater, 5), limit: 3)) == ["scan Row", "filter"])
        try #expect(
            explain(request(0, compare(4, .greater, 3990), limit: 3)) == [
                "search Row using other (other > ?)", "sort top 3 by id",
            ])
        try #expect(
            explain(request(0, compare(2, .lessOrEqual, 8), order: [(4, true)], limit: 3)) == [
                "scan Row using other backwards", "filter",
            ])
    }

    @Test func `alternatives are searched for unless another condition leaves fewer rows`() throws {
        let either = ResolvedCondition.any([compare(3, .equal, 7), compare(4, .equal, 9)])
        try #expect(
            explain(request(0, .all([either, compare(1, .equal, 1)]))) == [
                "search Row using rare alone (rare = ?)", "search Row using other alone (other = ?)",
                "look up Row using key", "filter",
            ])
        try #expect(
            explain(request(0, .all([either, compare(4, .less, 1)]))) == [
                "search Row using other (other < ?)", "filter", "sort by id",
            ])
        try #expect(
            explain(request(0, .all([either, compare(0, .less, 3)]))) == [
                "search Row using rare alone (rare = ?, id < ?)", "search Row using other alone (other = ?, id < ?)",
                "look up Row using key",
            ])
    }

    @Test func `whatever is chosen, the answer is the same`() throws {
        try store().read { reader in
            try #expect(
                reader.keys(request(0, .all([compare(1, .equal, 1), compare(3, .equal, 7)]))) == [7, 1007, 2007, 3007])
            try #expect(reader.keys(request(0, compare(4, .greater, 5), limit: 3)) == [1, 2, 3])
            try #expect(
                reader.keys(request(0, compare(2, .lessOrEqual, 8), order: [(4, true)], limit: 3)) == [2857, 1714, 571])
            let either = ResolvedCondition.any([compare(3, .equal, 7), compare(4, .equal, 9)])
            try #expect(reader.keys(request(0, either)) == [7, 1007, 2007, 2287, 3007])
        }
    }
}
