import ConformanceKit
import Foundation
import GranaryCore
import GranarySeeds

/// Titles of which a few have the word "fire".
private func titles(_ count: Int, fire: Int) -> [String] {
    (1...count).map { $0 % (count / fire) == 0 ? "fire number \($0)" : "smoke number \($0 % 7)" }
}

/// Fails unless a search is answered by an index of words.
private func expectIndex(_ stack: Stack, line: Int = #line) throws {
    guard stack.capabilities.has(.indexedQueries) else { return }
    let plan = try stack.blocking.read { try Article.where { $0.search("fire") }.explain(in: $0) }
    try expect(plan.steps.contains { $0.index == "words" }, "the plan is \(plan)", line: line)
}

private func found(_ stack: Stack, _ search: SearchText) throws -> Int {
    try stack.blocking.read { try $0.count(Article.where { $0.search(search) }) }
}

var wordIndexesCases: [ConformanceCase] {
    [
        ConformanceCase("search.index", in: .search, "an index of words answers a search") { trial in
            _ = try Articles(trial, titles: titles(400, fire: 4))
            try expectIndex(trial.stack)
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }), [100, 200, 300, 400])
            try expectEqual(
                try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank).limit(2).offset(1)), [200, 300])
            try expectEqual(
                try trial.read { snapshot in
                    try Article.where { $0.search("fire") }.sorted(by: .rank).limit(2).select { ($0.title, $0.id) }
                        .fetch(in: snapshot).map(\.0)
                }, ["fire number 100", "fire number 200"])
            try expectEqual(try found(trial.stack, "smoke"), 396)
            try expectEqual(try found(trial.stack, .none("smoke")), 4)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.index-many", in: .search, "words of many records, in several blocks", modes: [.fresh]) {
            trial in
            _ = try Articles(trial, titles: titles(3_000, fire: 1_500))
            try expectEqual(try found(trial.stack, "fire"), 1_500)
            try expectEqual(try found(trial.stack, "number"), 3_000)
            try expectEqual(try trial.keys(Article.where { $0.search("fire 2222") }), [2222])
            try trial.write { tx in
                try Article.where { $0.id <= 1_000 }.updateAll(in: tx) { $0.set(\.body, to: "rain") }
                try Article.where { $0.id > 2_500 }.deleteAll(in: tx)
            }
            try expectEqual(try found(trial.stack, "rain"), 1_000)
            try expectEqual(try found(trial.stack, "fire"), 1_250)
            try expectEqual(try found(trial.stack, "number -rain"), 1_500)
            try expectEqual(try trial.stack.blocking.verify(), [])
            try trial.write { tx in _ = try Article.all.deleteAll(in: tx) }
            try expectEqual(try found(trial.stack, "number"), 0)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.index-keys", in: .search, "keys of any kind and size are found") { trial in
            let site = Entity(
                "Site", key: "name",
                attributes: [Attribute("name", String.self), Attribute("text", String.self).searchable()])
            let page = Entity(
                "Page", key: "id",
                attributes: [Attribute("id", UUID.self), Attribute("text", String.self).searchable()])
            try trial.open(Schema(entities: [site, page]))
            let names = [
                "", "a", "a\u{0}b", String(repeating: "k", count: 330), String(repeating: "k", count: 400), "é",
            ]
            try trial.write { tx in
                for name in names {
                    _ = try tx.insert(made("Site", in: tx.schema, ["name": .string(name), "text": .string("fire")]))
                }
                for byte in [0, 127, 255] as [UInt8] {
                    let id = StoredValue.bytes([UInt8](repeating: byte, count: 16))
                    _ = try tx.insert(made("Page", in: tx.schema, ["id": id, "text": .string("fire")]))
                }
            }
            for (name, count) in [("Site", 6), ("Page", 3)] {
                let request = try Request(name).where("search('fire')")
                try expectEqual(try trial.read { try request.fetch(in: $0).count }, count, name)
                try expectEqual(
                    try trial.read { try request.sorted(by: "-rank()").limit(9).fetch(in: $0).count }, count, name)
                try expectEqual(try trial.read { try request.count(in: $0) }, count, name)
            }
            try trial.write { tx in _ = try tx.delete("Site", names[4]) }
            try expectEqual(try trial.read { try Request("Site").where("search('fire')").count(in: $0) }, 5)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.index-extremes", in: .search, "the least and the greatest keys are in order") { trial in
            let keys: [Int64] = [.min, -1, 0, 1, .max]
            _ = try Articles(trial, keys.map { Article(id: $0, title: "fire") })
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }), keys)
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }.sorted(by: .rank).limit(9)), keys)
            try trial.write { tx in for key in keys.dropLast() { _ = try tx.delete(Article.self, key) } }
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }), [.max])
        },
        ConformanceCase(
            "search.index-copies", in: .search, "copies, seeds, compacting and resets keep what is found",
            requires: [.persistence, .filling], modes: [.fresh]
        ) { trial in
            _ = try Articles(trial, titles: titles(300, fire: 3))
            let copy = trial.folder + "/Copy.granary"
            try await trial.stack.copy(to: trial.subject.storeProvider(at: copy)).close()
            let backup = trial.folder + "/Backup.granary"
            try await trial.stack.backUp(to: URL(filePath: backup))
            let seeded = try trial.another(
                SuiteSchema.articles, at: trial.folder + "/Seeded.granary",
                seed: .store(trial.subject.provider(copy, .readOnly)))
            for stack in [
                try trial.another(SuiteSchema.articles, at: copy), try trial.another(SuiteSchema.articles, at: backup),
                seeded,
            ] {
                try expectEqual(try found(stack, "fire"), 3)
                try expectIndex(stack)
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.write { try $0.update(Article(id: 5, title: "fire")) }
                try expectEqual(try found(stack, "fire"), 4)
                try expectEqual(try stack.blocking.verify(), [])
            }
            try await trial.stack.compact()
            try expectEqual(try found(trial.stack, "fire"), 3)
            try expectIndex(trial.stack)
        },
        ConformanceCase(
            "search.index-reset", in: .search, "after a reset nothing old is found, and what is new is",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            _ = try Articles(trial, titles: titles(300, fire: 3))
            try await trial.stack.reset(to: .empty)
            try expectEqual(try found(trial.stack, "fire"), 0)
            try trial.insert([Article(id: 7, title: "fire"), Article(id: 8, title: "smoke")])
            try expectEqual(try trial.keys(Article.where { $0.search("fire") }), [7])
            try expectIndex(trial.stack)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.index-rebuilt", in: .search, "the indexes of words are made anew with the others", modes: [.fresh]
        ) { trial in
            _ = try Articles(trial, titles: titles(300, fire: 3))
            try await trial.stack.rebuildIndexes()
            try expectEqual(try found(trial.stack, "fire"), 3)
            try expectIndex(trial.stack)
            try trial.write { _ = try $0.delete(Article.self, 100) }
            try expectEqual(try found(trial.stack, "fire"), 2)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.index-migrated", in: .search, "an index follows migrations of every cost",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            _ = try Articles(trial, titles: titles(300, fire: 3))
            var entities = SuiteSchema.articles.entities
            try trial.close()
            func open(_ change: (inout Entity) -> Void) throws -> Stack {
                change(&entities[1])
                return try trial.another(Schema(entities: entities), migration: .inferred)
            }
            func expectFound(_ stack: Stack, line: Int = #line) throws {
                let request = try Request("Article").where("search('fire')")
                try expectEqual(
                    try stack.blocking.read { try request.fetch(in: $0).map { $0["id"] ?? .null } },
                    [.integer(100), .integer(200), .integer(300)], line: line)
                try expectEqual(try stack.blocking.verify(), [], line: line)
                try stack.blocking.close()
            }
            // Nothing is rewritten: an attribute more, another name, another weight.
            try expectFound(try open { $0.attributes.append(Attribute("note", String?.self).searchable()) })
            try expectFound(
                try open { $0.attributes[1] = Attribute("heading", String.self).renamed(from: "title").searchable() })
            try expectFound(try open { $0.attributes[1] = Attribute("heading", String.self).searchable(weight: 9) })
            // Every record is rewritten.
            try expectFound(try open { $0.attributes[5] = Attribute("reads", .decimal) })
        },
    ]
}
