import ConformanceKit
import Foundation
import GranaryCore

private let stories: [Article] = [
    Article(id: 1, title: "fire", body: "a long text about smoke and ash and fire and nothing else at all", reads: 5),
    Article(id: 2, title: "smoke", body: "fire", reads: 7),
    Article(id: 3, title: "fire fire fire", reads: 1),
    Article(id: 4, title: "fire", reads: 5),
    Article(id: 5, title: "fire", reads: 9),
    Article(id: 6, title: "rain", body: "and more rain"), Article(id: 7, title: "snow", tags: ["fire"]),
    Article(id: 8, title: "wind"), Article(id: 9, title: "sun"), Article(id: 10, title: "fog"),
    Article(id: 11, title: "hail"), Article(id: 12, title: "ice"), Article(id: 13, title: "dew"),
    Article(id: 14, title: "storm"), Article(id: 15, title: "cloud"), Article(id: 16, title: "mist"),
]

/// BM25 of one word, by the formula on the page.
private func score(_ frequency: Double, words: Double, having: Double, of all: Double, average: Double) -> Double {
    let weight = max(log((all - having + 0.5) / (having + 0.5)), 0.000_001)
    return weight * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * words / average))
}

var rankingCases: [ConformanceCase] {
    [
        ConformanceCase("search.rank-formula", in: .search, "the rank is BM25 by the formula on the page") { trial in
            _ = try Articles(trial, stories)
            let average = 37.0 / 16
            let ranks = try trial.read { snapshot in
                try Article.where { $0.search(.all("fire")) }.select { ($0.id, $0.search.rank) }.fetch(in: snapshot)
            }
            let expected: [Int64: Double] = [
                1: score(4, words: 15, having: 6, of: 16, average: average),
                2: score(1, words: 2, having: 6, of: 16, average: average),
                3: score(9, words: 3, having: 6, of: 16, average: average),
                4: score(3, words: 1, having: 6, of: 16, average: average),
                5: score(3, words: 1, having: 6, of: 16, average: average),
                7: score(1, words: 2, having: 6, of: 16, average: average),
            ]
            try expectEqual(Set(ranks.map(\.0)), Set(expected.keys))
            for (id, rank) in ranks {
                let right = expected[id] ?? -1
                try expect(abs(rank - right) < 1e-12, "the rank of \(id) is \(rank) instead of \(right)")
            }
        },
        ConformanceCase("search.rank-order", in: .search, "the best come first, equal ones by key") { trial in
            _ = try Articles(trial, stories)
            let query = Article.where { $0.search(.all("fire")) }.sorted(by: .rank)
            let keys: [Int64] = [3, 4, 5, 2, 7, 1]
            try expectEqual(try trial.keys(query), keys)
            try expectEqual(try trial.keys(query.reversed()), keys.reversed())
            try expectEqual(try trial.keys(query.limit(2)), [3, 4])
            try expectEqual(try trial.keys(query.limit(2).offset(1)), [4, 5])
            try expectEqual(try trial.read { try query.first(in: $0)?.id }, 3)
            try expectEqual(try trial.read { try query.last(in: $0)?.id }, 1)
            try expectEqual(try trial.keys(Article.where { $0.search(.all("fire")) }.sorted(by: "-rank()")), keys)
            try expectEqual(
                try trial.keys(Article.where { $0.search(.all("fire")) }.sorted(by: { $0.search.rank }, .descending)),
                keys)
            let named = Request<DynamicRecord, DynamicRecord>("Article").where(
                .search(SearchText.all("fire"))
            ).sorted(by: .rank)
            try expectEqual(
                try trial.read { try named.fetch(in: $0).map { $0["id"] ?? .null } },
                keys.map { StoredValue.integer($0) })
        },
        ConformanceCase("search.rank-weights", in: .search, "a word in a heavier attribute counts more") { trial in
            _ = try Articles(
                trial,
                [
                    Article(id: 1, title: "rain", body: "fire"), Article(id: 2, title: "fire", body: "rain"),
                    Article(id: 3, title: "x"), Article(id: 4, title: "y"), Article(id: 5, title: "z"),
                    Article(id: 6, title: "w"),
                ])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank)), [2, 1])
            try expectEqual(try trial.keys(Article.where { $0.search("rain") }.sorted(by: .rank)), [1, 2])
        },
        ConformanceCase("search.rank-terms", in: .search, "rarer words count more, excluded ones not at all") { trial in
            _ = try Articles(
                trial,
                titles: [
                    "common rare", "common word", "common thing", "common one", "common two", "other", "else", "more",
                    "many", "few", "rare none",
                ])
            func keys(_ search: SearchText) throws -> [Int64] {
                try trial.keys(Article.where { $0.search(search) }.sorted(by: .rank))
            }
            try expectEqual(try keys(.any("common rare")), [1, 11, 2, 3, 4, 5])
            try expectEqual(try keys(.any("common rare") && !.all("none")), [1, 2, 3, 4, 5])
            try expectEqual(try keys(.all("common") && .none("rare")), [2, 3, 4, 5])
            let ranks = try trial.read { snapshot in
                try Article.where { $0.search(.none("common")) }.select { $0.search.rank }.fetch(in: snapshot)
            }
            try expectEqual(ranks, Array(repeating: 0, count: 6))
        },
        ConformanceCase("search.rank-phrases", in: .search, "phrases, beginnings and near words are counted as a whole")
        {
            trial in
            _ = try Articles(
                trial,
                titles: [
                    "purple haze x y", "haze purple x y", "purple haze purple haze", "x", "y", "z", "v", "w", "u", "t",
                    "hazel purplish",
                ])
            func keys(_ search: SearchText) throws -> [Int64] {
                try trial.keys(Article.where { $0.search(search) }.sorted(by: .rank))
            }
            try expectEqual(try keys(.phrase("purple haze")), [3, 1])
            try expectEqual(try keys(.near("purple haze", within: 1)), [3, 1, 2])
            try expectEqual(try keys(.all("haz", beginnings: true)), [3, 11, 1, 2])
        },
        ConformanceCase("search.rank-others", in: .search, "a rank is one term of an order among others") { trial in
            _ = try Articles(trial, stories)
            let query = Article.where { $0.search(.all("fire")) }
            try expectEqual(
                try trial.keys(query.sorted(by: { $0.reads }).sorted(by: .rank)), [7, 3, 4, 1, 2, 5])
            try expectEqual(
                try trial.keys(query.sorted(by: .rank).sorted(by: { $0.reads }, .descending)), [3, 5, 4, 2, 7, 1])
            try expectEqual(
                try trial.keys(query.where { $0.reads > 4 }.sorted(by: .rank)), [4, 5, 2, 1])
            try expectEqual(
                try trial.keys(Article.where { $0.search(.all("fire")) || $0.reads == 0 }.sorted(by: .rank).limit(7)),
                [3, 4, 5, 2, 7, 1, 6])
            try expectEqual(
                try trial.keys(Article.where { $0.search(.all("fire")) && $0.search.rank > 0.5 }.sorted(by: .rank))
                    .first,
                3)
        },
        ConformanceCase("search.rank-pages", in: .search, "pages by rank go on where the last one ended") { trial in
            _ = try Articles(trial, stories)
            let query = Article.where { $0.search(.all("fire")) }.sorted(by: .rank)
            try trial.read { snapshot in
                var found: [Int64] = []
                var page = try query.page(in: snapshot, size: 2)
                found += page.records.map(\.id)
                while page.hasMore {
                    page = try query.page(in: snapshot, after: page.end, size: 2)
                    found += page.records.map(\.id)
                }
                try expectEqual(found, [3, 4, 5, 2, 7, 1])
            }
        },
        ConformanceCase("search.rank-groups", in: .search, "ranks are aggregated and grouped like other numbers") {
            trial in
            _ = try Articles(trial, stories)
            try trial.read { snapshot in
                let query = Article.where { $0.search(.all("fire")) }
                let best = try query.maximum({ $0.search.rank }, in: snapshot)
                let first = try query.sorted(by: .rank).select { $0.search.rank }.first(in: snapshot)
                try expectEqual(best, first)
                let distinct = try query.select { $0.search.rank }.distinct().fetch(in: snapshot)
                try expectEqual(distinct.count, 4)
            }
        },
        ConformanceCase("search.rank-alone", in: .search, "a rank without a search is refused, with what to do") {
            trial in
            _ = try Articles(trial, stories)
            for query in [
                Article.all.sorted(by: .rank), Article.where { !$0.search("fire") }.sorted(by: .rank),
                Article.where { $0.writer.search("fire") }.sorted(by: .rank),
            ] {
                let error = try expectError(.invalidQuery) { try trial.keys(query) }
                try expect(error.message.contains("$0.search"), "\(error.message) does not say what to do")
            }
        },
        ConformanceCase(
            "search.rank-empty", in: .search, "a search in an empty store has no results, and no rank fails"
        ) {
            trial in
            _ = try Articles(trial)
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank)), [])
            try trial.insert([Article(id: 1, title: "fire")])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank)), [1])
        },
    ]
}
