import GranaryCore

// A store that was written with one schema is opened with another. The schemas have no Swift types, as most of them exist for
// one case.

let migratingCases: [ConformanceCase] =
    instantCases + renamingCases + refusingCases + rewritingCases + relationshipMigrationCases + planCases
    + backAndRenamedCases + keptMigrationCases + randomMigrationCases

/// Each changes the schema below in one respect: what is written before reads as it says, and as before otherwise.
private let instantCases: [ConformanceCase] = [
    migrating("entity-added", "an entity is added, and its records are written and read") { entities in
        entities.append(shelf)
    } checking: { stack in
        try stack.writeNow { tx in _ = try tx.insert(record("Shelf", in: tx.schema, ["id": .integer(1)])) }
        try expectEqual(try stack.readNow { try $0.count(DynamicQuery("Shelf")) }, 1)
    },
    migrating("optional-added", "records from before an optional attribute read nil") { entities in
        entities[0].attributes.append(Attribute("note", String?.self))
    } checking: { stack in
        try expectEqual(try values("note", in: stack), [.null, .null, .null])
        try expectEqual(try keys("note == NULL", in: stack), [1, 2, 3])
        try set("note", to: .string("new"), ofTrack: 1, in: stack)
        try expectEqual(try values("note", in: stack), [.string("new"), .null, .null])
    },
    migrating("default-added", "records from before an attribute with a default read the default, of any type") {
        entities in
        for (name, type, value) in added {
            entities[0].attributes.append(Attribute(name, type, defaultValue: value))
        }
    } checking: { stack in
        for (name, _, value) in added { try expectEqual(try values(name, in: stack), [value, value, value]) }
        try expectEqual(try keys("n == -9223372036854775807 - 1", in: stack), [1, 2, 3])
        try expectEqual(try keys("t BEGINSWITH \"it's\"", in: stack), [1, 2, 3])
    },
    migrating("index-added", "an index that is added has the records from before and is used") { entities in
        entities[0].indexes.append(.index("plays"))
        entities[0].indexes.append(.index("title", folding: .caseInsensitive))
    } checking: { stack in
        if stack.capabilities.has(.indexedQueries) {
            try stack.readNow { try expectNoFullScan(DynamicQuery("Track").where("plays == 20"), in: $0) }
        }
        try expectEqual(try keys("plays == 20", in: stack), [2])
        try expectEqual(try keys("title ==[c] \"TWO\"", in: stack), [2])
    },
    migrating("index-dropped", "an index that is dropped is not missed") { entities in
        entities[0].indexes.removeAll { $0.attributes == ["title"] }
    } checking: { stack in
        try expectEqual(try keys("title == \"two\"", in: stack), [2])
    },
    migrating("unique-added", "uniqueness that holds is added, and holds from then on") { entities in
        entities[0].indexes.append(.unique("plays"))
    } checking: { stack in
        try expectError(.uniqueness, entity: "Track", attributes: ["plays"]) {
            try stack.writeNow { tx in
                _ = try tx.insert(
                    record("Track", in: tx.schema, ["id": .integer(4), "title": .string("x"), "plays": .integer(20)]))
            }
        }
    },
    migrating("unique-dropped", "uniqueness that is dropped does not hold any more") { entities in
        entities[1].indexes = [.index("name")]
    } checking: { stack in
        try stack.writeNow { tx in
            _ = try tx.insert(record("Disc", in: tx.schema, ["id": .integer(8), "name": .string("first")]))
        }
        try expectEqual(try stack.readNow { try $0.count(DynamicQuery("Disc").where("name == \"first\"")) }, 2)
    },
    migrating("index-made-unique", "an index that becomes unique holds from then on") { entities in
        entities[0].indexes = [.unique("title")]
    } checking: { stack in
        try expectError(.uniqueness, entity: "Track", attributes: ["title"]) {
            try stack.writeNow { tx in
                _ = try tx.insert(record("Track", in: tx.schema, ["id": .integer(4), "title": .string("two")]))
            }
        }
        try expectEqual(try keys("title == \"two\"", in: stack), [2])
    },
    migrating("unique-and-not", "an index that is not unique stands beside one that stays unique") { entities in
        entities[1].indexes = [.index("name"), .unique("name")]
    } checking: { stack in
        try expectError(.uniqueness, entity: "Disc", attributes: ["name"]) {
            try stack.writeNow { tx in
                _ = try tx.insert(record("Disc", in: tx.schema, ["id": .integer(8), "name": .string("first")]))
            }
        }
    },
    migrating("made-optional", "a required attribute that becomes optional takes nil") { entities in
        entities[0].attributes[2].isOptional = true
    } checking: { stack in
        try set("plays", to: .null, ofTrack: 1, in: stack)
        try expectEqual(try values("plays", in: stack), [.null, .integer(20), .integer(30)])
    },
    migrating("default-changed", "a default that is changed is one for new records") { entities in
        entities[0].attributes[2].defaultValue = .integer(7)
    } checking: { stack in
        try expectEqual(try values("plays", in: stack), [.integer(10), .integer(20), .integer(30)])
    },
    migrating("delete-rule-changed", "a delete rule that is changed holds for references from before") { entities in
        entities[0].attributes[3].reference?.onDelete = .cascade
    } checking: { stack in
        try stack.writeNow { tx in _ = try tx.delete("Disc", key: .integer(1)) }
        try expectEqual(try keys("plays > 0", in: stack), [3])
    },
    migrating("links-added", "a many-to-many relationship is added") { entities in
        entities += linking("Mix", "tracks")
    } checking: { stack in
        try expectEqual(try stack.readNow { try $0.count(DynamicQuery("Mix_tracks")) }, 0)
    },
    migrating("all-at-once", "several changes are made at once") { entities in
        entities[0].attributes.append(Attribute("note", String.self, default: "none"))
        entities[0].attributes[2].isOptional = true
        entities[0].indexes = [.unique("plays"), .index("note")]
        entities.append(shelf)
    } checking: { stack in
        try expectEqual(try values("note", in: stack), [.string("none"), .string("none"), .string("none")])
        try expectEqual(try keys("note == \"none\"", in: stack), [1, 2, 3])
    },
    ConformanceCase(
        "migration.defaults-in-turn", in: .migration,
        "a record reads the default that an attribute was added with, also after the default is changed",
        requires: [.migration, .reopening], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        var entities = before
        for value in ["a", "b"] {
            entities[0].attributes.append(Attribute("note_\(value)", String?.self, default: value))
            try trial.open(Schema(entities: entities))
            try trial.write { tx in
                try tx.insert(record("Track", in: tx.schema, ["title": .string(value)]))
            }
            entities[0].attributes[4].defaultValue = .string("changed")
        }
        let stack = try trial.open(Schema(entities: entities))
        try expectEqual(try values("note_a", in: stack), ["a", "a", "a", "a", "changed"].map(StoredValue.string))
        try expectEqual(try values("note_b", in: stack), ["b", "b", "b", "b", "b"].map(StoredValue.string))
        // nil is a value like others.
        try set("note_b", to: .null, ofTrack: 2, in: stack)
        try expectEqual(try keys("note_b == NULL", in: try trial.reopen()), [2])
        try expectEqual(try trial.stack.verifyNow(), [])
    },
    ConformanceCase(
        "migration.after-reset", in: .migration,
        "an attribute that was added in the middle keeps its values when the store is reset, and changed again",
        requires: [.migration, .reopening, .filling], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        try trial.close()
        var entities = before
        entities[0].attributes.insert(Attribute("note", String?.self), at: 1)
        let stack = try trial.another(Schema(entities: entities))
        try await stack.reset(to: .empty)
        try stack.writeNow { tx in
            let values: [String: StoredValue] = [
                "title": .string("one"), "note": .string("middle"), "plays": .integer(7),
            ]
            _ = try tx.insert(record("Track", in: tx.schema, values))
        }
        try stack.closeNow()
        entities[0].attributes.insert(Attribute("rank", Int?.self), at: 2)
        entities[0].indexes.append(.index("note"))
        let changed = try trial.another(Schema(entities: entities))
        try expectEqual(try values("title", in: changed), [.string("one")])
        try expectEqual(try values("note", in: changed), [.string("middle")])
        try expectEqual(try values("plays", in: changed), [.integer(7)])
        try expectEqual(try values("rank", in: changed), [.null])
        try expectEqual(try keys("note == \"middle\"", in: changed).count, 1)
        try expectEqual(try changed.verifyNow(), [])
    },
    ConformanceCase(
        "migration.recording-of-old-rows", in: .migration,
        "what is changed of records from before an attribute was added is known by attribute",
        requires: [.migration, .reopening, .changeRecording, .history], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        try trial.close()
        var entities = before
        entities[0].attributes.append(Attribute("note", String.self, default: "none"))
        entities[0].attributes.append(Attribute("rank", Int?.self))
        let stack = try trial.another(Schema(entities: entities), history: .everything)
        let start = try stack.readNow { $0.transactionNumber }
        func changed(_ values: [String: StoredValue]) throws {
            try stack.writeNow { tx in
                guard var track = try tx.find("Track", 1) else { return }
                for (name, value) in values { try track.set(name, toStored: value) }
                try tx.update(track)
            }
        }
        try changed(["note": .string("none"), "rank": .null])
        try changed(["plays": .integer(11)])
        try changed(["rank": .integer(1)])
        try changed(["note": .string("new")])
        try stack.writeNow { tx in _ = try tx.delete("Track", key: .integer(2)) }
        let positions = ["plays", "rank", "note"].map { name in
            stack.schema.entities[0].attributes.firstIndex { $0.name == name } ?? 0
        }
        let kinds = try stack.changesNow(since: start).map { $0.changes?.map(\.kind) ?? [] }
        try expectEqual(kinds, positions.map { [.updated(AttributeSet([$0]))] } + [[.deleted]])
    },
    ConformanceCase(
        "migration.history", in: .migration, "the history and its numbers go on",
        requires: [.migration, .reopening, .changeRecording, .history], modes: [.fresh]
    ) { trial in
        var stack = try trial.another(Schema(entities: before), history: .everything)
        for number in 1...2 { try stack.writeNow { tx in try insertTrack(number, tx) } }
        try stack.closeNow()
        var entities = before
        entities[0] = renamedTrack
        stack = try trial.another(Schema(entities: entities), history: .everything)
        try stack.writeNow { tx in _ = try tx.delete("Piece", key: .integer(1)) }
        try expectEqual(try stack.changesNow(since: 0).map(\.transactionNumber), [1, 2, 3])
    },
]

private let renamingCases: [ConformanceCase] = [
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
        try expectEqual(try values("heading", in: stack, "Piece"), ["one", "two", "three"].map(StoredValue.string))
        try expectEqual(try keys("heading == \"two\"", in: stack, "Piece"), [2])
        if stack.capabilities.has(.indexedQueries) {
            try stack.readNow { try expectNoFullScan(DynamicQuery("Piece").where("heading == \"two\""), in: $0) }
        }
        try expectEqual(try keys("disc.name == \"first\"", in: stack, "Piece"), [1, 2])
        try stack.writeNow { tx in _ = try tx.delete("Record", key: .integer(1)) }
        try expectEqual(try keys("disc == NULL", in: stack, "Piece"), [1, 2, 3])
    },
    ConformanceCase(
        "migration.links-renamed", in: .migration, "links stay where the relationship and its owner are renamed",
        requires: [.migration, .reopening], modes: [.fresh]
    ) { trial in
        try trial.open(Schema(entities: linking("Mix", "tracks")))
        try trial.write { tx in
            try tx.insert(record("Tune", in: tx.schema, ["id": .integer(5)]))
            try tx.insert(record("Mix", in: tx.schema, ["id": .integer(1)]))
            try tx.insert(
                record("Mix_tracks", in: tx.schema, ["source": .integer(1), "target": .integer(5)]))
        }
        let stack = try trial.open(Schema(entities: linking("Tape", "tunes", owner: "Mix", name: "tracks")))
        let links = try stack.readNow { try $0.fetch(DynamicQuery("Tape_tunes")) }
        try expectEqual(links.map { [$0["source"], $0["target"]] }, [[.integer(1), .integer(5)]])
        try expectEqual(try stack.verifyNow(), [])
    },
    ConformanceCase(
        "migration.relationships-declared", in: .migration,
        "a to-many relationship is declared, renamed and removed at once, and opening for writing stores what is declared",
        // A store without indexes is one of plain files, which may keep the relationships that it was made with.
        requires: [.migration, .reopening, .storedSchema, .indexedQueries], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        func schema(_ relationships: [Relationship]) -> Schema {
            var entities = before
            entities[1].relationships = relationships
            return Schema(entities: entities)
        }
        func opened(_ relationships: [Relationship], _ policy: MigrationPolicy = .automatic) throws -> [String] {
            let stack = try trial.another(schema(relationships), migration: policy)
            try expectEqual(try stack.verifyNow(), [])
            let done = stack.migration.changes.map(\.description)
            try stack.closeNow()
            return done
        }
        func stored() throws -> [Relationship] {
            let stack = try trial.anotherStored()
            defer { try? stack.closeNow() }
            return stack.schema.entities.flatMap(\.relationships)
        }
        let tracks = Relationship("tracks", entity: "Track", attribute: "disc")
        let pieces = Relationship("pieces", entity: "Track", attribute: "disc", orderedBy: "plays")
            .renamed(from: "tracks")
        try trial.close()
        // Nothing is refused, and with .refuse nothing is written.
        try expectEqual(try opened([tracks], .refuse), [])
        try expectEqual(try stored(), [])
        let planned = try Stack.planNow(schema([tracks]), store: trial.provider)
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
        try checkTracks(try trial.another(Schema(entities: before), migration: .refuse), "Track")
    },
    ConformanceCase(
        "migration.contradictory-renames", in: .migration,
        "contradictory and cyclic renames are refused with their names",
        modes: [.fresh]
    ) { trial in
        func refused(_ entity: String, _ attributes: [String], _ change: (inout [Entity]) -> Void) throws {
            var entities = before
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

private let refusingCases: [ConformanceCase] = [
    refusing("attribute-removed", ["Track.plays: int64 = 0 is removed"]) { entities in
        entities[0].attributes.remove(at: 2)
    },
    refusing("entity-removed", ["Track is removed"]) { $0.remove(at: 0) },
    refusing("required-added", ["Track.note: string is added"]) { entities in
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
        entities.append(shelf)
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
                    record("Track", in: tx.schema, ["title": .string("\(number)"), "plays": .integer(Int64(plays))]))
            }
        }
        try trial.close()
        var entities = before
        entities[0].indexes.append(.unique("plays"))
        entities.append(shelf)
        let error = try expectError(
            .uniqueness, entity: "Track", attributes: ["plays"],
            message:
                "Track.plays cannot become unique: 5 records share their values with others. Make the values differ, or delete records, before the index is made unique."
        ) { try trial.open(Schema(entities: entities)) }
        try expectEqual(
            error.duplicates?.keys, [[.integer(2), .integer(4), .integer(5)], [.integer(3), .integer(6)]])
        let stack = try trial.another(Schema(entities: before), migration: .refuse)
        try expectEqual(try keys("plays > 0", in: stack), [1, 2, 3, 4, 5, 6, 7])
        try expectEqual(try stack.verifyNow(), [])
    },
    ConformanceCase(
        "migration.refuse", in: .migration, "the policy .refuse and opening for reading migrate nothing",
        requires: [.migration, .reopening], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        try trial.close()
        let schema = Schema(entities: before + [shelf])
        for access in [StoreAccess.readWrite, .readOnly]
        where access == .readWrite || trial.subject.has(.readOnlyOpening) {
            let error = try expectError(.schemaMismatch, entity: "Shelf") {
                try trial.another(schema, access: access, migration: access == .readOnly ? .automatic : .refuse)
            }
            try expectEqual(error.schemaDifference?.changes, [.entityAdded("Shelf")])
        }
        try checkTracks(try trial.another(Schema(entities: before), migration: .refuse), "Track")
    },
    ConformanceCase(
        "migration.open-elsewhere", in: .migration,
        "a store that another stack of the process has open is not migrated", modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        let schema = Schema(entities: before + [shelf])
        let error = try expectError(.schemaMismatch) { try trial.another(schema) }
        try expectEqual(error.schemaDifference?.changes, [.entityAdded("Shelf")])
        try checkTracks(try trial.stack, "Track")
    },
]

// The schema that a store is written with.
private let before: [Entity] = [
    Entity(
        "Track", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int.self, default: 0),
            Attribute("disc", .int64, isOptional: true, reference: .init(entity: "Disc", onDelete: .nullify)),
        ],
        indexes: [.index("title")]),
    Entity(
        "Disc", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)],
        indexes: [.unique("name")]),
]

private let shelf = Entity(
    "Shelf", key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String?.self)],
    indexes: [.index("name")])

/// `Track` by another name, and its title.
private var renamedTrack: Entity {
    var entity = before[0].renamed(from: "Track")
    entity.name = "Piece"
    entity.attributes[1] = Attribute("heading", String.self).renamed(from: "title")
    entity.indexes = [.index("heading")]
    return entity
}

private let added: [(String, AttributeType, StoredValue)] = [
    ("n", .int64, .integer(.min)), ("t", .string, .string("it's \"that\"")), ("z", .string, .string("a\0b")),
    ("d", .double, .real(0.1)), ("e", .double, .real(-.infinity)), ("f", .double, .real(1.7976931348623157e308)),
    ("g", .double, .real(-3.6768650089928303e-305)), ("h", .double, .real(.leastNonzeroMagnitude)),
    ("i", .float, .real(Double(Float(0.1)))), ("j", .date, .real(765_432_198.123_456_7)),
    ("b", .data, .bytes([0, 255])), ("y", .bool, .integer(1)),
]

/// An owner, its links, and what they link.
private func linking(_ owner: String, _ name: String, owner oldOwner: String? = nil, name oldName: String? = nil)
    -> [Entity]
{
    func end(_ name: String, _ target: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: target, onDelete: .cascade))
    }
    var first = Entity(
        owner, key: "id", attributes: [Attribute("id", Int64.self)],
        relationships: [Relationship(name, entity: "\(owner)_\(name)", attribute: "source", through: "target")])
    if let oldName { first.relationships[0] = first.relationships[0].renamed(from: oldName) }
    if let oldOwner { first = first.renamed(from: oldOwner) }
    return [
        first, Entity("Tune", key: "id", attributes: [Attribute("id", Int64.self)]),
        Entity(
            "\(owner)_\(name)", key: "id", keyGeneration: .assigned,
            attributes: [Attribute("id", Int64.self), end("source", owner), end("target", "Tune")],
            indexes: [.unique("source", "target"), .index("target")]),
    ]
}

private func migrating(
    _ id: String, _ summary: String, track: String = "Track", change: @escaping @Sendable (inout [Entity]) -> Void,
    checking check: @escaping @Sendable (Stack) throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.\(id)", in: .migration, summary, requires: [.migration, .reopening], modes: [.fresh]) {
        trial in
        try writeTracks(trial)
        var entities = before
        change(&entities)
        let schema = Schema(entities: entities)
        try checkTracks(try trial.open(schema), track)
        try check(try trial.stack)
        try expectEqual(try trial.stack.verifyNow(), [])
        let key = try trial.write { tx in
            try tx.insert(record(track, in: tx.schema, [track == "Track" ? "title" : "heading": .string("four")])).key
        }
        try expectEqual(key, .integer(4), "keys go on")
        // It is migrated once.
        let stack = try trial.another(schema, migration: .refuse)
        try expectEqual(try stack.verifyNow(), [])
        try trial.close()
        try expectEqual(try stack.readNow { try $0.find(track, key: .integer(4)) }?.values[1], .string("four"))
    }
}

private func refusing(
    _ id: String, _ changes: [String], change: @escaping @Sendable (inout [Entity]) -> Void
) -> ConformanceCase {
    ConformanceCase(
        "migration.\(id)", in: .migration, "what rewrites records or loses values is refused, and nothing is changed",
        requires: [.migration, .reopening], modes: [.fresh]
    ) { trial in
        try writeTracks(trial)
        try trial.close()
        var entities = before
        change(&entities)
        let error = try expectError(.schemaMismatch) { try trial.open(Schema(entities: entities)) }
        let costly = error.schemaDifference?.changes.filter { $0.cost > .instant }.map(\.description)
        try expectEqual(costly, changes)
        for change in changes { try expect(error.message.contains(change), error.message) }
        try checkTracks(try trial.another(Schema(entities: before), migration: .refuse), "Track")
    }
}

private func set(_ name: String, to value: StoredValue, ofTrack key: Int64, in stack: Stack) throws {
    try stack.writeNow { tx in
        guard var track = try tx.find("Track", key) else { return }
        try track.set(name, toStored: value)
        try tx.update(track)
    }
}

private func record(_ entity: String, in schema: Schema, _ values: [String: StoredValue]) throws -> DynamicRecord {
    var record = try DynamicRecord(entity, in: schema)
    for (name, value) in values { try record.set(name, toStored: value) }
    return record
}

private func insertTrack(_ number: Int, _ tx: Transaction) throws {
    try tx.insert(
        record(
            "Track", in: tx.schema,
            [
                "title": .string(["one", "two", "three"][number - 1]), "plays": .integer(Int64(number * 10)),
                "disc": number < 3 && tx.count(DynamicQuery("Disc")) > 0 ? .integer(1) : .null,
            ]))
}

private func writeTracks(_ trial: Trial) throws {
    try trial.open(Schema(entities: before))
    try trial.write { tx in
        try tx.insert(record("Disc", in: tx.schema, ["id": .integer(1), "name": .string("first")]))
        for number in 1...3 { try insertTrack(number, tx) }
    }
}

/// The records from before are as they were written.
private func checkTracks(_ stack: Stack, _ track: String) throws {
    try expectEqual(try values("plays", in: stack, track), [.integer(10), .integer(20), .integer(30)])
    try expectEqual(try values("disc", in: stack, track), [.integer(1), .integer(1), .null])
    try expectEqual(try keys("disc != NULL", in: stack, track), [1, 2])
    try expectEqual(try stack.verifyNow(), [])
}

private func values(_ attribute: String, in stack: Stack, _ entity: String = "Track") throws -> [StoredValue?] {
    try stack.readNow { try $0.fetch(DynamicQuery(entity)).map { $0[attribute] } }
}

private func keys(_ condition: String, in stack: Stack, _ entity: String = "Track") throws -> [Int64] {
    try stack.readNow { snapshot in
        try snapshot.fetch(DynamicQuery(entity).where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}
