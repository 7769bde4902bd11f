import ConformanceKit
import ConformanceModels
import GranaryCore

private let vocabulary = ["a", "b", "c", "ab", "abc", "é", "E", "ba", "1", "12"]

private func text(_ generator: inout SeededGenerator, upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &generator)).map { _ in
        vocabulary[Int.random(in: 0..<vocabulary.count, using: &generator)]
    }.joined(separator: " ")
}

private func article(_ id: Int64, _ generator: inout SeededGenerator) -> Article {
    Article(
        id: id, title: text(&generator, upTo: 5),
        body: Bool.random(using: &generator) ? text(&generator, upTo: 9) : nil,
        tags: (0..<Int.random(in: 0...2, using: &generator)).map { _ in text(&generator, upTo: 3) },
        writer: Bool.random(using: &generator) ? Int64.random(in: 1...3, using: &generator) : nil)
}

/// - Parameter names: The attributes that a part may look into.
private func search(_ generator: inout SeededGenerator, in names: [String], depth: Int = 0) -> SearchText {
    func part(_ generator: inout SeededGenerator) -> SearchText { search(&generator, in: names, depth: depth + 1) }
    switch Int.random(in: 0..<(depth < 3 ? 9 : 5), using: &generator) {
    case 0: return .all(text(&generator, upTo: 2), beginnings: Bool.random(using: &generator))
    case 1: return .any(text(&generator, upTo: 3), beginnings: Bool.random(using: &generator))
    case 2: return .phrase(text(&generator, upTo: 3), beginning: Bool.random(using: &generator))
    case 3: return .near(text(&generator, upTo: 3), within: Int.random(in: 1...4, using: &generator))
    case 4: return .none(text(&generator, upTo: 2))
    case 5: return part(&generator) && part(&generator)
    case 6: return part(&generator) || part(&generator)
    case 7: return !part(&generator)
    default: return part(&generator).in(names[Int.random(in: 0..<names.count, using: &generator)])
    }
}

/// Fails unless random searches find in a context what the reference finds in its records, with the same ranks.
private func compare(_ context: ReadContext, _ generator: inout SeededGenerator, searches: Int) throws {
    var state = ReferenceState(SuiteSchema.articles)
    for entity in [0, 1] {
        let name = SuiteSchema.articles.entities[entity].name
        let names = SuiteSchema.articles.entities[entity].attributes.map(\.name)
        for record in try Request(name).fetch(in: context) { state.put(names.map { record[$0] ?? .null }, entity) }
    }
    for _ in 0..<searches {
        let path = ["", "", "", "title", "tags", "writer", "writer.name"].randomElement(using: &generator) ?? ""
        let isOfWriter = path.hasPrefix("writer")
        let search = search(&generator, in: isOfWriter ? ["name"] : ["title", "body", "tags"])
        let condition = AnyCondition.search(search, of: path)
        let expected = try state.rows(of: 1, where: condition, order: [], limit: nil, offset: 0).map { $0[0] }
        let query = Article.where(Condition(condition))
        let found = try query.fetch(in: context).map { StoredValue.integer($0.id) }
        try expectEqual(found, expected, "\(condition)")
        guard path.isEmpty else { continue }
        let ranks = try query.select { ($0.id, $0.search.rank) }.fetch(in: context)
        let right = try state.ranks(of: 1, by: search)
        for (id, rank) in ranks {
            let wanted = right[.integer(id)] ?? -1
            try expect(abs(rank - wanted) < 1e-9, "\(search): the rank of \(id) is \(rank) instead of \(wanted)")
        }
        let best = ranks.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
        try expectEqual(try query.sorted(by: .rank).fetch(in: context).map(\.id), best, "\(search) by rank")
        try expectEqual(
            try query.sorted(by: .rank).limit(3).offset(1).fetch(in: context).map(\.id),
            Array(best.dropFirst().prefix(3)),
            "\(search) by rank, cut")
    }
}

private let writers = [Writer(id: 1, name: "a b"), Writer(id: 2, name: "ab c"), Writer(id: 3, name: "é 1 12")]

var randomSearchCases: [ConformanceCase] {
    [
        ConformanceCase(
            "search.random", in: .search, "random searches of random texts find and rank as the reference does"
        ) { trial in
            var generator = SeededGenerator(seed: trial.seed)
            _ = try Articles(trial, (1...40).map { article($0, &generator) }, writers: writers)
            try trial.read { try compare($0, &generator, searches: 60) }
        },
        ConformanceCase(
            "search.random-changes", in: .search, "so they do after random changes, in the transaction and afterwards"
        ) { trial in
            var generator = SeededGenerator(seed: trial.seed &+ 1)
            _ = try Articles(trial, (1...30).map { article($0, &generator) }, writers: writers)
            for _ in 0..<4 {
                var inside = generator
                try trial.write { tx in
                    for _ in 0..<6 {
                        let id = Int64.random(in: 1...40, using: &inside)
                        switch Int.random(in: 0..<3, using: &inside) {
                        case 0: _ = try tx.delete(Article.self, id)
                        default: try tx.upsert(article(id, &inside))
                        }
                    }
                    try compare(tx, &inside, searches: 12)
                }
                generator = inside
                try trial.read { try compare($0, &generator, searches: 12) }
            }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.random-pending", in: .search, "so they do with pending changes", modes: [.fresh]
        ) { trial in
            var generator = SeededGenerator(seed: trial.seed &+ 2)
            _ = try Articles(trial, (1...30).map { article($0, &generator) }, writers: writers)
            let context = try trial.stack.makeContext()
            for _ in 0..<4 {
                for _ in 0..<4 {
                    let id = Int64.random(in: 1...40, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: _ = try context.delete(Article.self, id)
                    default: try context.upsert(article(id, &generator))
                    }
                }
                try compare(context, &generator, searches: 15)
            }
            try await context.save()
            try trial.read { try compare($0, &generator, searches: 20) }
        },
    ]
}
