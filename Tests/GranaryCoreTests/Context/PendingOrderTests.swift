import TestSupport
import Testing

@testable import GranaryCore

/// What an overlay counts and finds first by its kept orders, beside what all of its rows say.
@Suite struct PendingOrderTests {
    private static let songs = 2

    @Test(arguments: (1...12).map(TestSeed.of))
    func `bounds of an attribute count alike at each time`(seed: UInt64) throws {
        var generator = try RequestGenerator(seed: seed)
        let schema = looseMusic(indexed: seed.isMultiple(of: 2))
        let store = try StoreOf(schema)
        try store.write { writer in
            for key in Int64(1)...40 {
                _ = try StoredRow(generator.row(Self.songs, key)).withRow { try writer.insert($0, into: Self.songs) }
            }
        }
        let overlay = store.overlay()
        for key in Int64(20)...60 {
            if generator.number(0...2) == 0 {
                _ = try StoredValue.integer(key).withCell { try overlay.delete($0, from: Self.songs) }
            } else {
                _ = try StoredRow(generator.row(Self.songs, key)).withRow { try overlay.upsert($0, into: Self.songs) }
            }
        }
        let all = try overlay.values(FetchRequest(entity: Self.songs))
        for position in 0..<7 {
            for _ in 0..<12 {
                let parts = (0..<generator.number(1...3)).map { _ in part(position, &generator) }
                let request = FetchRequest(
                    entity: Self.songs, condition: parts.count == 1 ? parts[0] : .all(parts))
                let program = try overlay.withReader {
                    try ConditionProgram(request.condition ?? .always(true), of: Self.songs, in: $0)
                }
                let expected = try all.count { try StoredRow($0).holds(program) }
                for _ in 0..<3 { #expect(try overlay.count(request) == expected, "seed \(seed): \(request)") }
            }
        }
    }

    private func part(_ position: Int, _ generator: inout RequestGenerator) -> ResolvedCondition {
        let comparisons: [Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        let value = position == 0 ? .integer(Int64(generator.number(0...70))) : generator.value(Self.songs, position)
        let comparison = comparisons[generator.number(0...5)]
        guard value != .null || comparison == .equal || comparison == .notEqual else { return .always(false) }
        return .compare(position: position, comparison, value)
    }
}

extension StoredRow {
    fileprivate func holds(_ program: ConditionProgram) throws -> Bool {
        try withExtendedLifetime(self) { try program.holds(cells) }
    }
}
