import GranaryCore
import TestSupport
import Testing

@testable import GranaryKeyValue

@Suite struct RandomExpressionTests {
    @Test(arguments: [true, false], (1...4).map(TestSeed.of))
    func `every request gives what its definition says`(indexed: Bool, seed: UInt64) throws {
        var generator = try RequestGenerator(seed: seed)
        let store = try KeyValueStore(engine: SortedArrayEngine(), schema: RandomMusic.schema(indexed: indexed))
        var tables: [[[Value]]] = [[], [], []]
        func fill(_ entity: Int, _ count: Int, _ width: Int) {
            for key in 1...count {
                tables[entity].append([.integer(Int64(key))] + (1..<width).map { generator.value(entity, $0) })
            }
        }
        fill(1, 4, 3)
        fill(0, 8, 5)
        fill(2, 24, 7)
        try store.write { transaction in
            for entity in [1, 0, 2] { for row in tables[entity] { try transaction.insert(row, into: entity) } }
        }
        let model = RequestModel(tables: tables)
        var checked = 0
        try store.read { reader in
            for round in 0..<700 {
                let entity = generator.number(0...2)
                let request = generator.request(entity, 3)
                let width = request.columns?.count ?? [5, 3, 7][entity]
                let isRight = try compare(
                    { try model.answer(request) },
                    {
                        let rows = try reader.values(request, count: width)
                        let count = try reader.count(request)
                        return count == rows.count ? rows : [[.integer(Int64(count))]]
                    })
                let aggregates = generator.aggregates(entity)
                let areRight = try compare({ try model.answer(aggregates) }, { try reader.groups(aggregates) })
                if isRight == false || areRight == false {
                    Issue.record("seed \(seed), round \(round): \(isRight == false ? "\(request)" : "\(aggregates)")")
                    return
                }
                checked += (isRight == nil ? 0 : 1) + (areRight == nil ? 0 : 1)
            }
        }
        #expect(checked > 1200)
    }

    /// Nil if arithmetic failed: which of several rows it fails for first is not defined.
    private func compare(_ expected: () throws -> [[Value]], _ found: () throws -> [[Value]]) throws -> Bool? {
        do {
            return try expected() == found()
        } catch let error as GranaryError where error.code == .overflow || error.code == .range {
            return nil
        }
    }
}
