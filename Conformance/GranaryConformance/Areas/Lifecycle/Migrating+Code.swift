import ConformanceKit
import Foundation
import GranaryCore

// Code runs after what its release adds, and before what the release takes away or forbids.

var migrationCodeCases: [ConformanceCase] {
    [
        tags("unique", "code merges records before their values become unique") { trial in
            let stack = try trial.another(tagged(.unique("name")), migration: .plan(MigrationPlan(merging)))
            try expectEqual(try storedValues("name", in: stack, "Tag"), [.string("rock"), .string("jazz")])
            let links = try stack.blocking.read { try $0.fetch(Request("Song_tags")) }
            try expectEqual(
                Set(links.map { [$0["source"], $0["target"]] }),
                [[.integer(1), .integer(1)], [.integer(2), .integer(1)], [.integer(2), .integer(2)]])
            try expectEqual(stack.migration.steps, ["merge"])
            try expectEqual(try stack.blocking.verify(), [])
            try expectError(.uniqueness, entity: "Tag", attributes: ["name"]) {
                try stack.blocking.write { _ = try $0.insert(made("Tag", in: $0.schema, ["name": .string("rock")])) }
            }
            guard trial.subject.keepsHistory else { return }
            try expectEqual(try stack.committed(since: 0).map(\.transactionNumber), [1, 2])
        },
        tags("unique-kept", "what code leaves alike is refused with its keys, and the store is as it was") { trial in
            let step = MigrationStep.code("nothing") { _ in }
            let error = try expectError(
                .uniqueness, entity: "Tag", attributes: ["name"],
                message:
                    "Tag.name cannot become unique: 2 records share their values with others. Make the values differ, or delete records, before the index is made unique."
            ) {
                try trial.another(tagged(.unique("name")), migration: .plan(MigrationPlan(step)))
            }
            try expectEqual(error.duplicates?.keys, [[.integer(1), .integer(3)]])
            let stack = try trial.another(tagged(), migration: .refuse)
            try expectEqual(try stack.blocking.read { try $0.count(Request("Tag")) }, 3)
            try expectEqual(stack.schema.appliedSteps, [])
            try expectEqual(try stack.blocking.verify(), [])
        },
        tags("required", "code gives the values that become required, of attributes that the release removes") {
            trial in
            var entities = tagged().entities
            entities[0].attributes[1] = Attribute("mark", String.self)
            entities[1].attributes[1].isOptional = false
            let step = MigrationStep.code("marks") { store in
                for var tag in try store.fetch(Request("Tag")) {
                    try tag.set("mark", to: "#" + (try tag.value("name", as: String.self)))
                    try store.update(tag)
                }
                for var song in try store.fetch(Request("Song").where("note == NULL")) {
                    try song.set("note", to: "none")
                    try store.update(song)
                }
            }.dropping("Tag.name")
            let planned = try Blocking<Stack>.plan(
                Schema(entities: entities), store: trial.provider, migration: .plan(MigrationPlan(step)))
            try expectEqual(planned.stages.map(\.rewritings), [2])
            let stack = try trial.another(Schema(entities: entities), migration: .plan(MigrationPlan(step)))
            let marks = ["#rock", "#jazz", "#rock"].map { StoredValue.string($0) }
            try expectEqual(try storedValues("mark", in: stack, "Tag"), marks)
            try expectEqual(try storedValues("note", in: stack), [.string("none"), .string("kept")])
            try expectEqual(stack.schema.fingerprint, Schema(entities: entities).fingerprint)
            try expectEqual(try stack.blocking.verify(), [])
        },
        tags("required-left", "what code leaves without a required value is refused, and the store is as it was") {
            trial in
            var entities = tagged().entities
            entities[1].attributes[1].isOptional = false
            let error = try expectError(.required, entity: "Song", attributes: ["note"]) {
                try trial.another(
                    Schema(entities: entities), migration: .plan(MigrationPlan(.code("nothing") { _ in })))
            }
            try expectEqual(error.key, .integer(1))
            let stack = try trial.another(tagged(), migration: .refuse)
            try expectEqual(try storedValues("note", in: stack), [.null, .string("kept")])
        },
        tags("references", "code cleans references before they are checked") { trial in
            func schema(_ lead: Attribute) -> Schema {
                var entities = tagged().entities
                entities[1].attributes.append(lead)
                return Schema(entities: entities)
            }
            let unchecked = [
                Attribute("lead", .int64, isOptional: true),
                Attribute("lead", .int64, isOptional: true, reference: .init(entity: "Tag", onDelete: .noAction)),
            ]
            for (number, unchecked) in unchecked.enumerated() {
                let path = "\(trial.folder)/References-\(number).granary"
                let first = try trial.another(schema(unchecked), at: path)
                try first.blocking.write { tx in
                    _ = try tx.insert(made("Tag", in: tx.schema, ["name": .string("a")]))
                    for lead in [7, 1] as [Int64] {
                        _ = try tx.insert(made("Song", in: tx.schema, ["lead": .integer(lead)]))
                    }
                }
                try first.blocking.close()
                let checked = schema(
                    Attribute("lead", .int64, isOptional: true, reference: .init(entity: "Tag", onDelete: .deny)))
                func open(_ code: @escaping @Sendable (MigrationContext) throws -> Void) throws -> Stack {
                    try trial.another(
                        checked, at: path, migration: .plan(MigrationPlan(.code("leads", run: code))))
                }
                try expectError(.danglingReference, entity: "Song", attributes: ["lead"]) { try open { _ in } }
                let stack = try open { store in
                    for var song in try store.fetch(Request("Song")) {
                        guard let key = song["lead"], try store.find("Tag", key) == nil else { continue }
                        try song.set("lead", toStored: .null)
                        try store.update(song)
                    }
                }
                try expectEqual(try storedValues("lead", in: stack), [.null, .integer(1)])
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
            }
        },
        tags("verbs", "code has the verbs of a context, also for related records of both stores") { trial in
            let step = MigrationStep.code("verbs") { store in
                guard let song = try store.find("Song", 2) else { return }
                let songTags = try song.related("tags")
                try expectEqual(
                    try songTags.all(in: store.old.schema).fetch(in: store.old).map(\.key), [.integer(2), .integer(3)])
                try songTags.remove(keys: [.integer(3)], in: store)
                try expectEqual(try songTags.all(in: store.schema).fetch(in: store).map(\.key), [.integer(2)])
                try expectEqual(try store.count(Request("Tag")), 3)
                guard let last = try store.first(Request("Tag").where("id == 3")) else { return }
                try expectEqual(try store.delete(last), true)
                try expectEqual(try Request("Song").updateAll(setting: ["note": .string("all")], in: store), 2)
                try expectEqual(try Request("Tag").where("name == \"jazz\"").deleteAll(in: store), 1)
                _ = try store.upsert(made("Tag", in: store.schema, ["id": .integer(1), "name": .string("pop")]))
            }
            let stack = try trial.another(tagged(), migration: .plan(MigrationPlan(step)))
            try expectEqual(stack.migration.steps, ["verbs"])
            try expectEqual(try storedValues("name", in: stack, "Tag"), [.string("pop")])
            try expectEqual(try storedValues("note", in: stack), [.string("all"), .string("all")])
            try expectEqual(try stack.blocking.verify(), [])
        },
        tags("external", "large values go by way of the draft") { trial in
            var entities = tagged().entities
            entities[1].attributes.append(Attribute("image", .data, isOptional: true).external(true, from: 1000))
            let large = StoredValue.bytes([UInt8](repeating: 7, count: 5000))
            var stack = try trial.another(Schema(entities: entities))
            try stack.blocking.write { tx in
                _ = try Request("Song").where("id == 1").updateAll(setting: ["image": large], in: tx)
            }
            try stack.blocking.close()
            entities[1].attributes.remove(at: 1)
            let step = MigrationStep.code("images") { store in
                for var song in try store.fetch(Request("Song").where("image == NULL")) {
                    try song.set("image", toStored: large)
                    try store.update(song)
                }
            }.dropping("Song.note")
            stack = try trial.another(Schema(entities: entities), migration: .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("image", in: stack), [large, large])
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
            stack = try trial.another(Schema(entities: entities), migration: .refuse)
            try expectEqual(try storedValues("image", in: stack), [large, large])
        },
        tags("failing", "code that throws an error of its own fails the migration, with that error in the details") {
            trial in
            let error = try expectError(.migrationFailed) {
                try trial.another(tagged(), migration: .plan(MigrationPlan(.code("step") { _ in throw OwnFailure() })))
            }
            try expect(error.details is OwnFailure, "\(error)")
        },
    ]
}

private struct OwnFailure: Error {}

/// Songs have tags.
private func tagged(_ indexes: Index...) -> Schema {
    Schema(entities: [
        Entity(
            "Tag", key: "id", keyGeneration: .assigned,
            attributes: [Attribute("id", Int64.self), Attribute("name", String.self)], indexes: indexes),
        Entity(
            "Song", key: "id", keyGeneration: .assigned,
            attributes: [Attribute("id", Int64.self), Attribute("note", String?.self)],
            relationships: [songRelationship("Song", "tags")]),
        songLinks(from: "Song", "tags", to: "Tag")[0],
    ])
}

/// Keeps the first tag of each name, with the songs of the others.
private let merging = MigrationStep.code("merge") { store in
    var kept: [String: StoredValue] = [:]
    for tag in try store.fetch(Request("Tag")) {
        let name = try tag.value("name", as: String.self)
        guard let first = kept[name] else {
            kept[name] = tag.key
            continue
        }
        for link in try store.fetch(Request("Song_tags").where(.compare("target", .equal, tag.key))) {
            guard let song = try store.find("Song", link["source"] ?? .null) else { continue }
            try song.related("tags").add(keys: [first], in: store)
        }
        try store.delete(tag)
    }
}

private func tags(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.code-\(id)", in: .migration, summary, requires: needed, modes: [.fresh]) { trial in
        let stack = try trial.another(tagged(), history: trial.historyPolicy)
        try stack.blocking.write { tx in
            for name in ["rock", "jazz", "rock"] {
                _ = try tx.insert(made("Tag", in: tx.schema, ["name": .string(name)]))
            }
            for (number, note) in [StoredValue.null, .string("kept")].enumerated() {
                let song = try tx.insert(made("Song", in: tx.schema, ["note": note]))
                let tags: [StoredValue] = number == 0 ? [.integer(1)] : [.integer(2), .integer(3)]
                try song.related("tags").add(keys: tags, in: tx)
            }
        }
        try stack.blocking.close()
        try await body(trial)
    }
}
