import ConformanceKit
import GranaryCore

// A stack removes dropped indexes while it is in use. A store that is opened without a stack, as here, still has them, as does one
// whose process ended too early.

var droppedIndexCases: [ConformanceCase] {
    [
        dropping("used", "where a dropped index is still there, records are written and read as if it were not") {
            trial, _ in
            let store = try trial.provider.open(words([]), migration: .refuse)
            try expectEqual(try store.verify(), [])
            try store.close()
            let stack = try trial.another(words([]), migration: .refuse)
            try stack.blocking.write { tx in
                // It was unique.
                _ = try tx.insert(word(5, "a", tx))
                _ = try tx.delete("Word", 2)
                guard var third = try tx.find("Word", 3) else { return }
                try third.set("text", to: "a")
                try tx.update(third)
            }
            try expectEqual(try keys("text == \"a\"", stack), [1, 3, 5])
            try expectEqual(try keys("text ==[c] \"A\"", stack), [1, 3, 4, 5])
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
        },
        dropping("removed", "what is left of dropped indexes is removed once, and nothing else changes") { trial, _ in
            let store = try trial.provider.open(words([]), migration: .refuse)
            for _ in 0..<2 {
                try store.removeDroppedIndexes()
                try expectEqual(try store.verify(), [])
            }
            try store.close()
            let stack = try trial.another(words([]), migration: .refuse)
            try expectEqual(try keys("count >= 0", stack), [1, 2, 3, 4])
            try stack.blocking.close()
        },
        dropping("again", "an index that is dropped and declared again has the records of now") { trial, indexes in
            for round in 0..<3 {
                let stack = try trial.another(words(indexes))
                try expectEqual(stack.migration.changes.map(\.cost), indexes.map { _ in .instant })
                if stack.capabilities.has(.indexedQueries) {
                    try stack.blocking.read {
                        try expectNoFullScan(Request("Word").where("text == \"a\""), in: $0)
                    }
                }
                try expectEqual(try keys("text ==[c] \"a\"", stack), [1, 4])
                let text = "new \(round)"
                try stack.blocking.write { tx in _ = try tx.insert(word(10 + Int64(round), text, tx)) }
                try expectError(.uniqueness, entity: "Word", attributes: ["text"]) {
                    try stack.blocking.write { tx in _ = try tx.insert(word(20, text, tx)) }
                }
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
                try trial.provider.open(words([]), migration: .automatic).close()
            }
        },
        dropping("renamed", "a migration goes on where the one before has left dropped indexes") { trial, indexes in
            var entity = words(indexes).entities[0].renamed(from: "Word")
            entity.name = "Term"
            entity.attributes[1] = Attribute("name", String.self).renamed(from: "text")
            entity.attributes.append(Attribute("note", String?.self))
            entity.indexes = [.index("name"), .index("note")]
            let schema = Schema(entities: [entity])
            try trial.provider.open(schema, migration: .automatic).close()
            // Renamed and dropped at once.
            entity = entity.renamed(from: "Term")
            entity.name = "Expression"
            entity.attributes[1] = Attribute("form", String.self).renamed(from: "name")
            entity.indexes = []
            let store = try trial.provider.open(Schema(entities: [entity]), migration: .automatic)
            try expectEqual(try store.verify(), [])
            try store.close()
            let stack = try trial.another(Schema(entities: [entity]), migration: .refuse)
            try expectEqual(
                try stack.blocking.read {
                    try $0.fetch(Request("Expression")).map { $0["form"] }
                }.count, 4)
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
            // What rewrites records makes a new store.
            entity.attributes[2] = Attribute("count", String.self)
            let rewritten = try trial.another(Schema(entities: [entity]), migration: .inferred)
            try expectEqual(try rewritten.blocking.verify(), [])
            try rewritten.blocking.close()
        },
        dropping("copied", "a store with dropped indexes is backed up, compacted, reset, and its indexes made anew") {
            trial, _ in
            let store = try trial.provider.open(words([]), migration: .refuse)
            try store.rebuildIndexes()
            try store.compact()
            try expectEqual(try store.verify(), [])
            if store.capabilities.has(.persistence), store.capabilities.has(.storedSchema) {
                let path = "\(trial.storePath)-saved"
                try store.backUp(to: path)
                let saved = try trial.another(words([]), at: path, migration: .refuse)
                try expectEqual(try keys("count >= 0", saved), [1, 2, 3, 4])
                try expectEqual(try saved.blocking.verify(), [])
                try saved.blocking.close()
            }
            try store.close()
            let stack = try trial.another(words([]), migration: .refuse)
            try await stack.reset(to: .empty)
            try expectEqual(try keys("count >= 0", stack), [])
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
        },
    ]
}

private func words(_ indexes: [Index]) -> Schema {
    Schema(entities: [
        Entity(
            "Word", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("text", String.self), Attribute("count", Int64.self, default: 0),
            ], indexes: indexes)
    ])
}

private func word(_ key: Int64, _ text: String, _ tx: Transaction) throws -> DynamicRecord {
    try made("Word", in: tx.schema, ["id": .integer(key), "text": .string(text)])
}

private func keys(_ condition: String, _ stack: Stack) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request("Word").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}

/// A case that begins with four words, and with what is left of indexes that were dropped.
private func dropping(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial, [Index]) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "migration.index-dropped-\(id)", in: .migration, summary,
        requires: id == "copied" ? [.migration, .reopening, .filling] : [.migration, .reopening], modes: [.fresh]
    ) { trial in
        let indexes: [Index] = [.unique("text"), .index("text", folding: .caseInsensitive), .index("count")]
        let stack = try trial.another(words(indexes))
        try stack.blocking.write { tx in
            for (number, text) in ["a", "b", "c", "A"].enumerated() {
                _ = try tx.insert(word(Int64(number) + 1, text, tx))
            }
        }
        try stack.blocking.close()
        try trial.provider.open(words([]), migration: .automatic).close()
        try await body(trial, indexes)
    }
}
