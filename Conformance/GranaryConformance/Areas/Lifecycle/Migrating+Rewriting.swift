import ConformanceKit
import Foundation
import GranaryCore

// Changes that rewrite records. A store is written with the schema `original`, opened with another, and looked at: whatever the case
// does not change must be as it was, history, assigned keys and the numbers of commits included.

var rewritingCases: [ConformanceCase] {
    changingCases + losingCases
}

private var changingCases: [ConformanceCase] {
    [
        rewriting("attribute-removed", "an attribute that is dropped is gone", dropping("Song.plays")) { entities in
            entities[0].attributes.remove(at: 2)
        } checking: { stack in
            try expectEqual(try stack.blocking.read { try $0.find("Song", 1)?["plays"] }, nil)
        },
        rewriting(
            "entity-removed", "an entity that is dropped is gone", dropping("Artist", "Song.artist", "Band.leaders")
        ) {
            entities in
            entities[0].attributes.remove(at: 4)
            entities[6].relationships = []
            entities.remove(at: 7)
            entities.remove(at: 1)
        },
        rewriting("links-removed", "links that are dropped are gone", dropping("Mix.songs")) { entities in
            entities[2].relationships = []
            entities.remove(at: 3)
        },
        rewriting("required-added", "a required attribute is added to an entity without records", .inferred) {
            entities in
            entities[4].attributes.append(Attribute("note", String.self))
        },
        rewriting("made-required", "nil becomes the default where an attribute becomes required", .inferred) {
            entities in
            entities[0].attributes[3] = Attribute("code", String.self, default: "none")
        } checking: { stack in
            try expectEqual(try storedValues("code", in: stack), ["1", "none", "30"].map(StoredValue.string))
        },
        rewriting("made-required-without-nils", "an attribute without nils becomes required", .inferred) { entities in
            entities[1].attributes[2].isOptional = false
        },
        rewriting("conversions", "values are converted to types that hold all of them", .inferred) { entities in
            entities[5].attributes[1].type = .int64
            entities[5].attributes[2].type = .string
            entities[5].attributes[3].type = .string
            entities[5].attributes[4].type = .data
            entities[5].attributes[5].type = .double
            entities[5].attributes[6].type = .string
            entities[5].attributes[7].type = .decimal
            entities[5].attributes[8].type = .string
        } checking: { stack in
            let all = try stack.blocking.read {
                try $0.fetch(Request("Measure")).map { Array($0.values.dropFirst()) }
            }
            try expectEqual(
                all,
                [
                    [
                        .integer(-7), .string("-1.5"), .string("9007199254740993"), .bytes(Array("é".utf8)),
                        .real(12.25),
                        .string("true"), StoredValue(encoding: Decimal(string: "12.34") ?? 0),
                        .string("6F9619FF-8B86-D011-B42D-00C04FC964FF"),
                    ],
                    [
                        .integer(0), .string("0.0"), .string("0"), .bytes([]), .real(0), .string("false"),
                        StoredValue(encoding: Decimal(0)), .string("00000000-0000-0000-0000-000000000000"),
                    ],
                ])
        },
        rewriting("key-type", "references and links follow a key that gets another type", .inferred) { entities in
            entities[0].attributes[4].type = .string
            entities[1].attributes[0].type = .string
            entities[1].keyGeneration = .explicit
            entities[7].attributes[2].type = .string
        } checking: { stack in
            try expectEqual(
                try stack.blocking.read {
                    try $0.fetch(Request("Artist")).map(\.key)
                }, [.string("1"), .string("2")])
            try expectEqual(try storedValues("artist", in: stack), [.string("1"), .null, .string("2")])
            try expectEqual(try keys("artist.name == \"Can\"", in: stack), [1])
        },
        rewriting("key-of-links", "links follow a key that gets another type", .inferred) { entities in
            entities[2].attributes[0].type = .string
            entities[3].attributes[1].type = .string
        } checking: { stack in
            let links = try stack.blocking.read { try $0.fetch(Request("Mix_songs").sorted(by: "position")) }
            try expectEqual(
                links.map { [$0["source"], $0["target"]] },
                [[.string("7"), .integer(3)], [.string("7"), .integer(1)]])
        },
        rewriting("another-key", "references follow where another attribute becomes the key", .inferred) { entities in
            entities[1].key = "name"
            entities[1].keyGeneration = .explicit
            entities[0].attributes[4].type = .string
            entities[7].attributes[2].type = .string
        } checking: { stack in
            try expectEqual(try storedValues("artist", in: stack), [.string("Can"), .null, .string("Neu")])
            try expectEqual(try keys("artist.id == 2", in: stack), [3])
        },
        rewriting("reference-to-links", "a reference becomes links of its name", .inferred) { entities in
            entities[0].attributes.remove(at: 4)
            entities += songLinks(from: "Song", "artist", to: "Artist")
            entities[0].relationships = [songRelationship("Song", "artist")]
        } checking: { stack in
            let links = try stack.blocking.read { try $0.fetch(Request("Song_artist")) }
            try expectEqual(
                links.map { [$0["source"], $0["target"]] }, [[.integer(1), .integer(1)], [.integer(3), .integer(2)]])
            let key = try stack.blocking.write { tx in
                try tx.insert(
                    made("Song_artist", in: tx.schema, ["source": .integer(2), "target": .integer(2)])
                ).key
            }
            try expectEqual(key, .integer(3))
        },
        rewriting(
            "links-to-reference", "links become a reference where each record has one", converting("Band.leaders")
        ) {
            entities in
            entities[6].relationships = []
            entities[6].attributes.append(
                Attribute("leader", .int64, isOptional: true, reference: .init(entity: "Artist", onDelete: .nullify))
                    .renamed(
                        from: "leaders"))
            entities.remove(at: 7)
        } checking: { stack in
            try expectEqual(
                try stack.blocking.read {
                    try $0.fetch(Request("Band")).map { $0["leader"] }
                }, [.integer(2), .null])
        },
        rewriting("links-ordered", "links that get an order are in that in which they were made", .inferred) {
            entities in
            entities[7].attributes.append(Attribute("position", .int64))
            entities[7].indexes.append(.index("source", "position"))
            entities[6].relationships[0].orderedBy = "position"
        } checking: { stack in
            try expectEqual(
                try stack.blocking.read {
                    try $0.count(Request("Band_leaders").where("position > 0"))
                }, 1)
        },
        rewriting("links-unordered", "links lose their order where that is allowed", converting("Mix.songs")) {
            entities in
            entities[3].attributes.removeLast()
            entities[3].indexes.removeAll { $0.attributes.contains("position") }
            entities[2].relationships[0].orderedBy = nil
        } checking: { stack in
            try expectEqual(try stack.blocking.read { try $0.count(Request("Mix_songs")) }, 2)
        },
        rewriting("with-instant-ones", "changes that rewrite are made together with renames and indexes", .inferred) {
            entities in
            entities[0].attributes[3] = Attribute("number", String.self, default: "0").renamed(from: "code")
            entities[0].indexes = [.unique("title", folding: .caseInsensitive), .index("number")]
            entities[0].attributes.append(Attribute("note", String?.self))
        } checking: { stack in
            try expectEqual(try storedValues("number", in: stack), ["1", "0", "30"].map(StoredValue.string))
            try expectEqual(try keys("number == \"30\"", in: stack), [3])
            try expectError(.uniqueness, entity: "Song", attributes: ["title"]) {
                try stack.blocking.write { tx in
                    _ = try tx.insert(made("Song", in: tx.schema, ["title": .string("ONE")]))
                }
            }
        },
        rewriting(
            "narrowed", "values are converted to a narrower type that holds them", converting("Song.plays", "Song.code")
        ) {
            entities in
            entities[0].attributes[2] = Attribute("plays", Int8.self, default: 0)
            entities[0].attributes[3] = Attribute("code", Int?.self)
        } checking: { stack in
            try expectEqual(try storedValues("code", in: stack), [.integer(1), .null, .integer(30)])
            try expectEqual(try storedValues("plays", in: stack), [.integer(10), .integer(20), .integer(30)])
        },
        rewriting("reference-added", "an attribute becomes a reference where its values are keys", .inferred) {
            entities in
            entities[1].attributes[2].reference = .init(entity: "Song", onDelete: .nullify)
        } checking: { stack in
            try stack.blocking.write { tx in _ = try tx.delete("Song", 3) }
            try expectEqual(try stack.blocking.read { try $0.find("Artist", 1)?["best"] }, .null)
        },
        rewriting("key-generation", "keys that records had are not assigned again", .inferred) { entities in
            entities[2].keyGeneration = .assigned
        } checking: { stack in
            let key = try stack.blocking.write { tx in try tx.insert(made("Mix", in: tx.schema, [:])).key }
            try expectEqual(key, .integer(8))
        },
        ConformanceCase(
            "migration.numbers-not-reused", in: .migration,
            "what is added after a removal is new, also in the history", requires: needed.union([.changeRecording]),
            modes: [.fresh]
        ) { trial in
            try writeSongs(trial)
            var entities = original
            entities[0].attributes.removeLast()
            entities[6].relationships = []
            entities.removeLast()
            try trial.another(Schema(entities: entities), migration: dropping("Song.year", "Band.leaders")).blocking
                .close()
            entities[0].attributes.append(Attribute("mood", String?.self))
            entities[6] = original[6]
            entities.append(original[7])
            let stack = try trial.another(Schema(entities: entities))
            try expectEqual(try storedValues("mood", in: stack), [.null, .null, .null])
            try expectEqual(stack.schema.entities[0].attributes.last?.id, original[0].attributes.count + 1)
            try expectEqual(stack.schema.entities.last?.id, original.count + 1)
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.rewriting-not-automatic", in: .migration,
            "what rewrites records is done only if that is allowed",
            requires: needed, modes: [.fresh]
        ) { trial in
            try writeSongs(trial)
            var entities = original
            entities[0].attributes[2].type = .string
            entities[0].attributes[2].defaultValue = nil
            let schema = Schema(entities: entities)
            let error = try expectError(.schemaMismatch, entity: "Song") { try trial.another(schema) }
            try expectEqual(error.plannedMigration?.cost, .rewriting)
            try expectEqual(error.plannedMigration?.refused.map(\.cost), [.rewriting])
            try checkSongs(try trial.another(Schema(entities: original), migration: .refuse))
        },
        ConformanceCase(
            "migration.rewriting-open-elsewhere", in: .migration,
            "a store that another stack of the process has open is not rewritten", requires: needed, modes: [.fresh]
        ) { trial in
            try writeSongs(trial)
            let stack = try trial.another(Schema(entities: original))
            var entities = original
            entities[0].attributes[1].type = .data
            entities[0].indexes = []
            try expectError(.schemaMismatch) { try trial.another(Schema(entities: entities), migration: .inferred) }
            try checkSongs(stack)
        },
    ]
}

private func keys(_ condition: String, in stack: Stack) throws -> [Int64] {
    try stack.blocking.read { snapshot in
        try snapshot.fetch(Request("Song").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}

private func rewriting(
    _ id: String, _ summary: String, _ policy: MigrationPolicy, change: @escaping @Sendable (inout [Entity]) -> Void,
    checking check: @escaping @Sendable (Stack) throws -> Void = { _ in }
) -> ConformanceCase {
    ConformanceCase("migration.rewrites-\(id)", in: .migration, summary, requires: needed, modes: [.fresh]) { trial in
        try writeSongs(trial)
        var entities = original
        change(&entities)
        let schema = Schema(entities: entities)
        let planned = try Blocking<Stack>.plan(schema, store: trial.provider, migration: policy)
        try expectEqual(planned.refused, [])
        try expect((planned.cost ?? .instant) > .instant, "\(planned)")
        try expectEqual(planned.records.first { $0.entity == "Song" }?.count, 3)
        let stack = try trial.another(schema, migration: policy, history: trial.historyPolicy)
        try expectEqual(stack.migration.changes, planned.difference.changes)
        // What is not changed is as it was.
        try expectEqual(try stack.blocking.verify(), [])
        try expectEqual(
            try stack.blocking.read {
                try $0.fetch(Request("Song")).map(\.key)
            }, [1, 2, 3].map(StoredValue.integer))
        if entities[0].attributes.contains(where: { $0.name == "title" && $0.type == .string }) {
            try expectEqual(try storedValues("title", in: stack), ["one", "two", "three"].map(StoredValue.string))
        }
        if let links = try? stack.blocking.read({ try $0.fetch(Request("Mix_songs").sorted(by: "position")) }) {
            try expectEqual(links.map { $0["target"] }, [.integer(3), .integer(1)])
        }
        if trial.subject.keepsHistory {
            let keysChange = planned.difference.changes.contains { change in
                switch change {
                case .keyChanged: true
                case .typeChanged(let entity, let attribute, _, _):
                    entities.contains { $0.name == entity && $0.key == attribute }
                default: false
                }
            }
            if keysChange {
                // Its entries name records by keys that are gone. Only a store with a history has the error.
                try expectError(.historyGone, isOwnText: true) { try stack.committed(since: 0) }
            } else {
                try expectEqual(try stack.committed(since: 0).map(\.transactionNumber), [1, 2, 3])
            }
        }
        try check(stack)
        let count = try storedValues("id", in: stack).count
        let next = try stack.blocking.write { tx in
            try tx.insert(made("Song", in: tx.schema, ["title": .string("next")])).key
        }
        try expect(next >= .integer(5), "keys go on, and not at \(next)")
        try expectEqual(try stack.blocking.verify(), [])
        try stack.blocking.close()
        // It is migrated once.
        let again = try trial.another(schema, migration: policy)
        try expectEqual(again.migration.changes, [])
        try again.blocking.close()
        let last = try trial.another(schema, migration: .refuse)
        try expectEqual(try storedValues("id", in: last).count, count + 1)
    }
}
