import ConformanceKit
import Foundation
import GranaryCore

// Plans with releases: a store of any earlier release gets what one release after the other gives.

var releaseCases: [ConformanceCase] {
    [
        releases("later-removal", "a step sees the schema of its release, whatever a later one removes") { trial in
            for start in 0..<3 {
                let place = trial.folder + "/From\(start).granary"
                try writePlaces(trial, at: place)
                for release in [1, 2].prefix(start) {
                    try trial.another(history[release], at: place, migration: .plan(plan(upTo: release))).blocking
                        .close()
                }
                let planned = try Blocking<Stack>.plan(
                    history[2], store: trial.subject.provider(place, .readWrite), migration: .plan(plan(upTo: 2)))
                try expectEqual(planned.refused, [])
                let stack = try trial.another(history[2], at: place, migration: .plan(plan(upTo: 2)))
                try expectEqual(try values("note", stack), [.string("DE"), .string("FR"), .string("DE")])
                try expectEqual(stack.schema.appliedSteps.map(\.name), ["labels", "2.0", "notes", "3.0"])
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
            }
        },
        releases("one-plan-of-steps", "without releases a step sees what the last step leaves") { trial in
            let place = trial.folder + "/Steps.granary"
            try writePlaces(trial, at: place)
            let error = try expectError(.unknownEntity) {
                try trial.another(history[2], at: place, migration: .plan(MigrationPlan(labels, notes)))
            }
            try expect(error.message.contains("\"labels\""), error.message)
            try trial.another(history[0], at: place, migration: .refuse).blocking.close()
        },
        releases("mended", "a plan that was shipped without releases gets them, and stores go on from where they are") {
            trial in
            for start in 0..<3 {
                let place = trial.folder + "/From\(start).granary"
                try writePlaces(trial, at: place)
                if start > 0 {
                    try trial.another(history[1], at: place, migration: .plan(MigrationPlan(labels))).blocking.close()
                }
                if start > 1 {
                    try trial.another(history[2], at: place, migration: .plan(MigrationPlan(labels, notes))).blocking
                        .close()
                }
                let stack = try trial.another(history[2], at: place, migration: .plan(plan(upTo: 2)))
                try expectEqual(stack.migration.steps, [["labels", "notes"], ["notes"], []][start])
                try expectEqual(try values("note", stack), [.string("DE"), .string("FR"), .string("DE")])
                try stack.blocking.close()
            }
        },
        releases("inferred", "releases without steps are passed one after the other") { trial in
            let place = trial.folder + "/Places.granary"
            try writePlaces(trial, at: place)
            var (second, third) = (history[0].entities, history[0].entities)
            second[0].attributes[1] = Attribute("land", String.self).renamed(from: "country")
            third[0].attributes[1] = Attribute("state", String.self).renamed(from: "land")
            let plan = MigrationPlan().release("1.0", schema: history[0]).release(
                "2.0", schema: Schema(entities: second)
            ).release("3.0")
            let stack = try trial.another(Schema(entities: third), at: place, migration: .plan(plan))
            try expectEqual(try values("state", stack), [.string("DE"), .string("FR"), .string("DE")])
            try stack.blocking.close()
            // The names are changed back. The store has passed the first release, whose names these are.
            let last = history[0].entities.map { entity in
                var entity = entity
                entity.attributes[1] = Attribute("country", String.self).renamed(from: "state")
                return entity
            }
            let back = MigrationPlan().release("1.0", schema: history[0]).release(
                "2.0", schema: Schema(entities: second)
            ).release("3.0", schema: Schema(entities: third)).release("4.0")
            for _ in 1...2 {
                let stack = try trial.another(Schema(entities: last), at: place, migration: .plan(back))
                try expectEqual(try values("country", stack), [.string("DE"), .string("FR"), .string("DE")])
                try stack.blocking.close()
            }
        },
        releases(
            "added-step", "a step that is added to the release in development is taken, to an earlier one is refused"
        ) { trial in
            let place = trial.folder + "/Places.granary"
            try writePlaces(trial, at: place)
            try trial.another(history[1], at: place, migration: .plan(plan(upTo: 1))).blocking.close()
            let more = MigrationPlan().release("2.0", labels, .code("more") { _ in })
            var stack = try trial.another(history[1], at: place, migration: .plan(more))
            try expectEqual(stack.migration.steps, ["more"])
            try stack.blocking.close()
            let next = MigrationPlan().release("2.0", schema: history[1], labels, .code("more") { _ in })
                .release("3.0", notes)
            stack = try trial.another(history[2], at: place, migration: .plan(next))
            try stack.blocking.close()
            let late = MigrationPlan().release(
                "2.0", schema: history[1], labels, .code("more") { _ in }, .code("late") { _ in }
            ).release("3.0", notes)
            let error = try expectError(.schemaMismatch) {
                try trial.another(history[2], at: place, migration: .plan(late))
            }
            try expectEqual(error.migrationDrift, .outOfOrder("late", before: "3.0"))
        },
        releases("drift", "releases that do not fit are refused with what is wrong") { trial in
            let place = trial.folder + "/Places.granary"
            try writePlaces(trial, at: place)
            func drift(_ schema: Schema, _ plan: MigrationPlan) throws -> MigrationDrift? {
                try expectError(.schemaMismatch) {
                    try trial.another(schema, at: place, migration: .plan(plan))
                }.migrationDrift
            }
            try expectEqual(
                try drift(history[2], MigrationPlan().release("2.0", labels).release("3.0", notes)),
                .releaseWithoutSchema("2.0"))
            guard
                case .schema(let rest)? = try drift(
                    history[2], MigrationPlan().release("2.0", schema: history[1], labels))
            else { throw ConformanceFailure(message: "Expected a schema.", file: #fileID, line: #line) }
            try expectEqual(rest.cost, .lossy)
            try trial.another(history[1], at: place, migration: .plan(plan(upTo: 1))).blocking.close()
            guard case .unknown(let step) = try drift(history[1], MigrationPlan(labels)) else {
                throw ConformanceFailure(message: "Expected a release.", file: #fileID, line: #line)
            }
            try expectEqual(step.name, "2.0")
        },
        releases("back", "going back undoes steps, and renames and conversions that went by themselves") { trial in
            let place = trial.folder + "/Back.granary"
            let first = Schema(entities: [
                Entity(
                    "Place", key: "id",
                    attributes: [
                        Attribute("id", Int64.self), Attribute("name", String.self), Attribute("size", Int32.self),
                    ])
            ])
            var changed = first.entities[0]
            changed.name = "Town"
            changed.attributes[1].name = "title"
            changed.attributes[1] = changed.attributes[1].renamed(from: "name")
            changed.attributes[2].type = .int64
            changed.attributes.append(Attribute("mood", String?.self))
            let second = Schema(entities: [changed.renamed(from: "Place")])
            var third = second.entities[0].renamed()
            third.attributes[1].name = "label"
            third.attributes[1] = third.attributes[1].renamed(from: "title")
            let last = Schema(entities: [third])
            let plan = MigrationPlan().release("1.0", schema: first).release(
                "2.0", schema: second, .inferred("moods").down(.inferred("no moods").dropping("Town.mood"))
            ).release("3.0", schema: last)
            var stack = try trial.another(first, at: place)
            try stack.blocking.write { tx in
                let values: [String: StoredValue] = ["id": .integer(1), "name": .string("Ulm"), "size": .integer(9)]
                _ = try tx.insert(made("Place", in: tx.schema, values))
            }
            try stack.blocking.close()
            for _ in 1...2 {
                stack = try trial.another(last, at: place, migration: .plan(plan))
                try expectEqual(try storedValues("label", in: stack, "Town"), [.string("Ulm")])
                try stack.blocking.close()
                stack = try trial.another(first, at: place, migration: .plan(plan.ending(after: "1.0")))
                try expectEqual(try storedValues("name", in: stack, "Place"), [.string("Ulm")])
                try expectEqual(try storedValues("size", in: stack, "Place"), [.integer(9)])
                try expectEqual(stack.schema.fingerprint, first.fingerprint)
                try expectEqual(try stack.blocking.verify(), [])
                try stack.blocking.close()
            }
            stack = try trial.another(last, at: place, migration: .plan(plan))
            try stack.blocking.write {
                _ = try Request("Town").updateAll(setting: ["size": .integer(1 << 40)], in: $0)
            }
            try stack.blocking.close()
            try expectError(.range, entity: "Place", attributes: ["size"]) {
                try trial.another(first, at: place, migration: .plan(plan.ending(after: "1.0")))
            }
        },
        releases("new", "a new store has passed every release") { trial in
            let place = trial.folder + "/New.granary"
            for _ in 1...2 {
                let stack = try trial.another(history[2], at: place, migration: .plan(plan(upTo: 2)))
                try expectEqual(stack.migration.steps, [])
                try expectEqual(stack.schema.appliedSteps.map(\.name), ["labels", "2.0", "notes", "3.0"])
                try stack.blocking.close()
            }
        },
        releases("dangling", "code sees references that may dangle, and that its release removes") { trial in
            let place = trial.folder + "/Dangling.granary"
            let first = Entity(
                "Place", key: "id",
                attributes: [
                    Attribute("id", Int64.self),
                    Attribute("near", .int64, isOptional: true, reference: .init(entity: "Place", onDelete: .noAction)),
                ])
            var second = first
            second.attributes[1] = Attribute("note", .int64, isOptional: true)
            var stack = try trial.another(Schema(entities: [first]), at: place)
            try stack.blocking.write { tx in
                _ = try tx.insert(made("Place", in: tx.schema, ["id": .integer(1), "near": .integer(9)]))
            }
            try stack.blocking.close()
            let code = MigrationStep.code("notes") { store in
                for var record in try store.fetch(Request("Place")) {
                    try record.set("note", toStored: record["near"] ?? .null)
                    try store.update(record)
                }
            }.dropping("Place.near")
            stack = try trial.another(
                Schema(entities: [second]), at: place, migration: .plan(MigrationPlan().release("2.0", code)))
            try expectEqual(try storedValues("note", in: stack, "Place"), [.integer(9)])
            try stack.blocking.close()
        },
        ConformanceCase(
            "migration.releases-random", in: .migration,
            "with random releases each start reaches the same contents as one release at a time", requires: needed,
            modes: [.fresh]
        ) { trial in
            for round in 0..<12 { try RandomReleases(trial, round).check() }
        },
    ]
}

/// Places have a country; it becomes a label, and then a note of the place.
private let history: [Schema] = {
    let country = Attribute("country", String.self)
    let first = Entity("Place", key: "id", attributes: [Attribute("id", Int64.self), country])
    var second = first
    second.attributes[1] = Attribute(
        "label", .int64, isOptional: true, reference: .init(entity: "Label", onDelete: .nullify))
    let label = Entity(
        "Label", key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self)], indexes: [.unique("name")])
    var third = first
    third.attributes[1] = Attribute("note", String.self)
    return [Schema(entities: [first]), Schema(entities: [second, label]), Schema(entities: [third])]
}()

private let labels = MigrationStep.code("labels") { store in
    var keys: [String: StoredValue] = [:]
    var places: [DynamicRecord] = []
    try Request("Place").forEach(in: store) { places.append($0) }
    for var place in places {
        let country = try place.value("country", as: String.self)
        if keys[country] == nil {
            var label = try store.record("Label")
            try label.set("name", to: country)
            keys[country] = try store.insert(label).key
        }
        try place.set("label", toStored: keys[country] ?? .null)
        try store.update(place)
    }
}.dropping("Place.country")

private let notes = MigrationStep.code("notes") { store in
    var places: [DynamicRecord] = []
    try Request("Place").forEach(in: store) { places.append($0) }
    for var place in places {
        guard let key = place["label"], let label = try store.find("Label", key) else { continue }
        try place.set("note", to: try label.value("name", as: String.self))
        try store.update(place)
    }
}.dropping("Place.label", "Label")

/// The plan as it is in a release: that release has no schema of its own yet.
private func plan(upTo release: Int) -> MigrationPlan {
    let second = MigrationPlan().release("2.0", schema: release == 1 ? nil : history[1], labels)
    return release == 1 ? second : second.release("3.0", notes)
}

private func writePlaces(_ trial: Trial, at path: String) throws {
    let stack = try trial.another(history[0], at: path)
    try stack.blocking.write { tx in
        for (number, country) in ["DE", "FR", "DE"].enumerated() {
            let values: [String: StoredValue] = ["id": .integer(Int64(number)), "country": .string(country)]
            _ = try tx.insert(made("Place", in: tx.schema, values))
        }
    }
    try stack.blocking.close()
}

private func values(_ name: String, _ stack: Stack) throws -> [StoredValue?] {
    try storedValues(name, in: stack, "Place")
}

private func releases(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Trial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase("migration.releases-\(id)", in: .migration, summary, requires: needed, modes: [.fresh], body)
}

/// Releases with random changes, each of which may have a step with code that writes to an entity of its time.
private struct RandomReleases {
    private let trial: Trial
    private let folder: String
    private var models: [MigrationModel]
    private var steps: [[MigrationStep]] = [[]]

    init(_ trial: Trial, _ round: Int) {
        self.trial = trial
        folder = trial.folder + "/Round\(round)"
        models = [MigrationModel(seed: trial.seed &+ UInt64(1000 + round))]
        while models.count < 6 {
            var model = models[models.count - 1]
            let change = model.change(named: "change \(models.count)").steps.last
            guard let change, !model.mustFail, (try? model.schema.validate()) != nil else {
                models[models.count - 1] = models[models.count - 1].afterFailure(model)
                continue
            }
            steps.append([change] + [model.code(named: "code \(models.count)")].compactMap(\.self))
            models.append(model)
        }
    }

    /// The plan of a release: those before have their schemas.
    private func plan(upTo last: Int) -> MigrationPlan {
        (1...max(last, 1)).prefix(last).reduce(MigrationPlan().release("0", schema: models[0].schema)) {
            plan, release in
            let schema = release == last ? nil : models[release].schema
            return steps[release].count == 1
                ? plan.release("\(release)", schema: schema, steps[release][0])
                : plan.release("\(release)", schema: schema, steps[release][0], steps[release][1])
        }
    }

    func check() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for start in models.indices {
            let place = "\(folder)/From\(start).granary"
            let first = try trial.another(models[0].schema, at: place)
            try first.blocking.write { try models[0].write($0) }
            try first.blocking.close()
            let last = models.count - 1
            for release in Set((1...max(start, 1)).prefix(start) + [last]).sorted() {
                do {
                    let stack = try trial.another(
                        models[release].schema, at: place, migration: .plan(plan(upTo: release)))
                    try models[release].check(stack)
                    try stack.blocking.close()
                } catch {
                    throw ConformanceFailure(
                        message: "seed \(trial.seed), \(folder): from \(start) to \(release): \(error)", file: #fileID,
                        line: #line)
                }
            }
        }
    }
}

extension MigrationModel {
    /// A step with code that sets one attribute of all records of an entity; nil if nothing can be set.
    fileprivate mutating func code(named name: String) -> MigrationStep? {
        guard let entity = entities.randomElement(using: &random) else { return nil }
        let unique = entity.indexes.filter(\.isUnique).flatMap(\.attributes)
        let free = entity.attributes.dropFirst().filter { $0.reference == nil && !unique.contains($0.name) }
        guard let attribute = free.randomElement(using: &random) else { return nil }
        let new = value(attribute.type)
        set(attribute.name, of: entity.name) { _ in new }
        return .code(name) { store in
            var records: [DynamicRecord] = []
            try Request(entity.name).forEach(in: store) { records.append($0) }
            for var record in records {
                try record.set(attribute.name, toStored: new)
                try store.update(record)
            }
        }
    }
}
