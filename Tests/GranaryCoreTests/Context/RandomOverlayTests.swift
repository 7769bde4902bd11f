import GranaryCore
import TestSupport
import Testing

/// What an overlay answers, beside a store that holds what the overlay shows.
@Suite struct RandomOverlayTests {
    static let entities: [[Int]] = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]

    @Test(arguments: RandomOverlayTests.entities, (1...3).map(TestSeed.of))
    func `changes laid over a store are as if they were in it`(entities: [Int], seed: UInt64) throws {
        try check([entities], seed: seed, rounds: 125)
    }

    @Test(arguments: RandomOverlayTests.entities, [4, 5].map(TestSeed.of))
    func `so are changes over changes`(entities: [Int], seed: UInt64) throws {
        try check([[0, 2], entities], seed: seed, rounds: 75)
    }

    private func check(_ levels: [[Int]], seed: UInt64, rounds: Int) throws {
        var generator = try RequestGenerator(seed: seed)
        let schema = looseMusic(indexed: seed.isMultiple(of: 2))
        var tables = generator.tables()
        let (store, below) = try memoryReader(schema, tables)
        defer { try? store.close() }
        defer { below.end() }
        var overlay = below
        for entities in levels {
            overlay = OverlayReader(overlay, generator.change(&tables, entities: entities, schema), schema)
        }
        let (other, merged) = try memoryReader(schema, tables)
        defer { try? other.close() }
        defer { merged.end() }

        for entity in 0...2 {
            for key in Int64(0)...33 {
                #expect(try overlay.values(.integer(key), of: entity) == merged.values(.integer(key), of: entity))
            }
        }
        var checked = 0
        for round in 0..<rounds {
            let request = generator.request(generator.number(0...2), 3)
            let aggregates = generator.aggregates(generator.number(0...2))
            let rowsAreRight = try areEqual({ try merged.values(request) }, { try overlay.values(request) })
            let countIsRight = try areEqual({ try merged.count(request) }, { try overlay.count(request) })
            let groupsAreRight = try areEqual({ try merged.groups(aggregates) }, { try overlay.groups(aggregates) })
            for case (false?, let what) in [
                (rowsAreRight, "rows of \(request)"), (countIsRight, "count of \(request)"),
                (groupsAreRight, "\(aggregates)"),
            ] {
                Issue.record("seed \(seed), changed \(levels), round \(round): \(what)")
                return
            }
            _ = try overlay.explain(request)
            _ = try overlay.explain(aggregates)
            checked += [rowsAreRight, countIsRight, groupsAreRight].count { $0 != nil }
        }
        #expect(checked > rounds * 5 / 2)
    }

    /// Nil if arithmetic failed: for which of several rows, and whether for one that has changed, is not defined.
    private func areEqual<T: Equatable>(_ expected: () throws -> T, _ found: () throws -> T) throws -> Bool? {
        do {
            return try expected() == found()
        } catch let error as GranaryError where error.code == .overflow || error.code == .range {
            return nil
        }
    }
}
