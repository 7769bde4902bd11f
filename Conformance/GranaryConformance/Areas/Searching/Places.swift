import ConformanceKit
import GranaryCore

private let writers = [
    Writer(id: 1, name: "Jimi Hendrix"), Writer(id: 2, name: "Joni Mitchell"), Writer(id: 3, name: "Sly"),
]
private let articles = [
    Article(id: 1, title: "fire", writer: 1, reads: 3), Article(id: 2, title: "blue", body: "river fire", writer: 2),
    Article(id: 3, title: "stone", tags: ["fire", "family"], writer: 1), Article(id: 4, title: "hendrix"),
]

var searchPlacesCases: [ConformanceCase] {
    [
        ConformanceCase("search.to-one", in: .search, "a search may be of the record that a reference names") { trial in
            _ = try Articles(trial, articles, writers: writers)
            try expectEqual(try trial.keys(Article.where { $0.writer.search("hendrix") }), [1, 3])
            try expectEqual(try trial.keys(Article.where { !$0.writer.search("hendrix") }), [2, 4])
            try expectEqual(try trial.keys(Article.where { $0.writer.search(.none("hendrix")) }), [2])
            try expectEqual(try trial.keys(Article.where { $0.writer.name.search("joni") }), [2])
            try expectEqual(
                try trial.keys(Article.where { $0.writer.search("hendrix") && $0.search("fire") }.sorted(by: .rank))
                    .sorted(),
                [1, 3])
        },
        ConformanceCase("search.to-many", in: .search, "a search may be of related records") { trial in
            _ = try Articles(trial, articles, writers: writers)
            try expectEqual(try trial.keys(Writer.where { $0.articles.contains { $0.search("fire") } }), [1, 2])
            try expectEqual(try trial.keys(Writer.where { $0.articles.allSatisfy { $0.search("fire") } }), [1, 2, 3])
            try expectEqual(try trial.keys(Writer.where { $0.articles.contains { $0.title.search("fire") } }), [1])
            try expectEqual(try trial.keys(Writer.where { $0.articles.count { $0.search("fire") } > 1 }), [1])
            try expectEqual(
                try trial.keys(Writer.where { $0.search("jimi") && $0.articles.contains { $0.search("family") } }), [1])
            let ranked = try trial.read { snapshot in
                try Writer.articles.records(of: 1, as: "articles").all.where { $0.search("fire") }.sorted(by: .rank)
                    .fetch(in: snapshot).map(\.id)
            }
            try expectEqual(ranked.sorted(), [1, 3])
        },
        ConformanceCase("search.one-attribute", in: .search, "a search may be of one attribute") { trial in
            _ = try Articles(trial, articles, writers: writers)
            try expectEqual(try trial.keys(Article.where { $0.title.search("fire") }), [1])
            try expectEqual(try trial.keys(Article.where { $0.body.search("fire") }), [2])
            try expectEqual(try trial.keys(Article.where { $0.tags.search("fire") }), [3])
            try expectEqual(try trial.keys(Article.where { !$0.body.search("fire") }), [1, 3, 4])
            try expectEqual(
                try trial.keys(Article.where { $0.title.search("fire") || $0.body.search("fire") }), [1, 2])
            try expectEqual(try trial.keys(Article.where { $0.title.search(SearchText.all("fire").in("body")) }), [2])
        },
        ConformanceCase("search.subquery", in: .search, "a search chooses the records of another query") { trial in
            _ = try Articles(trial, articles, writers: writers)
            let found = Article.where {
                $0.writer.in(Writer.where { $0.search("hendrix joni -mitchell") || $0.search("jimi") })
            }
            try expectEqual(try trial.keys(found), [1, 3])
            let best = Writer.where { $0.search(.any("jimi joni")) }.sorted(by: .rank).limit(1)
            try expectEqual(try trial.keys(Article.where { $0.writer.in(best) }), [1, 3])
        },
        ConformanceCase("search.conditions", in: .search, "a search is one condition among others") { trial in
            _ = try Articles(trial, articles, writers: writers)
            try expectEqual(try trial.keys(Article.where { $0.search("fire") && $0.reads > 0 }), [1])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") && $0.id.in([2, 3, 4]) }), [2, 3])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") || $0.title == "hendrix" }), [1, 2, 3, 4])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") && !$0.search("family") }), [1, 2])
            try expectEqual(
                try trial.keys(Article.where { $0.search("fire") }.sorted(by: { $0.title }, .descending)), [3, 1, 2])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.limit(1).offset(1)), [2])
        },
    ]
}
