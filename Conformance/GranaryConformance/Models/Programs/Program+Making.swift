import ConformanceKit
import GranaryCore

extension Program {
    /// A random program: the same for the same seed.
    package static func random(seed: UInt64, steps count: Int) -> Program {
        var maker = ProgramMaker(random: SeededGenerator(seed: seed))
        return Program(steps: (0..<count).map { _ in maker.step() })
    }
}

/// Makes steps of values from small sets, so that keys meet, unique values clash and references hit and miss.
struct ProgramMaker {
    var random: SeededGenerator

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

    mutating func step() -> Program.Step {
        let entity = one(of: [0, 0, 1, 1, 1, 1, 2, 2, 2, 3])
        switch below(100) {
        case 0..<20: return .insert(entity, row(entity))
        case 20..<24: return .insertMany(entity, (0..<(1 + below(4))).map { _ in row(entity) })
        case 24..<34: return .update(entity, row(entity))
        case 34..<42: return .upsert(entity, row(entity))
        case 42..<49: return .delete(entity, key(entity))
        case 49..<53: return .updateAll(query(entity), assignments(entity))
        case 53..<55: return addition()
        case 55..<58: return .deleteAll(query(entity))
        case 58..<63: return .find(entity, key(entity))
        case 63..<76: return .fetch(query(entity))
        case 76..<82: return .count(query(entity))
        case 82..<88: return .beginSavepoint
        case 88..<90: return .releaseSavepoint
        case 90..<93: return .rollbackSavepoint
        case 93..<98: return .commit
        default: return .rollback
        }
    }

    private static let words = ["", "a", "A", "ab", "b", "é", "e\u{301}", "z\0", "z", "🎸", "\u{FFFF}"]

    /// A value of an attribute, nil where it may be.
    private mutating func value(_ entity: Int, _ name: String) -> StoredValue {
        let attribute = Program.schema.entities[entity].attributes.first { $0.name == name }
        if attribute?.isOptional == true && chance(25) { return .null }
        switch (Program.schema.entities[entity].name, name) {
        case ("Shelf", "id"), ("Box", "shelf"), ("Box", "spare"), ("Box", "loose"): return .integer(Int64(1 + below(5)))
        case ("Person", "id"), ("Box", "owner"): return .integer(Int64(below(10)) - 2)
        case ("Box", "id"), ("Box", "outer"): return .integer(Int64(1 + below(8)))
        case ("Person", "age"): return .integer(one(of: [0, 1, 2, 30, -1, Int64.max, Int64.min]))
        case ("Person", "number"): return .integer(Int64(below(3)))
        case ("Person", "rating"): return .real(one(of: [0, 0.5, 4.5, -1.25, .infinity, -.infinity, 1e-300]))
        case ("Person", "isActive"): return .integer(Int64(below(2)))
        case ("Person", "country"): return .string(one(of: ["x", "y", "X"]))
        default: return .string(one(of: ProgramMaker.words))
        }
    }

    private mutating func row(_ entity: Int) -> [StoredValue] {
        var row: [StoredValue] = []
        for attribute in Program.schema.entities[entity].attributes { row.append(value(entity, attribute.name)) }
        return row
    }

    private mutating func key(_ entity: Int) -> StoredValue { value(entity, Program.schema.entities[entity].key) }

    private mutating func attribute(_ entity: Int, notKey: Bool = false) -> String {
        let described = Program.schema.entities[entity]
        return one(of: described.attributes.map(\.name).filter { !notKey || $0 != described.key })
    }

    private mutating func assignments(_ entity: Int) -> [(name: String, value: StoredValue)] {
        var values: [(name: String, value: StoredValue)] = []
        for _ in 0..<(1 + below(2)) {
            let name = attribute(entity, notKey: true)
            if !values.contains(where: { $0.name == name }) { values.append((name, value(entity, name))) }
        }
        return values
    }

    // One attribute alone, so that a call breaks one rule at most, whichever record a store looks at first.
    private mutating func addition() -> Program.Step {
        let (person, name) = (1, one(of: ["age", "rating", "number"]))
        let amount: StoredValue =
            switch name {
            case "age": .integer(one(of: [1, -1, 5, Int64.max]))
            case "rating": .real(one(of: [0.5, -0.25, 1e300, .infinity]))
            default: .integer(one(of: [1, -1, 2]))
            }
        return .addAll(query(person), name, amount)
    }

    mutating func query(_ entity: Int) -> ProgramQuery {
        var order: [Ordering] = []
        for _ in 0..<one(of: [0, 0, 1, 1, 2]) {
            order.append(
                Ordering(attribute: attribute(entity), direction: chance(50) ? .ascending : .descending))
        }
        return ProgramQuery(
            entity: entity, condition: chance(75) ? condition(entity, depth: 3) : nil, order: order,
            limit: chance(30) ? below(6) : nil, offset: chance(20) ? below(4) : 0)
    }

    private mutating func condition(_ entity: Int, depth: Int) -> AnyCondition {
        switch depth == 0 ? 0 : below(10) {
        case 0...4:
            let name = attribute(entity)
            return .compare(name, one(of: Comparison.allCases), value(entity, name))
        case 5:
            let name = attribute(entity)
            var values: [StoredValue] = []
            for _ in 0..<below(4) { values.append(value(entity, name)) }
            return .among(name, values)
        case 6: return .not(condition(entity, depth: depth - 1))
        case 7, 8:
            var parts: [AnyCondition] = []
            for _ in 0..<(1 + below(3)) { parts.append(condition(entity, depth: depth - 1)) }
            return chance(50) ? .all(parts) : .any(parts)
        default: return chance(20) ? .always(chance(50)) : condition(entity, depth: depth - 1)
        }
    }
}
