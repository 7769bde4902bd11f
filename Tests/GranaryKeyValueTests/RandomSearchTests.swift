import GranaryCore
import TestSupport
import Testing

@testable import GranaryKeyValue

// The same rows in two stores, one with indexes and one without. The one without reads every row and checks it, so it says
// what is right; tables are large enough that ways to answer are chosen by counting.

/// Thing (k, t, i?, d?, parent?: Parent), Parent (k, t, i?).
private struct Things {
    var random: SeededNumbers
    let keys: AttributeType

    init(seed: UInt64, keys: AttributeType) {
        random = SeededNumbers(seed: seed)
        self.keys = keys
    }

    func schema(isIndexed: Bool) -> [Entity] {
        let parent = Entity(
            "Parent", key: "k",
            attributes: [Attribute("k", .int64), Attribute("t", .string), Attribute("i", .int16, isOptional: true)],
            indexes: isIndexed ? [.index("t", folding: .caseInsensitive), .index("i", "t")] : [])
        let thing = Entity(
            "Thing", key: "k",
            attributes: [
                Attribute("k", keys), Attribute("t", .string), Attribute("i", .int16, isOptional: true),
                Attribute("d", .double, isOptional: true),
                Attribute(
                    "parent", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Parent", onDelete: .nullify)),
            ],
            indexes: isIndexed
                ? [
                    .index("t"), .index("i", "t"), .index("d", "i"), .index("t", folding: .caseInsensitive),
                    .index("i", "t", folding: [.caseInsensitive, .diacriticInsensitive]),
                ] : [])
        return [thing, parent]
    }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func words() -> String {
        let length = pick([0, 1, 1, 2, 3, 162, 271, 272, 300])
        return pick(["", "A", "a", "é", "É", "b\0", "ss", "ß"]) + String(repeating: pick(["m", "M"]), count: length)
            + pick(["", "x", "X", "Ä", "\0"])
    }

    mutating func value(_ entity: Int, _ position: Int) -> Value {
        switch (entity, position) {
        case (0, 0):
            return keys == .string ? .string(words() + String(number(0...300))) : .integer(Int64(number(0...4000)))
        case (1, 0): return .integer(Int64(number(1...40)))
        case (_, 1): return .string(words())
        case (0, 2): return pick([nil, .integer(Int64(number(-20...20))), .integer(Int64(number(-2...2)))])
        case (1, 2): return pick([nil, .integer(Int64(number(0...5)))])
        case (0, 3): return pick([nil, 0.5, .real(Double(number(0...900)))])
        default: return pick([nil, .integer(Int64(number(1...40)))])
        }
    }

    mutating func term(_ entity: Int, depth: Int) -> ResolvedCondition {
        let position = number(0...(entity == 0 ? 4 : 2))
        let folding: TextFolding = pick([[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]])
        let folded = ResolvedExpression.function(
            .folded(folding.isEmpty ? .caseInsensitive : folding), .attribute(1))
        switch number(0...(depth > 0 ? 13 : 9)) {
        case 0, 1, 2:
            let value = value(entity, position)
            let order: [Comparison] = [.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
            return .compare(position: position, value == nil ? pick([.equal, .notEqual]) : pick(order), value)
        case 3:
            return .among(position: position, Set((0...4).map { _ in value(entity, position) }).sorted())
        case 4, 5, 6:
            let kind: TextMatch.Kind = pick([.equal, .prefix, .prefix, .like, .contains])
            let beginning = String(words().prefix(pick([0, 1, 2, 400])))
            let match = TextMatch(kind, kind == .like ? beginning + pick(["*", "?*", ""]) : beginning, folding)
            return .text(.attribute(1), match, isNegated: number(0...5) == 0)
        case 7:
            let value = (try? TextFolding.caseInsensitive.folded(Array(words().utf8))).map { Value.text($0) } ?? "m"
            return .relation(folded, pick([.equal, .less, .greaterOrEqual]), .value(value), isNegated: false)
        case 8: return .listed(folded, Set([value(entity, 1), "am", "ß"]).sorted(), isNegated: false)
        case 9 where entity == 0:
            return .toOne(position: 4, entity: 1, term(1, depth: depth - 1), isNegated: number(0...4) == 0)
        case 9: return .toMany(entity: 0, position: 4, term(0, depth: depth - 1), isNegated: number(0...4) == 0)
        case 10: return .all((0...1).map { _ in term(entity, depth: depth - 1) })
        default: return .any((0...number(1...2)).map { _ in term(entity, depth: depth - 1) })
        }
    }

    mutating func request() -> FetchRequest {
        let entity = pick([0, 0, 0, 1])
        var condition: ResolvedCondition?
        if number(0...9) > 0 {
            condition = number(0...2) == 0 ? .all((0...1).map { _ in term(entity, depth: 2) }) : term(entity, depth: 2)
        }
        var request = FetchRequest(
            entity: entity, condition: condition, limit: pick([nil, nil, 1, 7, 50]), offset: pick([0, 0, 3]))
        for _ in 0..<number(0...2) {
            let position = number(0...2)
            let type: AttributeType = position == 1 ? .string : position == 0 && entity == 0 ? keys : .int64
            let expression: ResolvedExpression =
                position == 1 && number(0...1) == 0
                ? .function(
                    .folded(pick([.caseInsensitive, [.caseInsensitive, .diacriticInsensitive]])), .attribute(1))
                : .attribute(position)
            request.order.append(
                FetchRequest.OrderTerm(
                    TypedExpression(expression, type, isOptional: position == 2), isDescending: pick([true, false]),
                    nilsFirst: pick([nil, nil, true, false])))
        }
        return request
    }
}

@Suite struct RandomSearchTests {
    @Test(arguments: [AttributeType.int64, .string], [1, 2].map(TestSeed.of))
    func `indexes change how a request is answered, not what the answer is`(keys: AttributeType, seed: UInt64) throws {
        var things = Things(seed: seed, keys: keys)
        let stores = try [false, true].map { isIndexed in
            try KeyValueStore(
                engine: SortedArrayEngine(), schema: Schema(entities: things.schema(isIndexed: isIndexed)))
        }
        let parents = (1...40).map { [.integer(Int64($0)), things.value(1, 1), things.value(1, 2)] as [Value] }
        var rows = (0..<1800).map { _ in (0...4).map { things.value(0, $0) } }
        // Some come twice, and replace what was there.
        rows += rows.prefix(50).map { row in [row[0]] + (1...4).map { things.value(0, $0) } }
        for store in stores {
            try store.write { writer in
                for parent in parents { try writer.insert(parent, into: 1) }
                for row in rows { try writer.upsert(row) }
                for row in rows.prefix(30) { try writer.delete(row[0]) }
            }
        }
        let readers = try stores.map { try $0.beginRead(CancellationFlag()) }
        defer { for reader in readers { reader.end() } }
        var searches = 0
        for round in 0..<120 {
            let request = things.request()
            let width = request.entity == 0 ? 5 : 3
            let expected = try readers[0].values(request, count: width)
            let found = try readers[1].values(request, count: width)
            let count = try readers[1].count(request)
            let plan = try readers[1].explain(request)
            if found != expected || count != expected.count {
                Issue.record("seed \(seed), round \(round): \(count) counted of \(expected.count): \(request)\n\(plan)")
                return
            }
            if plan.steps.first?.action == .search { searches += 1 }
        }
        #expect(searches > 40)
        #expect(try stores[1].verify() == [])
    }
}
