import ConformanceKit
import GranaryCore

/// Whether the store of a trial keeps indexes of words.
private func keepsIndexes(_ stack: Stack) throws -> Bool {
    try stack.blocking.read { try Article.where { $0.search("fire") }.explain(in: $0) }.steps
        .contains { $0.index == "words" }
}

private func words(_ count: Int) -> [Article] {
    (1...count).map { Article(id: Int64($0), title: "fire number \($0)", body: $0 % 2 == 0 ? "smoke" : nil) }
}

/// The articles without words that are searched.
private var unsearched: Schema {
    var article = Article.entity
    for position in article.attributes.indices {
        article.attributes[position] = article.attributes[position].searchable(weight: nil)
    }
    return Schema(entities: [article, Writer.entity])
}

var indexSizesCases: [ConformanceCase] {
    [
        ConformanceCase("search.index-sizes", in: .search, "the indexes of words have sizes") { trial in
            _ = try Articles(trial, words(100), writers: [Writer(id: 1, name: "Jimi Hendrix")])
            guard try keepsIndexes(trial.stack) else {
                return try expectEqual(try trial.read { try $0.wordIndexes() }, [])
            }
            func sizes() throws -> [String: WordIndexSize] {
                Dictionary(uniqueKeysWithValues: try trial.read { try $0.wordIndexes() }.map { ($0.entity, $0) })
            }
            let first = try sizes()
            try expectEqual(first.count, 2)
            try expectEqual(first["Article"]?.records, 100)
            try expectEqual(first["Article"]?.words, 350)
            try expectEqual(first["Writer"]?.words, 2)
            let bytes = first["Article"]?.bytes ?? 0
            try expect(bytes > 500 && bytes < 100_000, "the index has \(bytes) bytes")
            try trial.write { _ = try Article.where { $0.id > 10 }.deleteAll(in: $0) }
            let second = try sizes()
            try expectEqual(second["Article"]?.records, 10)
            try expectEqual(second["Article"]?.words, 35)
            try expect(second["Article"]?.bytes ?? 0 < bytes, "the index is as large as before")
        },
        ConformanceCase(
            "search.index-planned", in: .search, "a plan counts the records that an index to be made reads",
            requires: [.persistence, .migration, .reopening], modes: [.fresh]
        ) { trial in
            _ = try Articles(trial, words(30))
            let keeps = try keepsIndexes(trial.stack)
            try trial.close()
            func planned(_ schema: Schema) throws -> [String] {
                let plan = try trial.provider.planMigration(to: schema, .automatic)
                for index in plan.wordIndexes {
                    let line = "index of words: \(index.count) records of \(index.entity) are read"
                    try expect(plan.description.contains(line), plan.description)
                }
                return plan.wordIndexes.map { "\($0.entity) \($0.count)" }.sorted()
            }
            try expectEqual(try planned(SuiteSchema.articles), [])
            var article = Article.entity
            article.words = WordRules(Stems.self)
            let stems = Schema(entities: [article, Writer.entity])
            try expectEqual(try planned(stems), keeps ? ["Article 30"] : [])
            try expectEqual(try planned(unsearched), [])
            try trial.another(stems).blocking.close()
            try expectEqual(try planned(stems), [])
            // The schema is the same: only the tokenizer has another version.
            article.words = WordRules(NewerStems.self)
            let newer = Schema(entities: [article, Writer.entity])
            let plan = try trial.provider.planMigration(to: newer, .automatic)
            try expect(plan.isEmpty, plan.description)
            try expectEqual(try planned(newer), keeps ? ["Article 30"] : [])
            try trial.another(newer).blocking.close()
            try expectEqual(try planned(newer), [])
            try trial.another(unsearched).blocking.close()
            try expectEqual(try planned(newer), keeps ? ["Article 30"] : [])
        },
        ConformanceCase(
            "search.index-progress", in: .search, "the progress of making an index at opening is reported",
            requires: [.persistence, .migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(unsearched)
            try trial.write { tx in
                for id in 1...2_500 as ClosedRange<Int64> {
                    _ = try tx.insert(
                        made(
                            "Article", in: tx.schema,
                            [
                                "id": .integer(id), "title": .string("fire \(id)"), "tags": .string("[]"),
                                "reads": .integer(0),
                            ]))
                }
            }
            try trial.close()
            let seen = Journal<StoreProgress>()
            let stack = try await Stack(SuiteSchema.articles, store: trial.provider, onProgress: { seen.add($0) })
            let keeps = try keepsIndexes(stack)
            try expectEqual(try stack.blocking.read { try $0.count(Article.where { $0.search("fire") }) }, 2_500)
            try await stack.close()
            guard keeps else { return }
            let progress = seen.entries.filter { $0.entity == "Article" }
            try expectEqual(progress.map(\.records), [1_024, 2_048, 2_500])
            try expectEqual(Set(progress.map(\.total)), [2_500])
        },
    ]
}
