import GranaryCore

// References and links whose targets, keys or kinds change. The keys of persons and composers, and the numbers of persons,
// are the same small numbers in different orders: a value that is not followed is the key of another record, not of none.

let relationshipMigrationCases: [ConformanceCase] = targetCases + followingCases + becomingCases + ruleCases

private let targetCases: [ConformanceCase] = [
    pieces("links-target-changed", "links that are dropped because their target changes are gone") { trial in
        let schema = changed { entities in
            entities[3].attributes[2].reference?.entity = "Composer"
        }
        let error = try expectError(.schemaMismatch, entity: "Piece") {
            try trial.another(schema, migration: .inferred)
        }
        try expectEqual(
            error.plannedMigration?.refused,
            [.relationshipTargetChanged(entity: "Piece", relationship: "singers", from: "Person", to: "Composer")])
        let stack = try trial.migrated(to: schema, dropping("Piece.singers"))
        try expectEqual(try links("Piece_singers", stack), [])
        try stack.writeNow { tx in
            _ = try tx.insert(made("Piece_singers", in: tx.schema, ["source": .integer(3), "target": .integer(2)]))
        }
        try expectEqual(try links("Piece_singers", stack), [[3, 2]])
        try expectEqual(try stack.verifyNow(), [])
        guard trial.subject.keepsHistory else { return }
        // Its entries would name links that are gone.
        try expectError(.historyGone) { try stack.changesNow(since: 0) }
    },
    pieces("links-target-changed-renamed", "links are dropped by their stored names, whatever their names are now") {
        trial in
        let schema = changed { entities in
            entities[2] = entities[2].renamed(from: "Piece")
            entities[2].name = "Work"
            entities[2].relationships = [
                Relationship("voices", entity: "Work_voices", attribute: "source", through: "target")
                    .renamed(from: "singers")
            ]
            entities[3] = linkEntity("Work", "voices", to: "Composer")
        }
        let stack = try trial.migrated(to: schema, dropping("Piece.singers"))
        try expectEqual(try links("Work_voices", stack), [])
        try expectEqual(try storedValues("author", in: stack, "Work"), [.integer(1), .null, .integer(2)])
    },
    pieces("target-changed", "a reference to another entity must be said, and keeps its keys where converted") {
        trial in
        let schema = changed { $0[2].attributes[2].reference?.entity = "Composer" }
        for policy in [MigrationPolicy.automatic, .inferred, dropping("Piece.singers")] {
            let error = try expectError(.schemaMismatch, entity: "Piece") {
                try trial.another(schema, migration: policy)
            }
            try expectEqual(
                error.plannedMigration?.refused,
                [.targetChanged(entity: "Piece", attribute: "author", from: "Person", to: "Composer")])
            try expect(error.message.contains("converting"), error.message)
        }
        let same = try trial.another(Schema(entities: pieceEntities), migration: .refuse)
        try checkPieces(same)
        try same.closeNow()
        let stack = try trial.migrated(to: schema, converting("Piece.author"))
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
        try expectEqual(try keys("author.title == \"X\"", stack), [1])
    },
    pieces("target-changed-dropped", "a reference to another entity is nil where dropped") { trial in
        let schema = changed { $0[2].attributes[2].reference?.entity = "Composer" }
        let stack = try trial.migrated(to: schema, dropping("Piece.author"))
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.null, .null, .null])
    },
    pieces("target-changed-renamed", "a reference that is renamed, too, is dropped by its stored name") { trial in
        let schema = changed { entities in
            entities[2].attributes[2] = Attribute(
                "composer", .int64, isOptional: true, reference: .init(entity: "Composer", onDelete: .nullify)
            ).renamed(from: "author")
        }
        let stack = try trial.migrated(to: schema, dropping("Piece.author"))
        try expectEqual(try storedValues("composer", in: stack, "Piece"), [.null, .null, .null])
    },
    refusing("target-changed-dangling", .danglingReference, "Piece", "author", key: 3, converting("Piece.author")) {
        $0[2].attributes[2].reference?.entity = "Composer"
    } writing: { tx in
        _ = try tx.delete("Composer", key: .integer(2))
    },
    pieces("target-changed-step", "a step gives a reference to another entity its values") { trial in
        let schema = changed { $0[2].attributes[2].reference?.entity = "Composer" }
        let step = MigrationStep.records("composers", of: "Piece") { old, new, store in
            guard let author = old["author"], author != .null, let person = try store.find("Person", key: author) else {
                return
            }
            try new.set("author", toStored: person["number"] ?? .null)
        }.dropping("Piece.author")
        let stack = try trial.migrated(to: schema, .plan(MigrationPlan(step)))
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(2), .null, .integer(1)])
    },
]

private let followingCases: [ConformanceCase] = [
    pieces("reference-to-links-another-key", "a reference that becomes links follows its record to another key") {
        trial in
        let schema = changed { entities in
            entities[0].key = "number"
            entities[2].attributes.remove(at: 2)
            entities[2].relationships.append(relation("Piece", "author"))
            entities.append(linkEntity("Piece", "author", to: "Person"))
        }
        let stack = try trial.migrated(to: schema, .inferred)
        try expectEqual(try links("Piece_author", stack), [[1, 2], [3, 1]])
        try expectEqual(try links("Piece_singers", stack), [[1, 1], [2, 2]])
    },
    pieces("links-to-reference-another-key", "links that become a reference follow their record to another key") {
        trial in
        let schema = changed { entities in
            entities[0].key = "number"
            entities[2].relationships = []
            entities[2].attributes.append(singer("singers"))
            entities.remove(at: 3)
        }
        let stack = try trial.migrated(to: schema, converting("Piece.singers"))
        try expectEqual(try storedValues("singers", in: stack, "Piece"), [.integer(1), .integer(2), .null])
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(2), .null, .integer(1)])
    },
    pieces("links-another-key-type", "links made of references follow to a key of another type") { trial in
        let schema = changed { entities in
            entities[0].key = "name"
            entities[2].attributes.remove(at: 2)
            entities[2].relationships = [relation("Piece", "author")]
            entities[2].attributes.append(singer("singers", .string))
            entities[3] = linkEntity("Piece", "author", to: "Person")
            entities[3].attributes[2].type = .string
        }
        let stack = try trial.migrated(to: schema, converting("Piece.singers"))
        let made = try stack.readNow { try $0.fetch(DynamicQuery("Piece_author")).map { $0["target"] } }
        try expectEqual(made, [.string("Ann"), .string("Bob")])
        try expectEqual(
            try storedValues("singers", in: stack, "Piece"), [.string("Bob"), .string("Ann"), .null])
    },
    pieces("reference-to-new-key-in-steps", "references follow to a new key that an earlier step has added") { trial in
        var middle = pieceEntities
        middle[0].attributes.append(Attribute("code", Int64.self))
        let codes = MigrationStep.records("codes", of: "Person") { old, new, _ in
            try new.set("code", to: 4 - old.value("id", as: Int64.self))
        }
        let plan = MigrationPlan(codes.reaching(Schema(entities: middle)), .inferred("code is the key"))
        middle[0].key = "code"
        let stack = try trial.migrated(to: Schema(entities: middle), .plan(plan))
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(3), .null, .integer(2)])
        try expectEqual(try links("Piece_singers", stack), [[1, 2], [2, 3]])
    },
    refusing("reference-to-new-key", .range, "Piece", "author", key: 1, newKeys) { entities in
        giveNewKey(&entities)
    },
    refusing("reference-to-links-new-key", .range, "Piece", "author", key: 1, newKeys) { entities in
        giveNewKey(&entities)
        entities[2].attributes.remove(at: 2)
        entities[2].relationships.append(relation("Piece", "author"))
        entities.append(linkEntity("Piece", "author", to: "Person"))
    },
    refusing("links-to-reference-new-key", .range, "Piece", "singers", key: 1, newKeys) { entities in
        giveNewKey(&entities)
        entities[2].attributes[2].reference = nil
        entities[2].relationships = []
        entities[2].attributes.append(singer("singers"))
        entities.remove(at: 3)
    },
]

private let becomingCases: [ConformanceCase] = [
    pieces("turned-round", "a step turns a reference into one on the other side") { trial in
        // Piece.author becomes Person.piece, from which Piece.people comes back.
        let schema = changed { entities in
            entities[0].attributes.append(
                Attribute("piece", .int64, isOptional: true, reference: .init(entity: "Piece", onDelete: .nullify)))
            entities[2].attributes.remove(at: 2)
            entities[2].relationships.append(Relationship("people", entity: "Person", attribute: "piece"))
        }
        let step = MigrationStep.code("turn round") { store in
            try store.old.forEach(DynamicQuery("Piece").where("author != NULL")) { piece in
                guard let author = piece["author"], var person = try store.find("Person", key: author) else { return }
                try person.set("piece", toStored: piece.key)
                try store.update(person)
            }
        }.dropping("Piece.author")
        let stack = try trial.migrated(to: schema, .plan(MigrationPlan(step)))
        try expectEqual(try storedValues("piece", in: stack, "Person"), [.integer(1), .integer(3), .null])
        try expectEqual(try keys("ANY people.number == 1", stack), [3])
        try stack.writeNow { tx in _ = try tx.delete("Piece", key: .integer(1)) }
        try expectEqual(try storedValues("piece", in: stack, "Person"), [.null, .integer(3), .null])
    },
    pieces("reference-made-plain", "a reference that becomes a plain attribute keeps its values, and no rule holds") {
        trial in
        let stack = try trial.migrated(to: changed { $0[2].attributes[2].reference = nil }, .automatic)
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
        try stack.writeNow { tx in
            // Links to them are gone with them.
            _ = try tx.delete("Person", key: .integer(1))
            guard var piece = try tx.find("Piece", 2) else { return }
            try piece.set("author", to: 77)
            try tx.update(piece)
        }
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .integer(77), .integer(2)])
        try expectEqual(try keys("author == 77", stack), [2])
    },
    pieces("links-to-renamed-reference", "links become a reference of another name, which the step may say") { trial in
        let schema = changed { entities in
            entities[2].relationships = []
            entities[2].attributes.append(singer("voice").renamed(from: "singers"))
            entities.remove(at: 3)
        }
        let error = try expectError(.schemaMismatch, entity: "Piece") {
            try trial.another(schema, migration: .inferred)
        }
        try expectEqual(
            error.plannedMigration?.refused,
            [.linksBecameReference(entity: "Piece", attribute: "voice", from: "singers")])
        let stack = try trial.migrated(to: schema, converting("Piece.voice"))
        try expectEqual(try storedValues("voice", in: stack, "Piece"), [.integer(2), .integer(1), .null])
        try expectEqual(try keys("voice.name == \"Bob\"", stack), [1])
    },
    pieces("links-to-required-reference", "links become a required reference where each record has one") { trial in
        let stack = try trial.another(Schema(entities: pieceEntities))
        try stack.writeNow { tx in
            _ = try tx.insert(made("Piece_singers", in: tx.schema, ["source": .integer(3), "target": .integer(3)]))
        }
        try stack.closeNow()
        let schema = changed { requireSinger(&$0) }
        try expectEqual(
            try storedValues("singers", in: try trial.migrated(to: schema, converting("Piece.singers")), "Piece"),
            [.integer(2), .integer(1), .integer(3)])
    },
    refusing("links-to-required-reference", .required, "Piece", "singers", key: 3, converting("Piece.singers")) {
        requireSinger(&$0)
    },
]

private let ruleCases: [ConformanceCase] = [
    pieces("rule-from-no-action", "a rule takes the place of noAction where every reference has its record") { trial in
        var entities = pieceEntities
        entities[2].attributes[2].reference?.onDelete = .noAction
        try trial.another(Schema(entities: entities)).closeNow()
        entities[2].attributes[2].reference?.onDelete = .cascade
        let error = try expectError(.schemaMismatch, entity: "Piece") { try trial.another(Schema(entities: entities)) }
        try expectEqual(error.plannedMigration?.refused.map(\.cost), [.rewriting])
        let stack = try trial.migrated(to: Schema(entities: entities), .inferred)
        try stack.writeNow { tx in _ = try tx.delete("Person", key: .integer(2)) }
        try expectEqual(try storedValues("id", in: stack, "Piece"), [.integer(1), .integer(2)])
    },
    pieces("rule-from-no-action-dangling", "a rule does not take the place of noAction where a record is missing") {
        trial in
        var entities = pieceEntities
        entities[2].attributes[2].reference?.onDelete = .noAction
        let loose = try trial.another(Schema(entities: entities))
        try loose.writeNow { tx in _ = try tx.delete("Person", key: .integer(2)) }
        try loose.closeNow()
        for rule in [DeleteRule.nullify, .cascade, .deny] {
            var stricter = entities
            stricter[2].attributes[2].reference?.onDelete = rule
            let error = try expectError(.danglingReference, entity: "Piece", attributes: ["author"]) {
                try trial.another(Schema(entities: stricter), migration: .inferred)
            }
            try expectEqual(error.key, .integer(3))
        }
        let stack = try trial.another(Schema(entities: entities), migration: .refuse)
        try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
        try expectEqual(try stack.verifyNow(), [])
    },
]

// The schema that a store is written with.
private let pieceEntities: [Entity] = [
    Entity(
        "Person", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), Attribute("number", Int64.self)],
        indexes: [.unique("number"), .unique("name")]),
    Entity("Composer", key: "id", attributes: [Attribute("id", Int64.self), Attribute("title", String.self)]),
    Entity(
        "Piece", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self),
            Attribute("author", .int64, isOptional: true, reference: .init(entity: "Person", onDelete: .nullify)),
        ],
        relationships: [relation("Piece", "singers")]),
    linkEntity("Piece", "singers", to: "Person"),
]

private func relation(_ owner: String, _ name: String) -> Relationship {
    Relationship(name, entity: "\(owner)_\(name)", attribute: "source", through: "target")
}

private func linkEntity(_ owner: String, _ name: String, to target: String) -> Entity {
    func end(_ name: String, _ target: String) -> Attribute {
        Attribute(name, .int64, reference: .init(entity: target, onDelete: .cascade))
    }
    return Entity(
        "\(owner)_\(name)", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), end("source", owner), end("target", target)],
        indexes: [.unique("source", "target"), .index("target")])
}

private func singer(_ name: String, _ type: AttributeType = .int64) -> Attribute {
    Attribute(name, type, isOptional: true, reference: .init(entity: "Person", onDelete: .nullify))
}

private func requireSinger(_ entities: inout [Entity]) {
    entities[2].relationships = []
    entities[2].attributes.append(
        Attribute("singers", .int64, reference: .init(entity: "Person", onDelete: .deny)))
    entities.remove(at: 3)
}

/// An attribute that is new becomes the key of persons: ``newKeys`` gives it its values.
private func giveNewKey(_ entities: inout [Entity]) {
    entities[0].attributes.append(Attribute("code", Int64.self))
    entities[0].key = "code"
    if entities.count > 3 { entities[3].attributes[2].reference?.entity = "Composer" }
}

private let newKeys = MigrationPolicy.plan(
    MigrationPlan(
        .records("codes", of: "Person") { old, new, _ in
            try new.set("code", to: 4 - old.value("id", as: Int64.self))
        }.dropping("Piece.singers").converting("Piece.singers")))

private func changed(_ change: (inout [Entity]) -> Void) -> Schema {
    var entities = pieceEntities
    change(&entities)
    return Schema(entities: entities)
}

private func converting(_ path: String) -> MigrationPolicy {
    .plan(MigrationPlan(.inferred("convert").converting(path)))
}

private func writePieces(_ trial: Trial) throws {
    let stack = try trial.another(Schema(entities: pieceEntities), history: trial.historyPolicy)
    try stack.writeNow { tx in
        func insert(_ entity: String, _ values: [String: StoredValue]) throws {
            _ = try tx.insert(made(entity, in: tx.schema, values))
        }
        for (id, number, name) in [(1, 2, "Ann"), (2, 1, "Bob"), (3, 30, "Cid")] as [(Int64, Int64, String)] {
            try insert("Person", ["id": .integer(id), "number": .integer(number), "name": .string(name)])
        }
        try insert("Composer", ["id": .integer(1), "title": .string("X")])
        try insert("Composer", ["id": .integer(2), "title": .string("Y")])
        for (id, author) in [(1, .integer(1)), (2, .null), (3, .integer(2))] as [(Int64, StoredValue)] {
            try insert("Piece", ["id": .integer(id), "title": .string("piece \(id)"), "author": author])
        }
        for (piece, person) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
            try insert("Piece_singers", ["source": .integer(piece), "target": .integer(person)])
        }
    }
    try stack.closeNow()
}

private func checkPieces(_ stack: Stack) throws {
    try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
    try expectEqual(try storedValues("number", in: stack, "Person"), [.integer(2), .integer(1), .integer(30)])
    try expectEqual(try links("Piece_singers", stack), [[1, 2], [2, 1]])
    try expectEqual(try stack.verifyNow(), [])
}

private func links(_ entity: String, _ stack: Stack) throws -> [[Int64]] {
    try stack.readNow { snapshot in
        try snapshot.fetch(DynamicQuery(entity)).map {
            [try $0.value("source", as: Int64.self), try $0.value("target", as: Int64.self)]
        }
    }
}

private func keys(_ condition: String, _ stack: Stack) throws -> [Int64] {
    try stack.readNow { snapshot in
        try snapshot.fetch(DynamicQuery("Piece").where(condition)).map { try $0.key.value(as: Int64.self) }
    }
}

extension Trial {
    /// The store with another schema: whole, and migrated once. Titles are as they were.
    fileprivate func migrated(to schema: Schema, _ policy: MigrationPolicy) throws -> Stack {
        try another(schema, migration: policy, history: historyPolicy).closeNow()
        let stack = try another(schema, migration: .refuse, history: historyPolicy)
        try expectEqual(stack.migration.changes, [])
        try expectEqual(try stack.verifyNow(), [])
        let owner = schema.entities[2].name
        try expectEqual(
            try storedValues("title", in: stack, owner), (1...3).map { StoredValue.string("piece \($0)") })
        return stack
    }
}

private func pieces(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.\(id)", in: .migration, summary, requires: needed, modes: [.fresh]) { trial in
        try writePieces(trial)
        try body(trial)
    }
}

private func refusing(
    _ id: String, _ code: GranaryError.Code, _ entity: String, _ attribute: String, key: Int64,
    _ policy: MigrationPolicy, change: @escaping @Sendable (inout [Entity]) -> Void,
    writing write: @escaping @Sendable (Transaction) throws -> Void = { _ in }
) -> ConformanceCase {
    pieces("refuses-\(id)", "a reference that would be lost, or lead elsewhere, is refused with the key") { trial in
        let first = try trial.another(Schema(entities: pieceEntities), history: trial.historyPolicy)
        try first.writeNow(write)
        try first.closeNow()
        let error = try expectError(code, entity: entity, attributes: [attribute]) {
            try trial.another(changed(change), migration: policy)
        }
        try expectEqual(error.key, .integer(key))
        try checkPieces(try trial.another(Schema(entities: pieceEntities), migration: .refuse))
    }
}
