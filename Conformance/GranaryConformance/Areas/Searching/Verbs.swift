import ConformanceKit
import GranaryCore

private let articles = [
    Article(id: 1, title: "fire one", writer: 1, reads: 3), Article(id: 2, title: "fire two", writer: 1, reads: 4),
    Article(id: 3, title: "fire three", writer: 2, reads: 5), Article(id: 4, title: "smoke", writer: 2, reads: 6),
]
private let writers = [Writer(id: 1, name: "a"), Writer(id: 2, name: "b")]

var searchVerbsCases: [ConformanceCase] {
    [
        ConformanceCase("search.verbs", in: .search, "every verb of a request goes with a search") { trial in
            _ = try Articles(trial, articles, writers: writers)
            let query = Article.where { $0.search("fire") }
            try trial.read { snapshot in
                try expectEqual(try query.count(in: snapshot), 3)
                try expect(try query.exists(in: snapshot), "nothing exists")
                try expect(try !Article.where { $0.search("rain") }.exists(in: snapshot), "something exists")
                try expectEqual(try query.first(in: snapshot)?.id, 1)
                try expectEqual(try query.last(in: snapshot)?.id, 3)
                try expectEqual(
                    try query.select { $0.title }.fetch(in: snapshot), ["fire one", "fire two", "fire three"])
                try expectEqual(try query.sum({ $0.reads }, in: snapshot), 12)
                let groups = try query.grouped(by: { $0.writer }).select { ($0.writer, $0.reads.sum) }.fetch(
                    in: snapshot)
                try expectEqual(Dictionary(uniqueKeysWithValues: groups.map { ($0.0?.key ?? 0, $0.1) }), [1: 7, 2: 5])
                var seen: [Int64] = []
                try query.sorted(by: .rank).forEach(in: snapshot) { seen.append($0.id) }
                try expectEqual(seen, [1, 2, 3])
                let plan = try query.sorted(by: .rank).limit(2).explain(in: snapshot)
                try expect(!plan.steps.isEmpty, "no plan")
            }
        },
        ConformanceCase("search.cursors", in: .search, "a write of the transaction ends the cursor of a search") {
            trial in
            _ = try Articles(trial, articles, writers: writers)
            let query = Article.where { $0.search("fire") }.sorted(by: .rank)
            for request in [query, query.limit(2)] {
                try trial.write { tx in
                    let cursor = try request.cursor(in: tx)
                    try expectEqual(try cursor.next()?.id, 1)
                    try tx.update(Article(id: 4, title: "ash \(request.untyped.limit ?? 0)", writer: 2, reads: 6))
                    _ = try expectError(.cursorInvalidated) { try cursor.next() }
                }
            }
        },
        ConformanceCase("search.observed", in: .search, "an observed search sees what is written", modes: [.fresh]) {
            trial in
            _ = try Articles(trial, articles, writers: writers)
            let query = Article.where { $0.search("fire") }.sorted(by: .rank)
            let seen = Following(try trial.stack.observe(query), on: trial)
            try seen.wait("what is there") { $0.last?.map(\.id) == [1, 2, 3] }
            try trial.write { try $0.update(Article(id: 4, title: "fire", writer: 2, reads: 6)) }
            try seen.wait("a better one") { $0.last?.map(\.id) == [4, 1, 2, 3] }
            try trial.write { _ = try $0.delete(Article.self, 1) }
            try seen.wait("one less") { $0.last?.map(\.id) == [4, 2, 3] }
            seen.cancel()
        },
    ]
}
