import ConformanceKit
import GranaryCore

extension ContextProgram {
    /// A random program: the same for the same seed.
    package static func random(seed: UInt64, steps count: Int) -> ContextProgram {
        var maker = ContextProgramMaker(random: SeededGenerator(seed: seed))
        // Something for the contexts to meet at.
        var steps = [Step.direct((0..<8).map { .insert([0, 1, 2, 2][$0 % 4], maker.row([0, 1, 2, 2][$0 % 4])) })]
        for _ in 0..<count { steps.append(maker.step()) }
        return ContextProgram(steps: steps)
    }
}

/// Makes steps of values from small sets, so that contexts meet in the same records.
struct ContextProgramMaker {
    var random: SeededGenerator
    /// What each context was made to change last.
    private var last: [Int: (entity: Int, key: StoredValue)] = [:]

    init(random: SeededGenerator) { self.random = random }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

    mutating func step() -> ContextProgram.Step {
        let context = below(ContextProgram.parents.count)
        switch below(100) {
        case 0..<34:
            let writes = writes(1 + below(2))
            if case .change(let entity, let key, _)? = writes.last { last[context] = (entity, key) }
            return .calls(context, writes)
        case 34..<45: return .direct(writes(1 + below(3)))
        case 45..<50: return .savepoint(context, writes(1 + below(4)), isKept: chance(40))
        case 50..<54: return .group(context, writes(1 + below(3)))
        case 54..<60: return .undo(context)
        case 60..<63: return .redo(context)
        case 63..<67: return .refresh(context, policy())
        case 67..<69: return .rollback(context)
        case 69..<71:
            let entity = entity()
            return .rollbackRecord(context, entity: entity, key: key(entity))
        case 71..<78: return .saveToParent(context, policy())
        case 78..<86: return .save(context, policy())
        case 86..<90:
            var calls = writes(1 + below(2))
            // What is being saved, changed again.
            if let (entity, key) = last[context] { calls.append(.change(entity, key, assignments(entity))) }
            return .saveDuring(context, policy(), transaction: writes(below(3)), calls: calls)
        case 90..<92: return .worker(context, policy(), writes(1 + below(3)))
        case 92..<98: return .ask(chance(15) ? nil : context, question())
        default: return .hold
        }
    }

    private mutating func policy() -> ContextProgram.Policy { one(of: ContextProgram.Policy.allCases) }
    private mutating func entity() -> Int { one(of: [0, 0, 1, 1, 2, 2, 2, 2]) }

    private mutating func writes(_ count: Int) -> [ContextProgram.Write] {
        var writes: [ContextProgram.Write] = []
        for _ in 0..<count { writes.append(write()) }
        return writes
    }

    private mutating func write() -> ContextProgram.Write {
        let entity = entity()
        switch below(100) {
        case 0..<22: return .insert(entity, row(entity))
        case 22..<28: return .update(entity, row(entity))
        case 28..<34: return .upsert(entity, row(entity))
        case 34..<70: return .change(entity, key(entity), assignments(entity))
        case 70..<84: return .delete(entity, key(entity))
        case 84..<91 where entity > 0: return .updateAll(query(entity), additions(entity))
        case 84..<95: return .updateAll(query(entity), assignments(entity))
        default: return .deleteAll(query(entity))
        }
    }

    private mutating func value(_ entity: Int, _ name: String) -> StoredValue {
        let entity = ContextProgram.schema.entities[entity]
        let attribute = entity.attributes.first { $0.name == name }
        if attribute?.isOptional == true && chance(30) { return .null }
        switch (entity.name, name) {
        case ("Shelf", "id"), (_, "home"), (_, "spare"): return .integer(Int64(1 + below(3)))
        case ("Owner", "id"), (_, "owner"): return .integer(Int64(1 + below(4)))
        case ("Item", "id"), (_, "outer"), (_, "next"), (_, "keeper"): return .integer(Int64(1 + below(5)))
        case (_, "slot"): return .integer(Int64(below(3)))
        case (_, "rank"): return .integer(Int64(below(4)))
        case (_, "email"), (_, "code"): return .string(one(of: ["a", "b", "c"]))
        default: return .string(one(of: ["x", "y", "z", ""]))
        }
    }

    mutating func row(_ entity: Int) -> [StoredValue] {
        var row: [StoredValue] = []
        for attribute in ContextProgram.schema.entities[entity].attributes {
            // Few records that forbid each other's deletion.
            let isRare = ["next", "outer", "keeper"].contains(attribute.name) && chance(60)
            row.append(isRare ? .null : value(entity, attribute.name))
        }
        return row
    }

    private mutating func key(_ entity: Int) -> StoredValue { value(entity, "id") }

    private mutating func attribute(_ entity: Int, from first: Int = 0) -> String {
        one(of: ContextProgram.schema.entities[entity].attributes.dropFirst(first).map(\.name))
    }

    private mutating func assignments(_ entity: Int) -> [Assignment] {
        var found: [Int: StoredValue] = [:]
        for _ in 0..<(1 + below(2)) {
            let name = attribute(entity, from: 1)
            let position = ContextProgram.schema.entities[entity].attributes.firstIndex { $0.name == name } ?? 1
            found[position] = value(entity, name)
        }
        return found.sorted { $0.key < $1.key }.map { Assignment(position: $0.key, value: $0.value) }
    }

    /// Something added to the rank, at times with another attribute that is given a value.
    private mutating func additions(_ entity: Int) -> [Assignment] {
        let rank = ContextProgram.schema.entities[entity].attributes.firstIndex { $0.name == "rank" } ?? 1
        let added = Assignment(position: rank, value: .integer(Int64(1 + below(3))), operation: .add)
        return (chance(20) ? assignments(entity).filter { $0.position != rank } : []) + [added]
    }

    private mutating func query(_ entity: Int) -> AnyRequest {
        var order: [Ordering] = []
        for _ in 0..<one(of: [0, 0, 1, 1, 2]) {
            order.append(Ordering(attribute: attribute(entity), direction: chance(50) ? .ascending : .descending))
        }
        return AnyRequest(
            ContextProgram.schema.entities[entity].name, where: chance(80) ? condition(entity) : nil, order: order,
            limit: chance(30) ? below(4) : nil, offset: chance(15) ? below(3) : 0)
    }

    private mutating func condition(_ entity: Int) -> AnyCondition {
        switch below(8) {
        case 0: return .not(condition(entity))
        case 1: return .all([condition(entity), condition(entity)])
        case 2: return .any([condition(entity), condition(entity)])
        case 3:
            let name = attribute(entity)
            return .among(name, [value(entity, name), value(entity, name)])
        default:
            let name = attribute(entity)
            return .compare(name, one(of: Comparison.allCases), value(entity, name))
        }
    }

    private mutating func question() -> ContextProgram.Question {
        let entity = entity()
        var question = ContextProgram.Question(query: query(entity), aggregated: nil)
        if chance(40) {
            question.aggregated = (
                groups: chance(60) ? [attribute(entity, from: 1)] : [], sum: entity == 0 ? "id" : "rank"
            )
        }
        return question
    }
}
