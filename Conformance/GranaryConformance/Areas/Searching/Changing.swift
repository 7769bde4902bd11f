import ConformanceKit
import GranaryCore

var changedWordsCases: [ConformanceCase] {
    [
        ConformanceCase("search.written", in: .search, "what a transaction has written is found in it and afterwards") {
            trial in
            let articles = try Articles(trial, titles: ["fire", "smoke", "ash"])
            try trial.write { tx in
                func keys(_ search: SearchText) throws -> [Int64] {
                    try Article.where { $0.search(search) }.sorted(by: .rank).fetch(in: tx).map(\.id).sorted()
                }
                try tx.insert(Article(id: 4, title: "new fire"))
                try expectEqual(try keys("fire"), [1, 4])
                try tx.update(Article(id: 1, title: "rain"))
                try expectEqual(try keys("fire"), [4])
                try expectEqual(try keys("rain"), [1])
                try tx.upsert(Article(id: 2, title: "fire", body: "smoke"))
                try tx.upsert(Article(id: 5, title: "fire"))
                try expectEqual(try keys("fire"), [2, 4, 5])
                try expectEqual(try keys("smoke"), [2])
                try tx.delete(Article.self, 4)
                try expectEqual(try keys("fire"), [2, 5])
                try expectEqual(try keys("new"), [])
            }
            try articles.expect("fire", [2, 5])
            try articles.expect("smoke", [2])
            try articles.expect("rain", [1])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.rolled-back", in: .search, "what is undone is not found") { trial in
            let articles = try Articles(trial, titles: ["fire", "smoke", "ash"])
            struct Stop: Error {}
            try trial.write { tx in
                _ = try? tx.savepoint {
                    try tx.update(Article(id: 1, title: "rain"))
                    try tx.insert(Article(id: 4, title: "fire"))
                    try tx.delete(Article.self, 2)
                    try expectEqual(try Article.where { $0.search("rain") }.fetch(in: tx).map(\.id), [1])
                    throw Stop()
                }
                try expectEqual(try Article.where { $0.search("fire") }.fetch(in: tx).map(\.id), [1])
                try tx.update(Article(id: 3, title: "fire"))
            }
            try articles.expect("fire", [1, 3])
            try articles.expect("smoke", [2])
            _ = try? trial.write { tx in
                try tx.deleteAll(FetchRequest(entity: 1))
                throw Stop()
            }
            try articles.expect("fire", [1, 3])
            try articles.expect("rain", [])
        },
        ConformanceCase("search.sets", in: .search, "updates and deletions of many records change what is found") {
            trial in
            let articles = try Articles(trial, titles: ["fire one", "fire two", "smoke", "ash"])
            try trial.write { tx in
                let count = try Article.where { $0.search("fire") }.updateAll(in: tx) { $0.set(\.body, to: "rain") }
                try expectEqual(count, 2)
            }
            try articles.expect("rain", [1, 2])
            try articles.expect("fire rain", [1, 2])
            try trial.write { tx in
                try expectEqual(try Article.where { $0.search("rain -two") }.deleteAll(in: tx), 1)
                try Article.all.updateAll(in: tx) { $0.set(\.title, to: "same words") }
            }
            try articles.expect("fire", [])
            try articles.expect("rain", [2])
            try articles.expect("same", [2, 3, 4])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.cascades", in: .search, "a record that a delete rule takes along is not found any more")
        {
            trial in
            let articles = try Articles(
                trial,
                [
                    Article(id: 1, title: "fire", writer: 1), Article(id: 2, title: "fire", writer: 2),
                    Article(id: 3, title: "fire"),
                ], writers: [Writer(id: 1, name: "Hendrix"), Writer(id: 2, name: "Mitchell")])
            try trial.write { tx in _ = try tx.delete(Writer.self, 1) }
            try articles.expect("fire", [2, 3])
            try expectEqual(try trial.keys(Writer.where { $0.search("hendrix") }), [])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.rank-changes", in: .search, "ranks are of the records as they are now") { trial in
            _ = try Articles(
                trial, titles: ["fire a b", "fire", "c", "d", "e", "f", "g", "h"])
            let query = Article.where { $0.search("fire") }.sorted(by: .rank)
            try expectEqual(try trial.keys(query), [2, 1])
            try trial.write { tx in
                try tx.update(Article(id: 1, title: "fire fire"))
                try expectEqual(try query.fetch(in: tx).map(\.id), [1, 2])
            }
            try expectEqual(try trial.keys(query), [1, 2])
        },
        ConformanceCase(
            "search.pending", in: .search, "pending changes of a context are found and ranked with the rest",
            modes: [.fresh]
        ) {
            trial in
            _ = try Articles(trial, titles: ["fire", "smoke", "ash", "rain", "snow", "wind", "sun"])
            let context = try trial.stack.makeContext()
            func keys(_ search: SearchText) throws -> [Int64] {
                try Article.where { $0.search(search) }.sorted(by: .rank).fetch(in: context).map(\.id)
            }
            try context.insert(Article(id: 8, title: "fire fire"))
            try context.update(Article(id: 2, title: "quiet", body: "fire and other words here"))
            try expectEqual(try keys("fire"), [8, 1, 2])
            try expectEqual(try keys("smoke"), [])
            try context.delete(Article.self, 1)
            try expectEqual(try keys("fire"), [8, 2])
            try expectEqual(try context.count(Article.where { $0.search("fire") }), 2)
            let child = try context.makeChild()
            try child.update(Article(id: 3, title: "fire"))
            try expectEqual(
                try Article.where { $0.search("fire") }.sorted(by: .rank).fetch(in: child).map(\.id), [8, 3, 2])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }), [1])
            try await child.save()
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank)), [8, 3, 2])
        },
        ConformanceCase(
            "search.reopened", in: .search, "what was found is found after the store is opened again",
            requires: [.reopening], modes: [.fresh]
        ) {
            trial in
            let articles = try Articles(trial, titles: ["fire", "smoke fire", "ash"])
            try trial.reopen()
            try articles.expect("fire", [1, 2])
            try trial.write { try $0.update(Article(id: 1, title: "rain")) }
            try trial.reopen()
            try articles.expect("fire", [2])
            try articles.expect("rain", [1])
        },
    ]
}
