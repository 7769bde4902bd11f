import GranaryCore
import TestSupport
import Testing

@testable import GranaryKeyValue

/// Conditions and orders over values in memory, written from the definitions and from nothing else.
private enum Reference {
    static func holds(_ condition: ResolvedCondition, _ row: [Value]) -> Bool {
        switch condition {
        case .always(let value): return value
        case .all(let parts): return parts.allSatisfy { holds($0, row) }
        case .any(let parts): return parts.contains { holds($0, row) }
        case .among(let position, let values): return values.contains(row[position])
        case .notAmong(let position, let values): return !values.contains(row[position])
        case .relation, .listed, .text, .amongRows, .toOne, .toMany: return false
        case .compare(let position, let comparison, let value):
            let left = row[position]
            if value == .null { return (comparison == .equal) == (left == .null) }
            if left == .null { return comparison == .notEqual }
            switch comparison {
            case .equal: return left == value
            case .notEqual: return left != value
            case .less: return left < value
            case .lessOrEqual: return left < value || left == value
            case .greater: return value < left
            case .greaterOrEqual: return value < left || left == value
            }
        }
    }

    static func answer(_ request: FetchRequest, _ rows: [[Value]]) -> [[Value]] {
        let matching = rows.filter { row in request.condition.map { holds($0, row) } ?? true }
        let sorted = matching.sorted { left, right in
            for term in request.order {
                guard let position = term.plainPosition, left[position] != right[position] else { continue }
                return (left[position] < right[position]) != term.isDescending
            }
            return (left[0] < right[0]) != (request.order.last?.isDescending ?? false)
        }
        return Array(sorted.dropFirst(request.offset).prefix(request.limit ?? Int.max))
    }
}

private struct Program {
    var random: SeededNumbers
    let keys: AttributeType

    init(seed: UInt64, keys: AttributeType) {
        random = SeededNumbers(seed: seed)
        self.keys = keys
    }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

    mutating func text() -> Value {
        let length = pick([0, 1, 2, 150, 163, 164, 270, 273, 274, 400])
        return (String(repeating: "m", count: length) + pick(["", "a", "b", "\0", "ü"])).value
    }

    mutating func value(_ position: Int) -> Value {
        switch position {
        case 0: return keys == .string ? text() : .integer(Int64.random(in: -30...30, using: &random))
        case 1: return text()
        case 2:
            return pick([
                nil, .integer(.random(in: -3...3, using: &random)), .integer(.random(in: -3...3, using: &random)),
            ])
        case 3: return pick([nil, -1.5, 0.0, 2.5, .real(.infinity)])
        default: return pick([nil, 0, 1])
        }
    }

    mutating func condition(depth: Int) -> ResolvedCondition {
        let position = Int.random(in: 0...4, using: &random)
        switch Int.random(in: 0...(depth > 0 ? 9 : 4), using: &random) {
        case 0, 1, 2:
            let constant = value(position)
            let comparisons: [Comparison] =
                constant == nil
                ? [.equal, .notEqual] : [.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
            return .compare(position: position, pick(comparisons), constant)
        case 3: return .among(position: position, Set((0...3).map { _ in value(position) }).sorted())
        case 4: return .notAmong(position: position, Set((0...2).map { _ in value(position) }).sorted())
        case 5, 6, 7: return .all((0...2).map { _ in condition(depth: depth - 1) })
        case 8: return .any((0...1).map { _ in condition(depth: depth - 1) })
        default: return .always(Int.random(in: 0...3, using: &random) > 0)
        }
    }

    mutating func request() -> FetchRequest {
        GranaryKeyValueTests.request(
            0, Int.random(in: 0...4, using: &random) == 0 ? nil : condition(depth: 2),
            order: (0..<Int.random(in: 0...3, using: &random)).map { _ in (pick([0, 1, 2, 3, 4]), pick([true, false]))
            },
            limit: pick([nil, nil, 0, 1, 5, 20, Int.max]), offset: pick([0, 0, 0, 3, 200, Int.max]))
    }
}

@Suite struct RandomQueryTests {
    private func entity(_ keys: AttributeType, _ indexes: [Index]) -> Entity {
        Entity(
            "Thing", key: "k",
            attributes: [
                Attribute("k", keys), Attribute("t", .string), Attribute("i", .int16, isOptional: true),
                Attribute("d", .double, isOptional: true), Attribute("b", .bool, isOptional: true),
            ], indexes: indexes)
    }

    @Test(arguments: [AttributeType.int64, .string], (1...3).map(TestSeed.of))
    func `every plan gives the rows that a filter over all of them gives`(keys: AttributeType, seed: UInt64) throws {
        let plain = try newStore(entity(keys, []))
        let indexed = try newStore(
            entity(
                keys,
                [.index("t"), .index("i", "t"), .index("d", "b", "i"), .index("b"), .index("i", "k"), .index("t", "i")])
        )
        var program = Program(seed: seed, keys: keys)
        var rows: [Value: [Value]] = [:]
        for round in 0..<6 {
            // Some rows come, some change, some go.
            let writers = [try plain.beginWrite(), try indexed.beginWrite()]
            for _ in 0..<25 {
                let row = (0...4).map { program.value($0) }
                rows[row[0]] = row
                for writer in writers { try writer.upsert(row) }
            }
            for key in rows.keys.sorted() where Int.random(in: 0...9, using: &program.random) == 0 {
                rows[key] = nil
                for writer in writers { try writer.delete(key) }
            }
            for writer in writers { try writer.commit() }
            let all = Array(rows.values)
            let readers = [try plain.beginRead(CancellationFlag()), try indexed.beginRead(CancellationFlag())]
            for _ in 0..<150 {
                let request = program.request()
                let expected = Reference.answer(request, all)
                for reader in readers {
                    let found = try reader.values(request, count: 5)
                    if found != expected {
                        Issue.record(
                            """
                            seed \(seed), round \(round): \(request)
                            \(try reader.explain(request))
                            gives \(found.map(\.[0])), not \(expected.map(\.[0]))
                            """)
                        return
                    }
                    let count = try reader.count(request)
                    if count != expected.count {
                        Issue.record(
                            "seed \(seed): counted \(count), not \(expected.count): \(request)\n\(try reader.explain(request))"
                        )
                        return
                    }
                }
            }
            for reader in readers { reader.end() }
        }
        #expect(try indexed.verify() == [])
    }
}
