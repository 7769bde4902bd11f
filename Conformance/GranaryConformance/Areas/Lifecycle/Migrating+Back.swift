import ConformanceKit
import GranaryCore

// Values of enums that get other names, and plans that go back.

var backAndRenamedCases: [ConformanceCase] {
    [
        moods("values-renamed", "values of an enum that were renamed are exchanged, once") { trial in
            let schema = Schema(entities: [day(LaterMood?.self)])
            let error = try expectError(.schemaMismatch) { _ = try trial.another(schema) }
            try expect(error.message.contains("Day.mood has renamed values"), error.message)
            var stack = try trial.another(schema, migration: .inferred)
            try expectEqual(try moods(stack), [.string("furious"), .string("calm"), .null, .string("furious")])
            try expectEqual(
                try stack.blocking.read {
                    try $0.count(Request("Day").where("mood == \"furious\""))
                }, 2)
            try expectEqual(try stack.blocking.verify(), [])
            try stack.blocking.close()
            stack = try trial.another(schema, migration: .refuse)
            try expectEqual(stack.migration.changes, [])
            try stack.blocking.close()
            // What the store has done need not be said any more.
            var plain = day(LaterMood?.self)
            plain.attributes[1] = plain.attributes[1].renamingValues([])
            try trial.another(Schema(entities: [plain])).blocking.close()
            try trial.another(Schema(entities: [plain]), migration: .refuse).blocking.close()
        },
        moods("values-renamed-again", "a store that missed a renaming goes straight to the last one") { trial in
            func schema(_ renamings: [String: String]) -> Schema {
                var entity = day(String?.self)
                entity.attributes[1] = entity.attributes[1].renamingValues(
                    renamings.map { ValueRenaming(.string($0), to: .string($1)) })
                return Schema(entities: [entity])
            }
            var stack = try trial.another(schema(["angry": "cross"]), migration: .inferred)
            try expectEqual(try moods(stack), [.string("cross"), .string("calm"), .null, .string("cross")])
            try stack.blocking.close()
            stack = try trial.another(schema(["angry": "wild", "cross": "wild"]), migration: .inferred)
            try expectEqual(try moods(stack), [.string("wild"), .string("calm"), .null, .string("wild")])
        },
        moods("values-renamed-conflicts", "renamings that contradict each other are errors") { trial in
            for renamings in [["angry": "wild", "wild": "calm"], ["angry": "angry"]] {
                var entity = day(String?.self)
                entity.attributes[1] = entity.attributes[1].renamingValues(
                    renamings.map { ValueRenaming(.string($0), to: .string($1)) })
                try expectError(.invalidSchema, entity: "Day", attributes: ["mood"]) {
                    try trial.another(Schema(entities: [entity]), migration: .inferred)
                }
            }
            for values in [
                [ValueRenaming(.string("angry"), to: .integer(1))],
                [ValueRenaming(.string("a"), to: .string("b")), ValueRenaming(.string("a"), to: .string("c"))],
            ] {
                var entity = day(String?.self)
                entity.attributes[1] = entity.attributes[1].renamingValues(values)
                try expectError(.invalidSchema, entity: "Day", attributes: ["mood"]) {
                    try trial.another(Schema(entities: [entity]), migration: .inferred)
                }
            }
            try expectEqual(
                try moods(trial.another(Schema(entities: [day(String?.self)]), migration: .refuse)),
                [.string("angry"), .string("calm"), .null, .string("angry")])
        },
        moods("values-renamed-still-a-case", "a raw value that is still a case is not renamed: its values are right") {
            trial in
            let schema = Schema(entities: [day(UndecidedMood?.self)])
            let error = try expectError(.invalidSchema, entity: "Day", attributes: ["mood"]) {
                try trial.another(schema, migration: .inferred)
            }
            try expect(error.message.contains("angry"), error.message)
            try expectEqual(
                try moods(trial.another(Schema(entities: [day(String?.self)]), migration: .refuse)),
                [.string("angry"), .string("calm"), .null, .string("angry")])
        },
        moods("values-renamed-unique", "values that become the same where they are unique are refused with their keys")
        {
            trial in
            var entity = day(String?.self)
            entity.attributes.append(Attribute("code", String?.self))
            entity.indexes = [.unique("code")]
            let stack = try trial.another(Schema(entities: [entity]))
            try stack.blocking.write { tx in
                for (key, code) in [(1, "angry"), (2, "calm"), (3, "cross")] {
                    guard var record = try tx.find("Day", Int64(key)) else { continue }
                    try record.set("code", to: code)
                    try tx.update(record)
                }
            }
            try stack.blocking.close()
            var renamed = entity
            renamed.attributes[2] = renamed.attributes[2].renamingValues([
                ValueRenaming(.string("angry"), to: .string("cross"))
            ])
            let error = try expectError(
                .uniqueness, entity: "Day", attributes: ["code"],
                message:
                    "Day.code cannot become unique: 2 records share their values with others. Make the values differ, or delete records, before the index is made unique."
            ) { try trial.another(Schema(entities: [renamed]), migration: .inferred) }
            try expectEqual(error.duplicates?.keys, [[.integer(1), .integer(3)]])
            let old = try trial.another(Schema(entities: [entity]), migration: .refuse)
            try expectEqual(try values("code", old), [.string("angry"), .string("calm"), .string("cross"), .null])
            try expectEqual(try old.blocking.verify(), [])
        },
        moods("back", "a plan that ends earlier undoes the later steps, and takes them again") { trial in
            var stack = try trial.another(scored, migration: .plan(scoring))
            try expectEqual(stack.migration.steps, ["notes", "scores"])
            let scores: [StoredValue] = [.integer(5), .integer(4), .integer(0), .integer(5)]
            try expectEqual(try values("score", stack), scores)
            try stack.blocking.close()
            let planned = try Blocking<Stack>.plan(
                noted, store: trial.provider, migration: .plan(scoring.ending(after: "notes")))
            try expectEqual(planned.refused, [])
            try expectEqual(planned.stages.map(\.steps), [["scores back"]])
            for _ in 1...2 {
                stack = try trial.another(noted, migration: .plan(scoring.ending(after: "notes")))
                try expectEqual(
                    try moods(stack), [.string("5 angry"), .string("4 calm"), .string("0 "), .string("5 angry")])
                try expectEqual(stack.schema.appliedSteps.map(\.name), ["notes"])
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
            }
            stack = try trial.another(scored, migration: .plan(scoring))
            try expectEqual(stack.migration.steps, ["scores"])
            try stack.blocking.close()
        },
        moods("back-far", "several steps are undone in the opposite order, in one go") { trial in
            let plan = MigrationPlan(
                .inferred("begin"), .inferred("notes").down(.inferred("notes back").dropping("Day.note")),
                scoring.steps[1])
            try trial.another(scored, migration: .plan(plan)).blocking.close()
            let first = Schema(entities: [day(String?.self)])
            let stack = try trial.another(first, migration: .plan(plan.ending(after: "begin")))
            try expectEqual(stack.migration.steps, ["scores back", "notes back"])
            try expectEqual(
                try moods(stack), [.string("5 angry"), .string("4 calm"), .string("0 "), .string("5 angry")])
            try expectEqual(stack.schema.appliedSteps.map(\.name), ["begin"])
            try expectEqual(try stack.blocking.verify(), [])
        },
        moods("back-refused", "a step without a way back, or that the plan does not have, is an error") { trial in
            try trial.another(scored, migration: .plan(scoring)).blocking.close()
            let oneWay = MigrationPlan(.inferred("notes"), .records("scores", of: "Day") { _, _, _ in })
            let error = try expectError(.schemaMismatch) {
                try trial.another(noted, migration: .plan(oneWay.ending(after: "notes")))
            }
            try expectEqual(error.migrationDrift, .noWayBack("scores"))
            try expectError(.invalidSchema) {
                try trial.another(noted, migration: .plan(scoring.ending(after: "nothing")))
            }
            let stack = try trial.another(scored, migration: .plan(scoring))
            try expectEqual(stack.migration.steps, [])
            try stack.blocking.close()
        },
        moods("back-unasked", "what a way back would lose is refused unless the way says so") { trial in
            try trial.another(scored, migration: .plan(scoring)).blocking.close()
            let plan = MigrationPlan(
                .inferred("notes"), .records("scores", of: "Day") { _, _, _ in }.down(.inferred("scores back")))
            let error = try expectError(.schemaMismatch) {
                try trial.another(noted, migration: .plan(plan.ending(after: "notes")))
            }
            try expect(error.plannedMigration?.refused.contains { $0.cost == .lossy } ?? false, error.message)
        },
        moods("back-new", "a store that is made for a plan that ends earlier has not taken the later steps") { trial in
            let place = trial.folder + "/New.granary"
            try trial.another(noted, at: place, migration: .plan(scoring.ending(after: "notes"))).blocking.close()
            let stack = try trial.another(scored, at: place, migration: .plan(scoring))
            try expectEqual(stack.migration.steps, ["scores"])
        },
    ]
}

private enum LaterMood: String, RenamedCases {
    case calm, furious
    static let renamedFrom = ["angry": LaterMood.furious]
}

private enum UndecidedMood: String, RenamedCases {
    case calm, angry, furious
    static let renamedFrom = ["angry": UndecidedMood.furious]
}

private func day<Mood: AttributeValue>(_ mood: Mood.Type) -> Entity {
    Entity(
        "Day", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("mood", Mood.self)])
}

private let noted: Schema = {
    var entity = day(String?.self)
    entity.attributes.append(Attribute("note", String?.self))
    return Schema(entities: [entity])
}()

private let scored: Schema = {
    var entity = noted.entities[0]
    entity.attributes.append(Attribute("score", Int64.self))
    return Schema(entities: [entity])
}()

/// The first step adds notes; the second one a score, which its way back writes before the mood.
private let scoring = MigrationPlan(
    .inferred("notes"),
    .records("scores", of: "Day") { old, new, _ in
        let mood = try old.value("mood", as: String?.self)
        try new.set("score", to: Int64(mood?.split(separator: " ").last?.count ?? 0))
    }.down(
        .records("scores back", of: "Day") { old, new, _ in
            let mood = try old.value("mood", as: String?.self)
            try new.set("mood", to: "\(try old.value("score", as: Int64.self)) \(mood ?? "")")
        }.dropping("Day.score")))

private func values(_ name: String, _ stack: Stack) throws -> [StoredValue] {
    try stack.blocking.read { try $0.fetch(Request("Day")).compactMap { $0[name] } }
}

private func moods(_ stack: Stack) throws -> [StoredValue] { try values("mood", stack) }

private func moods(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "migration.\(id)", in: .migration, summary, requires: [.reopening, .migration, .filling], modes: [.fresh]
    ) { trial in
        let stack = try trial.another(Schema(entities: [day(String?.self)]))
        try stack.blocking.write { tx in
            for mood in ["angry", "calm", nil, "angry"] {
                var record = try DynamicRecord("Day", in: tx.schema)
                try record.set("mood", to: mood)
                try tx.insert(record)
            }
        }
        try stack.blocking.close()
        try await body(trial)
    }
}
