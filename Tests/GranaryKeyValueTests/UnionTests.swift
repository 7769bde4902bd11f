import GranaryCore
import Testing

@testable import GranaryKeyValue

@Suite struct UnionTests {
    @Test func `alternatives on one index are ranges of one scan`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, .any([compare(3, .greaterOrEqual, 1990), compare(3, .equal, nil)]))) == [
                "search Song using year (year = ? or year >= ?)", "sort by id", "-> 1 2 7",
            ])
        try #expect(
            answer(
                store,
                request(1, .any([compare(3, .equal, 1967), .among(position: 3, [1968, 1997])]), order: [(3, true)]))
                == ["search Song using year (year in (3)) backwards", "-> 2 1 8 5"])
        try #expect(
            answer(store, request(1, .any([compare(3, .less, 1972), compare(3, .greater, 1967)]), order: [(3, false)]))
                == ["search Song using year (year < ? or year > ?)", "-> 5 8 3 4 6 1 2"])
        try store.read { reader in
            let request = request(1, .any([compare(3, .greaterOrEqual, 1990), compare(3, .equal, nil)]))
            try #expect(reader.count(request) == 3)
        }
    }

    @Test func `alternatives on different indexes are a union, each row once, by key`() throws {
        let store = try PlannedMusic.store()
        let either = ResolvedCondition.any([compare(3, .equal, 1972), compare(2, .equal, 2), text(1, .prefix, "Hun")])
        try #expect(
            answer(store, request(1, either)) == [
                "search Song using artist alone (artist = ?)", "search Song using year alone (year = ?)",
                "search Song using title alone (title begins with ?)", "look up Song using key", "-> 2 3 4 6",
            ])
        try #expect(answer(store, request(1, either, order: [(0, true)], limit: 2, offset: 1)).last == "-> 4 3")
        try store.read { try #expect($0.count(request(1, either)) == 4) }
        try store.read { try #expect($0.count(request(1, either, limit: 2, offset: 3)) == 1) }
        try #expect(
            answer(store, request(1, either, order: [(4, false)], limit: 2)).suffix(2) == [
                "sort top 2 by plays", "-> 4 6",
            ])
    }

    @Test func `what stands beside alternatives is checked, or part of each search`() throws {
        let store = try PlannedMusic.store()
        let either = ResolvedCondition.any([compare(3, .equal, 1972), compare(3, .equal, nil), compare(2, .equal, 1)])
        try #expect(
            answer(store, request(1, .all([compare(4, .greater, 1), either]))) == [
                "search Song using artist alone (artist = ?)", "search Song using year alone (year in (2))",
                "look up Song using key", "filter", "-> 1 2 3 6",
            ])
        try store.read { try #expect($0.count(request(1, .all([compare(4, .greater, 1), either]))) == 4) }
    }

    @Test func `an alternative that no index answers leaves a scan`() throws {
        let store = try PlannedMusic.store()
        try #expect(
            answer(store, request(1, .any([compare(3, .equal, 1972), compare(4, .equal, 0)]))) == [
                "scan Song", "filter", "-> 3 4 6 7 8",
            ])
    }

    @Test func `a long list is one scan`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            for number in 0..<20_000 where number % 2 == 0 {
                try writer.insert([.integer(Int64(number)), .string("n\(number)"), nil, nil])
            }
        }
        let keys = (0..<20_000).map { Value.integer($0) }
        let names = keys.compactMap { if case .integer(let key) = $0 { Value.string("n\(key)") } else { nil } }.sorted()
        try store.read { reader in
            try #expect(
                reader.explain(request(0, .among(position: 1, names))).lines == [
                    "search Artist using name (name in (20000))", "sort by id",
                ])
            try #expect(reader.count(request(0, .among(position: 1, names))) == 10_000)
            try #expect(reader.count(request(0, .among(position: 0, keys))) == 10_000)
        }
    }

    @Test func `nils at the other end are the last range of the index`() throws {
        let store = try PlannedMusic.store()
        func years(_ isDescending: Bool, nilsFirst: Bool, _ condition: ResolvedCondition? = nil) throws -> [String] {
            var request = request(1, condition)
            let year = TypedExpression(.attribute(3), .int32, isOptional: true)
            request.order = [FetchRequest.OrderTerm(year, isDescending: isDescending, nilsFirst: nilsFirst)]
            return try answer(store, request)
        }
        try #expect(years(false, nilsFirst: true) == ["scan Song using year", "-> 7 5 8 3 4 6 1 2"])
        try #expect(years(false, nilsFirst: false) == ["scan Song using year", "-> 5 8 3 4 6 1 2 7"])
        try #expect(years(true, nilsFirst: true) == ["scan Song using year backwards", "-> 7 2 1 6 4 3 8 5"])
        try #expect(years(true, nilsFirst: false) == ["scan Song using year backwards", "-> 2 1 6 4 3 8 5 7"])
        let either = ResolvedCondition.any([compare(3, .greater, 1980), compare(3, .equal, nil)])
        try #expect(
            years(false, nilsFirst: false, either) == ["search Song using year (year = ? or year > ?)", "-> 1 2 7"])
    }
}
