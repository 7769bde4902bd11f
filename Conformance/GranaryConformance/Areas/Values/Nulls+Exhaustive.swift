import ConformanceKit
import GranaryCore

// All conditions of two terms over two optional attributes and the values nil, 1 and 2, joined by && and ||, each also
// negated, against nine records that hold every combination. The expected answers come from closures over Swift's own
// optionals, of which `<` and its like are false where either side is nil.

private struct Term {
    let condition: AnyCondition
    let holds: (Int64?, Int8?) -> Bool
}

private let constants: [Int?] = [nil, 1, 2]

private func terms() -> [Term] {
    var terms = [Term(condition: .always(true)) { _, _ in true }, Term(condition: .always(false)) { _, _ in false }]
    func add(_ make: (String) -> AnyCondition, _ holds: @escaping (Int?) -> Bool) {
        terms.append(Term(condition: make("integer")) { a, _ in holds(a.map { Int($0) }) })
        terms.append(Term(condition: make("int8")) { _, b in holds(b.map { Int($0) }) })
    }
    func stored(_ constant: Int?) -> StoredValue { constant.map { .integer(Int64($0)) } ?? .null }
    func both(_ left: Int?, _ right: Int?, _ holds: (Int, Int) -> Bool) -> Bool {
        if let left, let right { holds(left, right) } else { false }
    }
    for constant in constants {
        let value = stored(constant)
        add({ .compare($0, .equal, value) }) { $0 == constant }
        add({ .compare($0, .notEqual, value) }) { $0 != constant }
        add({ .compare($0, .less, value) }) { both($0, constant, <) }
        add({ .compare($0, .lessOrEqual, value) }) { both($0, constant, <=) }
        add({ .compare($0, .greater, value) }) { both($0, constant, >) }
        add({ .compare($0, .greaterOrEqual, value) }) { both($0, constant, >=) }
    }
    for members in 0..<8 {
        let list = constants.indices.filter { members >> $0 & 1 == 1 }.map { constants[$0] }
        add({ .among($0, list.map(stored)) }) { list.contains($0) }
    }
    return terms
}

func checkEveryCondition(_ trial: Trial) throws {
    var samples: [Sample] = []
    for a in constants {
        for b in constants {
            samples.append(
                Sample(id: Int64(samples.count), int8: b.map { Int8($0) }, integer: a.map { Int64($0) }))
        }
    }
    try trial.insertTwins(samples)
    let terms = terms()
    try trial.read { snapshot in
        func check(_ condition: AnyCondition, _ holds: (Int64?, Int8?) -> Bool) throws {
            let expected = samples.filter { holds($0.integer, $0.int8) }.map(\.id)
            let rest = samples.map(\.id).filter { !expected.contains($0) }
            for (condition, expected) in [(condition, expected), (.not(condition), rest)] {
                var query = Sample.all
                query = Sample.all.where(condition)
                let plain = try snapshot.fetch(query).map(\.id)
                let indexed = try snapshot.fetch(query.indexed).map(\.id)
                if plain != expected || indexed != expected {
                    try expectEqual(plain, expected, "\(condition) without an index")
                    try expectEqual(indexed, expected, "\(condition) with an index")
                }
            }
        }
        for (position, left) in terms.enumerated() {
            try check(left.condition, left.holds)
            for right in terms[position...] {
                try check(.all([left.condition, right.condition])) { left.holds($0, $1) && right.holds($0, $1) }
                try check(.any([left.condition, right.condition])) { left.holds($0, $1) || right.holds($0, $1) }
                try check(.all([left.condition, .not(right.condition)])) {
                    left.holds($0, $1) && !right.holds($0, $1)
                }
            }
        }
    }
}
