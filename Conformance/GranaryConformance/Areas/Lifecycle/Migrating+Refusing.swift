import ConformanceKit
import GranaryCore

var refusingCases: [ConformanceCase] {
    [
        refusing("attribute-removed", ["Track.plays: int64 = 0 is removed"]) { entities in
            entities[0].attributes.remove(at: 2)
        },
        refusing("entity-removed", ["Track is removed"]) { $0.remove(at: 0) },
        refusing(
            "required-added", ["Track.note: string is added"],
            saying: "Track.note must have a value, and the schema has no default for the records that are there"
        ) { entities in
            entities[0].attributes.append(Attribute("note", String.self))
        },
        refusing("type-changed", ["Track.plays changes from int64 to string"]) {
            entities in
            entities[0].attributes[2] = Attribute("plays", String.self)
        },
        refusing("made-required", ["Track.disc becomes required"]) {
            entities in
            entities[0].attributes[3].isOptional = false
            entities[0].attributes[3].reference?.onDelete = .deny
        },
        refusing("key-changed", ["Disc: the key changes from id to name"]) { entities in
            entities[1].key = "name"
            entities[0].attributes[3].reference = nil
        },
        refusing(
            "one-of-several",
            ["Track.plays: int64 = 0 is removed"]
        ) { entities in
            entities[0].attributes[2] = Attribute("note", String?.self)
            entities.append(shelfEntity)
        },
        ConformanceCase(
            "migration.duplicates", in: .migration,
            "uniqueness that records do not have is refused with their keys, and the store stays as it was",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            try trial.write { tx in
                for (number, plays) in [(4, 20), (5, 20), (6, 30), (7, 70)] {
                    try tx.insert(
                        made("Track", in: tx.schema, ["title": .string("\(number)"), "plays": .integer(Int64(plays))]))
                }
            }
            try trial.close()
            var entities = trackEntities
            entities[0].indexes.append(.unique("plays"))
            entities.append(shelfEntity)
            let error = try expectError(
                .uniqueness, entity: "Track", attributes: ["plays"],
                message:
                    "Track.plays cannot become unique: 5 records share their values with others. Make the values differ, or delete records, before the index is made unique."
            ) { try trial.open(Schema(entities: entities)) }
            try expectEqual(
                error.duplicates?.keys, [[.integer(2), .integer(4), .integer(5)], [.integer(3), .integer(6)]])
            let stack = try trial.another(Schema(entities: trackEntities), migration: .refuse)
            try expectEqual(try trackKeys("plays > 0", in: stack), [1, 2, 3, 4, 5, 6, 7])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.refuse", in: .migration, "the policy .refuse and opening for reading migrate nothing",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            try trial.close()
            let schema = Schema(entities: trackEntities + [shelfEntity])
            for access in [StoreAccess.readWrite, .readOnly]
            where access == .readWrite || trial.subject.has(.readOnlyOpening) {
                // A store in memory is not opened for reading, and so has the first of two errors alone.
                let error = try expectError(.schemaMismatch, entity: "Shelf", isOwnText: true) {
                    try trial.another(schema, access: access, migration: access == .readOnly ? .automatic : .refuse)
                }
                try expectEqual(error.schemaDifference?.changes, [.entityAdded("Shelf")])
            }
            try checkTracks(try trial.another(Schema(entities: trackEntities), migration: .refuse), "Track")
        },
        ConformanceCase(
            "migration.open-elsewhere", in: .migration,
            "a store that another stack of the process has open is not migrated", modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            let schema = Schema(entities: trackEntities + [shelfEntity])
            let error = try expectError(.schemaMismatch) { try trial.another(schema) }
            try expectEqual(error.schemaDifference?.changes, [.entityAdded("Shelf")])
            try checkTracks(try trial.stack, "Track")
        },
    ]
}

private func refusing(
    _ id: String, _ changes: [String], saying advice: String = "", change: @escaping @Sendable (inout [Entity]) -> Void
) -> ConformanceCase {
    ConformanceCase(
        "migration.\(id)", in: .migration, "what rewrites records or loses values is refused, and nothing is changed",
        requires: [.migration, .reopening], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        try trial.close()
        var entities = trackEntities
        change(&entities)
        let error = try expectError(.schemaMismatch) { try trial.open(Schema(entities: entities)) }
        let costly = error.schemaDifference?.changes.filter { $0.cost > .instant }.map(\.description)
        try expectEqual(costly, changes)
        for text in changes + [advice] where !text.isEmpty {
            try expect(error.message.contains(text), error.message)
        }
        try checkTracks(try trial.another(Schema(entities: trackEntities), migration: .refuse), "Track")
    }
}
