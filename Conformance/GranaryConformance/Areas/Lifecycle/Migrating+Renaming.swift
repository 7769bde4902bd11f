import ConformanceKit
import GranaryCore

var renamingCases: [ConformanceCase] {
    [
        migrating("entity-renamed", "records, references, keys and indexes stay where names change", track: "Piece") {
            entities in
            entities[0] = renamedTrack
            entities[0].attributes[3].reference?.entity = "Record"
            entities[1] = Entity(
                "Record", key: "number",
                attributes: [Attribute("number", Int64.self).renamed(from: "id"), entities[1].attributes[1]],
                indexes: entities[1].indexes
            ).renamed(from: "Album", "Disc")
        } checking: { stack in
            try expectEqual(
                try trackValues("heading", in: stack, "Piece"), ["one", "two", "three"].map(StoredValue.string))
            try expectEqual(try trackKeys("heading == \"two\"", in: stack, "Piece"), [2])
            if stack.capabilities.has(.indexedQueries) {
                try stack.blocking.read {
                    try expectNoFullScan(Request("Piece").where("heading == \"two\""), in: $0)
                }
            }
            try expectEqual(try trackKeys("disc.name == \"first\"", in: stack, "Piece"), [1, 2])
            try stack.blocking.write { tx in _ = try tx.delete("Record", 1) }
            try expectEqual(try trackKeys("disc == NULL", in: stack, "Piece"), [1, 2, 3])
        },
        ConformanceCase(
            "migration.links-renamed", in: .migration, "links stay where the relationship and its owner are renamed",
            requires: [.migration, .reopening], modes: [.fresh]
        ) { trial in
            try trial.open(Schema(entities: linking("Mix", "tracks")))
            try trial.write { tx in
                try tx.insert(made("Tune", in: tx.schema, ["id": .integer(5)]))
                try tx.insert(made("Mix", in: tx.schema, ["id": .integer(1)]))
                try tx.insert(
                    made("Mix_tracks", in: tx.schema, ["source": .integer(1), "target": .integer(5)]))
            }
            let stack = try trial.open(Schema(entities: linking("Tape", "tunes", owner: "Mix", name: "tracks")))
            let links = try stack.blocking.read { try $0.fetch(Request("Tape_tunes")) }
            try expectEqual(links.map { [$0["source"], $0["target"]] }, [[.integer(1), .integer(5)]])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "migration.relationships-declared", in: .migration,
            "a to-many relationship is declared, renamed and removed at once, and opening for writing stores what is declared",
            // A store without indexes is one of plain files, which may keep the relationships that it was made with.
            requires: [.migration, .reopening, .storedSchema, .indexedQueries], modes: [.fresh]
        ) { trial in
            try writeTracks(trial)
            func schema(_ relationships: [Relationship]) -> Schema {
                var entities = trackEntities
                entities[1].relationships = relationships
                return Schema(entities: entities)
            }
            func opened(_ relationships: [Relationship], _ policy: MigrationPolicy = .automatic) throws -> [String] {
                let stack = try trial.another(schema(relationships), migration: policy)
                try expectEqual(try stack.blocking.verify(), [])
                let done = stack.migration.changes.map(\.description)
                try stack.blocking.close()
                return done
            }
            func stored() throws -> [Relationship] {
                let stack = try trial.anotherStored()
                defer { try? stack.blocking.close() }
                return stack.schema.entities.flatMap(\.relationships)
            }
            let tracks = Relationship("tracks", entity: "Track", attribute: "disc")
            let pieces = Relationship("pieces", entity: "Track", attribute: "disc", orderedBy: "plays")
                .renamed(from: "tracks")
            try trial.close()
            // Nothing is refused, and with .refuse nothing is written.
            try expectEqual(try opened([tracks], .refuse), [])
            try expectEqual(try stored(), [])
            let planned = try Blocking<Stack>.plan(schema([tracks]), store: trial.provider)
            try expectEqual(
                planned.difference.changes,
                [.relationshipDeclarationChanged(entity: "Disc", from: nil, to: tracks)])
            try expectEqual(planned.stages.map(\.cost), [.instant])
            try expectEqual(planned.refused, [])
            try expectEqual(try opened([tracks]), ["the to-many relationship Disc.tracks is added"])
            try expectEqual(try stored(), [tracks])
            try expectEqual(try opened([tracks]), [], "it is there")
            try expectEqual(try opened([pieces]), ["Disc.pieces is the new name of the to-many relationship tracks"])
            try expectEqual(try stored(), [pieces])
            try expectEqual(try opened([]), ["the to-many relationship Disc.pieces is removed"])
            try expectEqual(try stored(), [])
            try checkTracks(try trial.another(Schema(entities: trackEntities), migration: .refuse), "Track")
        },
        ConformanceCase(
            "migration.contradictory-renames", in: .migration,
            "contradictory and cyclic renames are refused with their names",
            modes: [.fresh]
        ) { trial in
            func refused(_ entity: String, _ attributes: [String], _ change: (inout [Entity]) -> Void) throws {
                var entities = trackEntities
                change(&entities)
                let error = try expectError(.invalidSchema, entity: entity, attributes: attributes) {
                    try trial.open(Schema(entities: entities))
                }
                try expect(error.message.contains("renamed"), error.message)
            }
            try refused("Track", []) { $0[0] = $0[0].renamed(from: "Disc") }
            try refused("Track", []) {
                $0[0] = $0[0].renamed(from: "Disc")
                $0[1] = $0[1].renamed(from: "Track")
            }
            try refused("Disc", []) {
                $0[0] = $0[0].renamed(from: "Old")
                $0[1] = $0[1].renamed(from: "Old")
            }
            try refused("Track", ["plays"]) { $0[0].attributes[2] = $0[0].attributes[2].renamed(from: "title") }
            try refused("Track", ["plays"]) {
                $0[0].attributes[1] = $0[0].attributes[1].renamed(from: "old")
                $0[0].attributes[2] = $0[0].attributes[2].renamed(from: "old")
            }
        },
    ]
}
