import ConformanceKit
import GranaryCore

// These cases read and change records that are older than a migration which added attributes or changed names.

var oldRecordCases: [ConformanceCase] {
    [
        ConformanceCase(
            "migration.defaults-in-turn", in: .migration,
            "a record reads the default that an attribute was added with, also after the default is changed",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            var entities = trackEntities
            for value in ["a", "b"] {
                entities[0].attributes.append(Attribute("note_\(value)", String?.self, default: value))
                try trial.open(Schema(entities: entities))
                try trial.write { tx in
                    try tx.insert(made("Track", in: tx.schema, ["title": .string(value)]))
                }
                entities[0].attributes[4].defaultValue = .string("changed")
            }
            let stack = try trial.open(Schema(entities: entities))
            try expectEqual(
                try trackValues("note_a", in: stack), ["a", "a", "a", "a", "changed"].map(StoredValue.string))
            try expectEqual(try trackValues("note_b", in: stack), ["b", "b", "b", "b", "b"].map(StoredValue.string))
            // nil is a value like others.
            try setTrack("note_b", to: .null, ofTrack: 2, in: stack)
            try expectEqual(try trackKeys("note_b == NULL", in: try trial.reopen()), [2])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.after-reset", in: .migration,
            "an attribute that was added in the middle keeps its values when the store is reset, and changed again",
            requires: [.migration, .reopening, .filling], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            try trial.close()
            var entities = trackEntities
            entities[0].attributes.insert(Attribute("note", String?.self), at: 1)
            let stack = try trial.another(Schema(entities: entities))
            try await stack.reset(to: .empty)
            try stack.blocking.write { tx in
                let values: [String: StoredValue] = [
                    "title": .string("one"), "note": .string("middle"), "plays": .integer(7),
                ]
                _ = try tx.insert(made("Track", in: tx.schema, values))
            }
            try stack.blocking.close()
            entities[0].attributes.insert(Attribute("rank", Int?.self), at: 2)
            entities[0].indexes.append(.index("note"))
            let changed = try trial.another(Schema(entities: entities))
            try expectEqual(try trackValues("title", in: changed), [.string("one")])
            try expectEqual(try trackValues("note", in: changed), [.string("middle")])
            try expectEqual(try trackValues("plays", in: changed), [.integer(7)])
            try expectEqual(try trackValues("rank", in: changed), [.null])
            try expectEqual(try trackKeys("note == \"middle\"", in: changed).count, 1)
            try expectEqual(try changed.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.recording-of-old-rows", in: .migration,
            "what is changed of records from before an attribute was added is known by attribute",
            requires: [.migration, .reopening, .changeRecording, .history], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            try trial.close()
            var entities = trackEntities
            entities[0].attributes.append(Attribute("note", String.self, default: "none"))
            entities[0].attributes.append(Attribute("rank", Int?.self))
            let stack = try trial.another(Schema(entities: entities), history: .everything)
            let start = try stack.blocking.read { $0.transactionNumber }
            func changed(_ values: [String: StoredValue]) throws {
                try stack.blocking.write { tx in
                    guard var track = try tx.find("Track", 1) else { return }
                    for (name, value) in values { try track.set(name, toStored: value) }
                    try tx.update(track)
                }
            }
            try changed(["note": .string("none"), "rank": .null])
            try changed(["plays": .integer(11)])
            try changed(["rank": .integer(1)])
            try changed(["note": .string("new")])
            try stack.blocking.write { tx in _ = try tx.delete("Track", 2) }
            let positions = ["plays", "rank", "note"].map { name in
                stack.schema.entities[0].attributes.firstIndex { $0.name == name } ?? 0
            }
            let kinds = try stack.committed(since: start).map { $0.changes?.map(\.kind) ?? [] }
            try expectEqual(kinds, positions.map { [.updated(AttributeSet([$0]))] } + [[.deleted]])
        },
        ConformanceCase(
            "migration.history", in: .migration, "the history and its numbers go on",
            requires: [.migration, .reopening, .changeRecording, .history], modes: [.fresh]
        ) { trial in
            var stack = try trial.another(Schema(entities: trackEntities), history: .everything)
            for number in 1...2 { try stack.blocking.write { tx in try insertTrack(number, tx) } }
            try stack.blocking.close()
            var entities = trackEntities
            entities[0] = renamedTrack
            stack = try trial.another(Schema(entities: entities), history: .everything)
            try stack.blocking.write { tx in _ = try tx.delete("Piece", 1) }
            try expectEqual(try stack.committed(since: 0).map(\.transactionNumber), [1, 2, 3])
        },
    ]
}
