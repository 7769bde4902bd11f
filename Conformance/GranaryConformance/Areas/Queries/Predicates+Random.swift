import ConformanceKit
import Foundation
import GranaryCore

var randomPredicatesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "predicates.random-complement", in: .predicates,
            "a random condition and its negation share nothing and leave nothing out", modes: [.fresh]
        ) { trial in
            var random = CaseRandom(seed: trial.seed)
            let samples = (0..<120).map { RandomQuery.sample(id: Int64($0), &random) }
            try trial.insertTwins(samples)
            try trial.read { snapshot in
                for _ in 0..<60 {
                    let condition = RandomQuery.condition(depth: 4, &random)
                    let holds = try snapshot.twinKeys(Sample.all.where(Condition(condition)))
                    let rest = try snapshot.twinKeys(Sample.all.where(!Condition(condition)))
                    try expectEqual((holds + rest).sorted(), samples.map(\.id), "\(condition)")
                }
            }
        },
        ConformanceCase(
            "predicates.random-de-morgan", in: .predicates, "random conditions obey De Morgan's laws", modes: [.fresh]
        ) { trial in
            var random = CaseRandom(seed: trial.seed)
            try trial.insertTwins((0..<120).map { RandomQuery.sample(id: Int64($0), &random) })
            try trial.read { snapshot in
                for _ in 0..<60 {
                    let p = Condition<Sample>(RandomQuery.condition(depth: 3, &random))
                    let q = Condition<Sample>(RandomQuery.condition(depth: 3, &random))
                    let (inP, inQ) = (
                        Set(try snapshot.twinKeys(Sample.all.where(p))), Set(try snapshot.twinKeys(Sample.all.where(q)))
                    )
                    try snapshot.expectTwins(Sample.all.where(p && q), inP.intersection(inQ).sorted())
                    try snapshot.expectTwins(Sample.all.where(p || q), inP.union(inQ).sorted())
                    let neither = try snapshot.twinKeys(Sample.all.where(!p && !q))
                    try snapshot.expectTwins(Sample.all.where(!(p || q)), neither)
                    try snapshot.expectTwins(
                        Sample.all.where(!p || !q), try snapshot.twinKeys(Sample.all.where(!(p && q))))
                }
            }
        },
        ConformanceCase(
            "predicates.random-queries", in: .predicates,
            "random conditions, orders, limits and offsets answer as a plain filter and sort do, indexed or not",
            modes: [.fresh]
        ) { trial in
            var random = CaseRandom(seed: trial.seed)
            let samples = (0..<200).map { RandomQuery.sample(id: Int64($0), &random) }
            try trial.insertTwins(samples)
            try trial.read { snapshot in
                for _ in 0..<150 {
                    let query = RandomQuery.query(&random)
                    let text =
                        "\(query.untyped.order) limit \(query.untyped.limit ?? -1) offset \(query.untyped.offset)"
                    try snapshot.expectTwins(query, RandomQuery.answer(query, samples), text)
                }
            }
        },
        ConformanceCase(
            "pages.random", in: .pages,
            "pages in random orders follow each other to all records, and lead back, indexed or not", modes: [.fresh]
        ) { trial in
            var random = CaseRandom(seed: trial.seed)
            try trial.insertTwins((0..<150).map { RandomQuery.sample(id: Int64($0), &random) })
            try trial.read { snapshot in
                for _ in 0..<40 {
                    let made = RandomQuery.query(&random).untyped
                    let order = made.order.map { term in
                        var term = term
                        term.nils = [nil, .first, .last].randomElement(using: &random) ?? nil
                        return term
                    }
                    let query = Sample.all.where(made.condition ?? .always(true)).sorted(by: order)
                    let size = Int.random(in: 2...60, using: &random)
                    let text = "\(query.untyped.condition.map { "\($0)" } ?? "all") \(query.untyped.order) by \(size)"
                    let all = try snapshot.twinKeys(query)
                    try expectEqual(try pages(of: query, size: size, in: snapshot).flatMap { $0 }, all, text)
                    try expectEqual(try pages(of: query.indexed, size: size, in: snapshot).flatMap { $0 }, all, text)
                    let back = try pagesBack(of: query, size: size, in: snapshot)
                    try expectEqual(back.reversed().flatMap { $0 }, all, "back, \(text)")
                    let indexed = try pagesBack(of: query.indexed, size: size, in: snapshot)
                    try expectEqual(indexed.reversed().flatMap { $0 }, all, "back, indexed, \(text)")
                }
            }
        },
        ConformanceCase(
            "predicates.random-changes", in: .predicates,
            "after random updates and deletions indexed and plain attributes still answer alike", modes: [.fresh]
        ) { trial in
            var random = CaseRandom(seed: trial.seed)
            var samples = (0..<150).map { RandomQuery.sample(id: Int64($0), &random) }
            try trial.insertTwins(samples)
            for _ in 0..<8 {
                try trial.write { transaction in
                    for position in samples.indices.shuffled(using: &random).prefix(40) {
                        samples[position] = RandomQuery.sample(id: samples[position].id, &random)
                        try transaction.update(samples[position])
                        try transaction.update(IndexedSample(samples[position]))
                    }
                    for position in samples.indices.shuffled(using: &random).prefix(10).sorted(by: >) {
                        let removed = samples.remove(at: position)
                        try expect(try transaction.delete(removed), "\(removed.id) was there")
                        try expect(try transaction.delete(IndexedSample(removed)), "\(removed.id) was there")
                    }
                }
                try trial.read { snapshot in
                    try expectEqual(try snapshot.fetch(IndexedSample.all).map(\.sample), samples)
                    for _ in 0..<12 {
                        let query = RandomQuery.query(&random)
                        try snapshot.expectTwins(query, RandomQuery.answer(query, samples))
                    }
                }
            }
        },
    ]
}

/// Random samples with few distinct values, random questions, and their answers by a plain filter and sort.
private enum RandomQuery {
    static let attributes = ["int8", "integer", "double", "text", "bytes", "decimal"]
    static let texts = ["", "a", "a\0", "ab", "b", "e\u{301}", "\u{E9}"]
    static let byteStrings: [[UInt8]] = [[], [0], [0, 1], [1], [255]]
    static let doubles = [-1.5, 0, 0.5, 1, .infinity]
    static let decimals = ["-10", "-9.5", "0", "9", "100"].map(Boundaries.decimal)

    static func sample(id: Int64, _ random: inout CaseRandom) -> Sample {
        func pick<T>(_ values: [T]) -> T? {
            Int.random(in: 0..<5, using: &random) == 0 ? nil : values.randomElement(using: &random)
        }
        return Sample(
            id: id, int8: pick([-2, -1, 0, 1]), integer: pick([-300, -1, 0, 1, 300]), double: pick(doubles),
            decimal: pick(decimals), text: pick(texts), bytes: pick(byteStrings))
    }

    static func values(_ sample: Sample) throws -> [String: StoredValue] {
        [
            "id": .integer(sample.id), "int8": try StoredValue(encoding: sample.int8),
            "integer": try StoredValue(encoding: sample.integer), "double": try StoredValue(encoding: sample.double),
            "text": try StoredValue(encoding: sample.text), "bytes": try StoredValue(encoding: sample.bytes),
            "decimal": try StoredValue(encoding: sample.decimal),
        ]
    }

    static func condition(depth: Int, _ random: inout CaseRandom) -> AnyCondition {
        if depth > 1, Int.random(in: 0..<4, using: &random) > 0 {
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth: depth - 1, &random) }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: return .all(parts)
            case 2, 3: return .any(parts)
            default: return .not(parts[0])
            }
        }
        let source = (try? values(sample(id: Int64.random(in: -5..<205, using: &random), &random))) ?? [:]
        let attribute =
            Int.random(in: 0..<8, using: &random) == 0 ? "id" : attributes.randomElement(using: &random) ?? "text"
        if Int.random(in: 0..<5, using: &random) == 0 {
            let listed = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
                (try? values(sample(id: Int64.random(in: 0..<200, using: &random), &random)))?[attribute]
            }
            return .among(attribute, listed)
        }
        let comparison = Comparison.allCases.randomElement(using: &random) ?? .equal
        return .compare(attribute, comparison, source[attribute] ?? .null)
    }

    static func query(_ random: inout CaseRandom) -> Query<Sample> {
        var query = Sample.all
        if Bool.random(using: &random) || Bool.random(using: &random) {
            query = query.where(condition(depth: 4, &random))
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let term = Ordering(
                attribute: attributes.randomElement(using: &random) ?? "text",
                direction: Bool.random(using: &random) ? .ascending : .descending)
            query = query.sorted(by: [term])
        }
        if Bool.random(using: &random) { query = query.limit(Int.random(in: 0..<20, using: &random)) }
        if Bool.random(using: &random) { query = query.offset(Int.random(in: 0..<20, using: &random)) }
        return query
    }

    static func answer(_ query: Query<Sample>, _ samples: [Sample]) throws -> [Int64] {
        var rows = try samples.map { try values($0) }
        if let condition = query.untyped.condition { rows = rows.filter { holds(condition.root, $0) } }
        var terms = query.untyped.order
        terms.append(Ordering(attribute: "id", direction: query.untyped.order.last?.direction ?? .ascending))
        rows.sort { left, right in
            for term in terms {
                let (a, b) = (left[term.expression.text] ?? .null, right[term.expression.text] ?? .null)
                if a != b { return (a < b) == (term.direction == .ascending) }
            }
            return false
        }
        return rows.dropFirst(query.untyped.offset).prefix(query.untyped.limit ?? .max).compactMap {
            if case .integer(let id) = $0["id"] { id } else { nil }
        }
    }

    /// The two-valued logic, written out.
    static func holds(_ node: AnyCondition.Node, _ row: [String: StoredValue]) -> Bool {
        switch node {
        case .always(let value): return value
        case .all(let nodes): return nodes.allSatisfy { holds($0, row) }
        case .any(let nodes): return nodes.contains { holds($0, row) }
        case .not(let inner): return !holds(inner, row)
        case .invalid, .relation, .listed, .text, .exists, .amongRows, .search: return false
        case .among(let attribute, let values): return values.contains(row[attribute] ?? .null)
        case .compare(let attribute, let comparison, let constant):
            let value = row[attribute] ?? .null
            switch comparison {
            case .equal: return value == constant
            case .notEqual: return value != constant
            default:
                guard value != .null, constant != .null else { return false }
                return comparison.holds(value < constant ? -1 : value == constant ? 0 : 1)
            }
        }
    }
}
