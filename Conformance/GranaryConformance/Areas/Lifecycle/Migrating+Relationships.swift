import ConformanceKit
import GranaryCore

// References and links whose targets, keys or kinds change. The keys of persons and composers, and the numbers of persons,
// are the same small numbers in different orders: a value that is not followed is the key of another record, not of none.

var relationshipMigrationCases: [ConformanceCase] {
    targetCases + followingCases + becomingCases + ruleCases
}

private var targetCases: [ConformanceCase] {
    [
        pieces("links-target-changed", "links that are dropped because their target changes are gone") { trial in
            let schema = changedPieces { entities in
                entities[3].attributes[2].reference?.entity = "Composer"
            }
            let error = try expectError(.schemaMismatch, entity: "Piece") {
                try trial.another(schema, migration: .inferred)
            }
            try expectEqual(
                error.plannedMigration?.refused,
                [.relationshipTargetChanged(entity: "Piece", relationship: "singers", from: "Person", to: "Composer")])
            let stack = try trial.migratedPieces(to: schema, dropping("Piece.singers"))
            try expectEqual(try linkedKeys("Piece_singers", stack), [])
            try stack.blocking.write { tx in
                _ = try tx.insert(made("Piece_singers", in: tx.schema, ["source": .integer(3), "target": .integer(2)]))
            }
            try expectEqual(try linkedKeys("Piece_singers", stack), [[3, 2]])
            try expectEqual(try stack.blocking.verify(), [])
            guard trial.subject.keepsHistory else { return }
            // Its entries would name links that are gone. Only a store with a history has the error.
            try expectError(.historyGone, isOwnText: true) { try stack.committed(since: 0) }
        },
        pieces("links-target-changed-renamed", "links are dropped by their stored names, whatever their names are now")
        {
            trial in
            let schema = changedPieces { entities in
                entities[2] = entities[2].renamed(from: "Piece")
                entities[2].name = "Work"
                entities[2].relationships = [
                    Relationship("voices", entity: "Work_voices", attribute: "source", through: "target")
                        .renamed(from: "singers")
                ]
                entities[3] = pieceLinks("Work", "voices", to: "Composer")
            }
            let stack = try trial.migratedPieces(to: schema, dropping("Piece.singers"))
            try expectEqual(try linkedKeys("Work_voices", stack), [])
            try expectEqual(try storedValues("author", in: stack, "Work"), [.integer(1), .null, .integer(2)])
        },
        pieces("target-changed", "a reference to another entity must be said, and keeps its keys where converted") {
            trial in
            let schema = changedPieces { $0[2].attributes[2].reference?.entity = "Composer" }
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
            try same.blocking.close()
            let stack = try trial.migratedPieces(to: schema, converting("Piece.author"))
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
            try expectEqual(try pieceKeys("author.title == \"X\"", stack), [1])
        },
        pieces("target-changed-dropped", "a reference to another entity is nil where dropped") { trial in
            let schema = changedPieces { $0[2].attributes[2].reference?.entity = "Composer" }
            let stack = try trial.migratedPieces(to: schema, dropping("Piece.author"))
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.null, .null, .null])
        },
        pieces("target-changed-renamed", "a reference that is renamed, too, is dropped by its stored name") { trial in
            let schema = changedPieces { entities in
                entities[2].attributes[2] = Attribute(
                    "composer", .int64, isOptional: true, reference: .init(entity: "Composer", onDelete: .nullify)
                ).renamed(from: "author")
            }
            let stack = try trial.migratedPieces(to: schema, dropping("Piece.author"))
            try expectEqual(try storedValues("composer", in: stack, "Piece"), [.null, .null, .null])
        },
        refusingPieces(
            "target-changed-dangling", .danglingReference, "Piece", "author", key: 3, converting("Piece.author")
        ) {
            $0[2].attributes[2].reference?.entity = "Composer"
        } writing: { tx in
            _ = try tx.delete("Composer", 2)
        },
        pieces("target-changed-step", "a step gives a reference to another entity its values") { trial in
            let schema = changedPieces { $0[2].attributes[2].reference?.entity = "Composer" }
            let step = MigrationStep.records("composers", of: "Piece") { old, new, store in
                guard let author = old["author"], author != .null, let person = try store.find("Person", author)
                else {
                    return
                }
                try new.set("author", toStored: person["number"] ?? .null)
            }.dropping("Piece.author")
            let stack = try trial.migratedPieces(to: schema, .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(2), .null, .integer(1)])
        },
    ]
}

private var followingCases: [ConformanceCase] {
    [
        pieces("reference-to-links-another-key", "a reference that becomes links follows its record to another key") {
            trial in
            let schema = changedPieces { entities in
                entities[0].key = "number"
                entities[2].attributes.remove(at: 2)
                entities[2].relationships.append(pieceRelation("Piece", "author"))
                entities.append(pieceLinks("Piece", "author", to: "Person"))
            }
            let stack = try trial.migratedPieces(to: schema, .inferred)
            try expectEqual(try linkedKeys("Piece_author", stack), [[1, 2], [3, 1]])
            try expectEqual(try linkedKeys("Piece_singers", stack), [[1, 1], [2, 2]])
        },
        pieces("links-to-reference-another-key", "links that become a reference follow their record to another key") {
            trial in
            let schema = changedPieces { entities in
                entities[0].key = "number"
                entities[2].relationships = []
                entities[2].attributes.append(singer("singers"))
                entities.remove(at: 3)
            }
            let stack = try trial.migratedPieces(to: schema, converting("Piece.singers"))
            try expectEqual(try storedValues("singers", in: stack, "Piece"), [.integer(1), .integer(2), .null])
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(2), .null, .integer(1)])
        },
        pieces("links-another-key-type", "links made of references follow to a key of another type") { trial in
            let schema = changedPieces { entities in
                entities[0].key = "name"
                entities[2].attributes.remove(at: 2)
                entities[2].relationships = [pieceRelation("Piece", "author")]
                entities[2].attributes.append(singer("singers", .string))
                entities[3] = pieceLinks("Piece", "author", to: "Person")
                entities[3].attributes[2].type = .string
            }
            let stack = try trial.migratedPieces(to: schema, converting("Piece.singers"))
            let made = try stack.blocking.read { try $0.fetch(Request("Piece_author")).map { $0["target"] } }
            try expectEqual(made, [.string("Ann"), .string("Bob")])
            try expectEqual(
                try storedValues("singers", in: stack, "Piece"), [.string("Bob"), .string("Ann"), .null])
        },
        pieces("reference-to-new-key-in-steps", "references follow to a new key that an earlier step has added") {
            trial in
            var middle = pieceEntities
            middle[0].attributes.append(Attribute("code", Int64.self))
            let codes = MigrationStep.records("codes", of: "Person") { old, new, _ in
                try new.set("code", to: 4 - old.value("id", as: Int64.self))
            }
            let plan = MigrationPlan(codes.reaching(Schema(entities: middle)), .inferred("code is the key"))
            middle[0].key = "code"
            let stack = try trial.migratedPieces(to: Schema(entities: middle), .plan(plan))
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(3), .null, .integer(2)])
            try expectEqual(try linkedKeys("Piece_singers", stack), [[1, 2], [2, 3]])
        },
        refusingPieces("reference-to-new-key", .range, "Piece", "author", key: 1, newKeys) { entities in
            giveNewKey(&entities)
        },
        refusingPieces("reference-to-links-new-key", .range, "Piece", "author", key: 1, newKeys) { entities in
            giveNewKey(&entities)
            entities[2].attributes.remove(at: 2)
            entities[2].relationships.append(pieceRelation("Piece", "author"))
            entities.append(pieceLinks("Piece", "author", to: "Person"))
        },
        refusingPieces("links-to-reference-new-key", .range, "Piece", "singers", key: 1, newKeys) { entities in
            giveNewKey(&entities)
            entities[2].attributes[2].reference = nil
            entities[2].relationships = []
            entities[2].attributes.append(singer("singers"))
            entities.remove(at: 3)
        },
    ]
}

private var becomingCases: [ConformanceCase] {
    [
        pieces("turned-round", "a step turns a reference into one on the other side") { trial in
            // Piece.author becomes Person.piece, from which Piece.people comes back.
            let schema = changedPieces { entities in
                entities[0].attributes.append(
                    Attribute("piece", .int64, isOptional: true, reference: .init(entity: "Piece", onDelete: .nullify)))
                entities[2].attributes.remove(at: 2)
                entities[2].relationships.append(Relationship("people", entity: "Person", attribute: "piece"))
            }
            let step = MigrationStep.code("turn round") { store in
                try Request("Piece").where("author != NULL").forEach(in: store.old) { piece in
                    guard let author = piece["author"], var person = try store.find("Person", author) else {
                        return
                    }
                    try person.set("piece", toStored: piece.key)
                    try store.update(person)
                }
            }.dropping("Piece.author")
            let stack = try trial.migratedPieces(to: schema, .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("piece", in: stack, "Person"), [.integer(1), .integer(3), .null])
            try expectEqual(try pieceKeys("ANY people.number == 1", stack), [3])
            try stack.blocking.write { tx in _ = try tx.delete("Piece", 1) }
            try expectEqual(try storedValues("piece", in: stack, "Person"), [.null, .integer(3), .null])
        },
        pieces("reference-made-plain", "a reference that becomes a plain attribute keeps its values, and no rule holds")
        {
            trial in
            let stack = try trial.migratedPieces(to: changedPieces { $0[2].attributes[2].reference = nil }, .automatic)
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .null, .integer(2)])
            try stack.blocking.write { tx in
                // Links to them are gone with them.
                _ = try tx.delete("Person", 1)
                guard var piece = try tx.find("Piece", 2) else { return }
                try piece.set("author", to: 77)
                try tx.update(piece)
            }
            try expectEqual(try storedValues("author", in: stack, "Piece"), [.integer(1), .integer(77), .integer(2)])
            try expectEqual(try pieceKeys("author == 77", stack), [2])
        },
        pieces("links-to-renamed-reference", "links become a reference of another name, which the step may say") {
            trial in
            let schema = changedPieces { entities in
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
            let stack = try trial.migratedPieces(to: schema, converting("Piece.voice"))
            try expectEqual(try storedValues("voice", in: stack, "Piece"), [.integer(2), .integer(1), .null])
            try expectEqual(try pieceKeys("voice.name == \"Bob\"", stack), [1])
        },
        pieces("links-to-required-reference", "links become a required reference where each record has one") { trial in
            let stack = try trial.another(Schema(entities: pieceEntities))
            try stack.blocking.write { tx in
                _ = try tx.insert(made("Piece_singers", in: tx.schema, ["source": .integer(3), "target": .integer(3)]))
            }
            try stack.blocking.close()
            let schema = changedPieces { requireSinger(&$0) }
            try expectEqual(
                try storedValues(
                    "singers", in: try trial.migratedPieces(to: schema, converting("Piece.singers")), "Piece"),
                [.integer(2), .integer(1), .integer(3)])
        },
        refusingPieces(
            "links-to-required-reference", .required, "Piece", "singers", key: 3, converting("Piece.singers")
        ) {
            requireSinger(&$0)
        },
    ]
}

private var ruleCases: [ConformanceCase] {
    [
        pieces("rule-from-no-action", "a rule takes the place of noAction where every reference has its record") {
            trial in
            var entities = pieceEntities
            entities[2].attributes[2].reference?.onDelete = .noAction
            try trial.another(Schema(entities: entities)).blocking.close()
            entities[2].attributes[2].reference?.onDelete = .cascade
            let error = try expectError(.schemaMismatch, entity: "Piece") {
                try trial.another(Schema(entities: entities))
            }
            try expectEqual(error.plannedMigration?.refused.map(\.cost), [.rewriting])
            let stack = try trial.migratedPieces(to: Schema(entities: entities), .inferred)
            try stack.blocking.write { tx in _ = try tx.delete("Person", 2) }
            try expectEqual(try storedValues("id", in: stack, "Piece"), [.integer(1), .integer(2)])
        },
        pieces("rule-from-no-action-dangling", "a rule does not take the place of noAction where a record is missing") {
            trial in
            var entities = pieceEntities
            entities[2].attributes[2].reference?.onDelete = .noAction
            let loose = try trial.another(Schema(entities: entities))
            try loose.blocking.write { tx in _ = try tx.delete("Person", 2) }
            try loose.blocking.close()
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
            try expectEqual(try stack.blocking.verify(), [])
        },
    ]
}
