import ConformanceKit
import Foundation
import GranaryCore

/// The articles with some of their attributes searchable, by weight.
private func articles(_ weights: [String: Double]) -> Schema {
    var article = Article.entity
    for position in article.attributes.indices {
        article.attributes[position] = article.attributes[position].searchable(
            weight: weights[article.attributes[position].name])
    }
    return Schema(entities: [article, Writer.entity])
}

private func found(_ text: String, in stack: Stack) throws -> [StoredValue] {
    try stack.blocking.read { try $0.fetch(Request("Article").where("search(%@)", text)).map { $0["id"] ?? .null } }
}

var searchableCases: [ConformanceCase] {
    [
        ConformanceCase("search.schema", in: .search, "a schema says in its JSON what is searchable") { _ in
            let schema = articles(["title": 2.5, "body": 1])
            let again = try Schema(json: schema.json())
            try expectEqual(again.entities[0].attributes.map(\.searchWeight), [nil, 2.5, 1, nil, nil, nil])
            try expectEqual(again.fingerprint, schema.fingerprint)
            try expect(schema.fingerprint != articles(["title": 2.5]).fingerprint, "one attribute less is the same")
            try expect(
                schema.fingerprint != articles(["title": 1, "body": 1]).fingerprint, "another weight is the same")
        },
        ConformanceCase(
            "search.added", in: .search, "an attribute becomes searchable, and what is stored is found",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(articles([:]))
            try trial.insert([
                Writer(id: 1, name: "x")
            ])
            try trial.write { tx in
                for id in 1...3 as ClosedRange<Int64> {
                    _ = try tx.insert(
                        made(
                            "Article", in: tx.schema,
                            [
                                "id": .integer(id), "title": .string(id < 3 ? "fire" : "ash"), "tags": .string("[]"),
                                "reads": .integer(0),
                            ]))
                }
            }
            _ = try expectError(.invalidQuery) { try found("fire", in: trial.stack) }
            try trial.close()
            let plan = try trial.provider.planMigration(to: articles(["title": 1]), .automatic)
            try expectEqual(plan.difference.changes.map(\.description), ["Article.title is searchable with weight 1.0"])
            try expectEqual(plan.cost, .instant)
            let stack = try trial.another(articles(["title": 1]))
            try expectEqual(try found("fire", in: stack), [.integer(1), .integer(2)])
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
            let more = try trial.another(articles(["title": 1, "body": 2]))
            try expectEqual(try found("fire", in: more), [.integer(1), .integer(2)])
            try more.blocking.close()
            let none = try trial.another(articles([:]))
            _ = try expectError(.invalidQuery) { try found("fire", in: none) }
        },
        ConformanceCase(
            "search.added-again", in: .search, "what changes while an attribute is not searchable is found later",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(articles(["title": 1]))
            func insert(_ stack: Stack, _ id: Int64, _ title: String) throws {
                try stack.blocking.write { tx in
                    _ = try tx.insert(
                        made(
                            "Article", in: tx.schema,
                            [
                                "id": .integer(id), "title": .string(title), "tags": .string("[]"),
                                "reads": .integer(0),
                            ]))
                }
            }
            try insert(trial.stack, 1, "fire")
            try insert(trial.stack, 2, "fire")
            try trial.close()
            let without = try trial.another(articles([:]))
            try insert(without, 3, "fire")
            try without.blocking.write { tx in _ = try tx.delete("Article", 1) }
            try without.blocking.close()
            let again = try trial.another(articles(["title": 1]))
            try expectEqual(try found("fire", in: again), [.integer(2), .integer(3)])
            try expectEqual(try again.blocking.verify(), [])
        },
        ConformanceCase("search.wrong-declarations", in: .search, "what has no words cannot be searchable") { trial in
            func refused(_ attribute: Attribute, _ words: String, line: Int = #line) throws {
                let schema = Schema(entities: [
                    Entity("A", key: "id", attributes: [Attribute("id", Int64.self), attribute])
                ])
                let error = try expectError(.invalidSchema, line: line) { try schema.validate() }
                try expect(error.message.contains(words), "\(error.message) lacks \(words)", line: line)
            }
            try refused(Attribute("n", Int64.self).searchable(), "text")
            try refused(Attribute("n", Data.self).searchable(), "text")
            for weight in [0, -1, .nan, .infinity, 1e300] {
                try refused(Attribute("n", String.self).searchable(weight: weight), "\(weight)")
            }
            let many = (0..<60).map { Attribute("a\($0)", String.self).searchable() }
            let schema = Schema(entities: [Entity("A", key: "id", attributes: [Attribute("id", Int64.self)] + many)])
            _ = try expectError(.invalidSchema) { try schema.validate() }
        },
        ConformanceCase("search.text-key", in: .search, "the key itself and URLs may be searchable") { trial in
            let entity = Entity(
                "Site", key: "name",
                attributes: [Attribute("name", String.self).searchable(), Attribute("url", URL.self).searchable()])
            let stack = try trial.open(Schema(entities: [entity]))
            try trial.write { tx in
                _ = try tx.insert(
                    made(
                        "Site", in: tx.schema,
                        ["name": .string("big fire"), "url": .string("https://example.org/smoke")]))
            }
            for text in ["fire", "example.org", "smoke", "https"] {
                let count = try stack.blocking.read { try $0.count(Request("Site").where("search(%@)", "\"\(text)\"")) }
                try expectEqual(count, 1, text)
            }
        },
    ]
}
