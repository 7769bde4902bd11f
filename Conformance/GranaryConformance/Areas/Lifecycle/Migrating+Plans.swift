import ConformanceKit
import GranaryCore
import Synchronization

// Steps of migration plans, and the policies that are left.

var planCases: [ConformanceCase] {
    [
        plan("records", "a step converts each record") { trial in
            var entities = original
            entities[0].attributes[1] = Attribute("first", String.self)
            entities[0].attributes.append(Attribute("length", Int.self))
            entities[0].indexes = []
            let step = MigrationStep.records("split", of: "Song") { old, new, _ in
                let title = try old.value("title", as: String.self)
                try new.set("first", to: String(title.prefix(1)))
                try new.set("length", to: title.count)
            }.dropping("Song.title")
            let stack = try trial.another(Schema(entities: entities), migration: .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("first", in: stack), ["o", "t", "t"].map(StoredValue.string))
            try expectEqual(try storedValues("length", in: stack), [.integer(3), .integer(3), .integer(5)])
            try expectEqual(stack.migration.steps, ["split"])
            try expectEqual(try stack.blocking.verify(), [])
        },
        plan("moved-attribute", "a step moves an attribute to a related record") { trial in
            var entities = original
            entities[1].attributes.append(Attribute("firstTitle", String?.self))
            entities[0].attributes.remove(at: 1)
            entities[0].indexes = []
            let step = MigrationStep.records("move", of: "Artist") { old, new, store in
                try Request("Song").where(.compare("artist", .equal, old.key)).forEach(in: store) { song in
                    try new.set("firstTitle", to: try song.value("title", as: String.self))
                }
            }.dropping("Song.title")
            let stack = try trial.another(Schema(entities: entities), migration: .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("firstTitle", in: stack, "Artist"), [.string("one"), .string("three")])
        },
        plan("code", "a step with code makes, changes and deletes records; the history goes on") { trial in
            var entities = original
            entities.append(
                Entity(
                    "Genre", key: "id", keyGeneration: .assigned,
                    attributes: [Attribute("id", Int64.self), Attribute("name", String.self)]))
            let step = MigrationStep.code("genres") { migration in
                var genre = try migration.record("Genre")
                try genre.set("name", to: "Rock")
                try expectEqual(try migration.insert(genre).key, .integer(1))
                guard var song = try migration.find("Song", 2) else { return }
                try song.set("plays", to: 25)
                try migration.update(song)
                try expectEqual(try migration.delete("Artist", 2), true)
            }
            let stack = try trial.another(
                Schema(entities: entities), migration: .plan(MigrationPlan(step)), history: trial.historyPolicy)
            try expectEqual(try storedValues("name", in: stack, "Genre"), [.string("Rock")])
            try expectEqual(try storedValues("plays", in: stack), [.integer(10), .integer(25), .integer(30)])
            try expectEqual(try storedValues("artist", in: stack), [.integer(1), .null, .null])
            try expectEqual(try stack.blocking.verify(), [])
            guard trial.subject.keepsHistory else { return }
            try expectEqual(try stack.committed(since: 0).map(\.transactionNumber), [1, 2, 3, 4])
        },
        plan("once", "a store takes a step once; a new store takes none") { trial in
            let runs = StepCounter()
            let migration = MigrationPolicy.plan(
                MigrationPlan(.code("a") { _ in runs.add() }, .code("b") { _ in runs.add() }))
            for _ in 1...2 { try trial.another(Schema(entities: original), migration: migration).blocking.close() }
            try expectEqual(runs.value, 2)
            let new = try trial.another(
                Schema(entities: original), at: trial.folder + "/New.granary", migration: migration)
            try expectEqual(runs.value, 2)
            try expectEqual(new.schema.appliedSteps.map(\.name), ["a", "b"])
            try new.blocking.close()
            let more = MigrationPolicy.plan(
                MigrationPlan(
                    .code("a") { _ in runs.add() }, .code("b") { _ in runs.add() }, .code("c") { _ in runs.add() }))
            let stack = try trial.another(Schema(entities: original), migration: more)
            try expectEqual(runs.value, 3)
            try expectEqual(stack.migration.steps, ["c"])
        },
        plan("chain", "steps go on from the schema that an earlier one reaches") { trial in
            var middle = original
            middle[0].attributes[1] = Attribute("name", String.self).renamed(from: "title")
            middle[0].attributes.append(Attribute("size", Int.self))
            middle[0].indexes = []
            var last = middle
            last[0].attributes.removeLast()
            last[0].attributes.append(Attribute("square", Int.self))
            let steps = MigrationPlan(
                .records("sizes", of: "Song") { old, new, _ in
                    try new.set("size", to: try old.value("title", as: String.self).count)
                }.reaching(Schema(entities: middle)),
                .records("squares", of: "Song") { old, new, _ in
                    let size = try old.value("size", as: Int.self)
                    try new.set("square", to: size * size)
                }.dropping("Song.size"))
            let planned = try Blocking<Stack>.plan(
                Schema(entities: last), store: trial.provider, migration: .plan(steps))
            try expectEqual(planned.stages.map(\.steps), [["sizes"], ["squares"]])
            let stack = try trial.another(Schema(entities: last), migration: .plan(steps))
            try expectEqual(try storedValues("square", in: stack), [.integer(9), .integer(9), .integer(25)])
            try expectEqual(stack.schema.appliedSteps.map(\.name), ["sizes", "squares"])
            try expectEqual(try stack.blocking.verify(), [])
        },
        plan("drift", "a plan that does not fit the steps taken is refused with what differs") { trial in
            let schema = Schema(entities: original)
            func open(_ plan: MigrationPlan) throws -> Stack { try trial.another(schema, migration: .plan(plan)) }
            func expectDrift(_ plan: MigrationPlan) throws -> MigrationDrift? {
                let error = try expectError(.schemaMismatch) { try open(plan) }
                return error.migrationDrift
            }
            try open(MigrationPlan(.inferred("a"), .code("b") { _ in })).blocking.close()
            try expectEqual(
                try expectDrift(MigrationPlan(.inferred("a"), .code("b", version: 2) { _ in })),
                .edited(name: "b", taken: "code, version 1", now: "code, version 2"))
            guard case .unknown(let step) = try expectDrift(MigrationPlan(.inferred("a"))) else {
                throw missing("an unknown step")
            }
            try expectEqual(step.name, "b")
            try expectEqual(
                try expectDrift(MigrationPlan(.inferred("a"), .inferred("new"), .code("b") { _ in })),
                .outOfOrder("new", before: "b"))
            try expectEqual(
                try expectDrift(MigrationPlan(.code("b") { _ in }, squashing: ["a", "z"])), .squashed(["z"]))
            try expectError(.invalidSchema) { try open(MigrationPlan(.inferred("a"), .inferred("a"))) }
            try open(MigrationPlan(squashing: ["a", "b"])).blocking.close()
            var reached = original
            reached[0].attributes.remove(at: 1)
            reached[0].indexes = []
            let last = MigrationStep.inferred("c").reaching(Schema(entities: reached))
            guard case .schema(let difference) = try expectDrift(MigrationPlan(last, squashing: ["a", "b"])) else {
                throw missing("a schema that is not reached")
            }
            try expectEqual(difference.cost, .rewriting)
            try checkSongs(try trial.another(schema, migration: .refuse))
        },
        plan("failing", "a step that throws, or writes what the schema refuses, leaves the store as it was") { trial in
            func refused(_ code: GranaryError.Code, _ step: MigrationStep, key: StoredValue? = nil) throws {
                try expectFailure(of: step, code, key: key, trial)
            }
            try refused(.migrationFailed, .code("step") { _ in throw StepFailure() })
            try refused(
                .migrationFailed,
                .records("step", of: "Song") { old, _, _ in
                    if old.key == .integer(2) { throw StepFailure() }
                }, key: .integer(2))
            try refused(
                .required, .records("step", of: "Song") { _, new, _ in try new.set("title", toStored: .null) },
                key: .integer(1))
            try refused(
                .uniqueness,
                .code("step") { migration in
                    var artist = try migration.record("Artist")
                    try artist.set("name", to: "Can")
                    try migration.insert(artist)
                })
            try refused(
                .danglingReference,
                .code("step") { migration in
                    guard var song = try migration.find("Song", 1) else { return }
                    try song.set("artist", to: 99)
                    try migration.update(song)
                })
        },
        plan("sql", "SQL runs on a store that takes it, and is refused by others before anything is done") { trial in
            let step = MigrationStep.sql("step", "UPDATE \"Song\" SET \"plays\" = \"plays\" + 1")
            let schema = Schema(entities: original)
            let first = try trial.another(schema)
            try first.blocking.close()
            guard first.storeKind == "sqlite" else {
                // SQLite takes the SQL, and has no error here.
                try expectError(.unsupported, isOwnText: true) {
                    try trial.another(schema, migration: .plan(MigrationPlan(step)))
                }
                return
            }
            let stack = try trial.another(schema, migration: .plan(MigrationPlan(step)))
            try expectEqual(try storedValues("plays", in: stack), [.integer(11), .integer(21), .integer(31)])
            try expectEqual(try stack.blocking.verify(), [])
        },
        plan("cancelled", "a migration that is cancelled leaves the store as it was") { trial in
            var entities = original
            entities[0].attributes[2].type = .string
            entities[0].attributes[2].defaultValue = nil
            let schema = Schema(entities: entities)
            let (hasBegun, isCancelled) = (Event("the migration's begin"), Event("the cancellation"))
            let waiting = MigrationStep.records("wait", of: "Song") { _, _, _ in
                hasBegun.set()
                try isCancelled.wait()
            }
            let provider = trial.provider
            let task = Task(executorPreference: trial.executor) {
                _ = try await Stack(schema, store: provider, migration: .plan(MigrationPlan(waiting)))
            }
            try await hasBegun.happened()
            task.cancel()
            isCancelled.set()
            try await expectAsyncError(.cancelled) { try await task.value }
            try checkSongs(try trial.another(Schema(entities: original), migration: .refuse))
        },
        plan("progress", "a migration tells how many records it has converted") { trial in
            var entities = original
            entities[0].attributes[2].type = .string
            entities[0].attributes[2].defaultValue = nil
            let seen = Journal<StoreProgress>()
            let stack = try await Stack(
                Schema(entities: entities), store: trial.provider, migration: .inferred, onProgress: { seen.add($0) })
            defer { try? stack.blocking.close() }
            try expectEqual(seen.entries.last?.fraction, 1)
            try expectEqual(seen.entries.last?.total, 3 + 2 + 1 + 2 + 2 + 2 + 1)
        },
        plan("moved-aside", "a store that cannot be opened is moved aside, whole, and a new one is made; or it stays") {
            trial in
            var entities = original
            entities[0].attributes.removeLast()
            let schema = Schema(entities: entities)
            guard trial.subject.has(.persistence) else {
                // There is no place for it.
                // A store with files is moved, and has no error here.
                try expectError(.unsupported, isOwnText: true) { try trial.another(schema, migration: .moveAside) }
                return try checkSongs(try trial.another(Schema(entities: original), migration: .refuse))
            }
            let stack = try trial.another(schema, migration: .moveAside)
            try expectEqual(try stack.blocking.read { try $0.count(Request("Song")) }, 0)
            guard let path = stack.migration.movedTo else { throw missing("where the store is") }
            try checkSongs(try trial.another(Schema(entities: original), at: path, migration: .refuse))
            try stack.blocking.close()
            let again = try trial.another(schema, migration: .moveAside)
            try expectEqual(again.migration.movedTo, nil)
        },
        plan("moved-aside-open", "a store that is open is not moved aside", requires: [.persistence]) { trial in
            let stack = try trial.another(Schema(entities: original))
            var entities = original
            entities[0].attributes.removeLast()
            try expectError(.busy) { try trial.another(Schema(entities: entities), migration: .moveAside) }
            try checkSongs(stack)
        },
        plan(
            "moved-aside-reading", "a store is not moved aside by whom opens it for reading",
            requires: [.readOnlyOpening]
        ) { trial in
            var entities = original
            entities[0].attributes.append(Attribute("note", String?.self))
            try expectError(.readOnly) {
                try trial.another(Schema(entities: entities), access: .readOnly, migration: .moveAside)
            }
            try checkSongs(try trial.another(Schema(entities: original), migration: .refuse))
        },
        plan("planned", "planning changes nothing, and counts what would be rewritten") { trial in
            var entities = original
            entities[0].attributes[2].type = .string
            entities[0].attributes[2].defaultValue = nil
            entities[0].attributes.removeLast()
            let schema = Schema(entities: entities)
            let planned = try Blocking<Stack>.plan(schema, store: trial.provider)
            try expectEqual(planned.refused.map(\.cost).sorted(), [.rewriting, .lossy])
            try expectEqual(planned.cost, .lossy)
            let inferred = try Blocking<Stack>.plan(schema, store: trial.provider, migration: .inferred)
            try expectEqual(inferred.refused.map(\.cost), [.lossy])
            let allowed = try Blocking<Stack>.plan(schema, store: trial.provider, migration: dropping("Song.year"))
            try expectEqual(allowed.refused, [])
            try expectEqual((allowed.space ?? 0) > 0, trial.subject.has(.persistence), allowed.description)
            try expect(allowed.seconds > 0, allowed.description)
            try expectEqual(try Blocking<Stack>.plan(Schema(entities: original), store: trial.provider).isEmpty, true)
            var indexed = original
            indexed[0].indexes.append(.index("code"))
            let indexing = try Blocking<Stack>.plan(Schema(entities: indexed), store: trial.provider)
            try expectEqual(indexing.cost, .instant)
            try expect(indexing.seconds > 0.005, "entries of three records are made: \(indexing.seconds)")
            let nowhere = trial.folder + "/Nowhere.granary"
            try expectError(.notAStore) {
                try Blocking<Stack>.plan(schema, store: trial.subject.provider(nowhere, .readWrite))
            }
            try trial.expectNoStore(at: nowhere)
            try checkSongs(try trial.another(Schema(entities: original), migration: .refuse))
        },
    ]
}

private func plan(
    _ id: String, _ summary: String, requires more: Set<Capability> = [],
    _ body: @escaping @Sendable (Trial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "migration.plan-\(id)", in: .migration, summary, requires: needed.union(more), modes: [.fresh]
    ) { trial in
        try writeSongs(trial)
        try await body(trial)
    }
}

private struct StepFailure: Error {}

/// A step that fails leaves the store as it was.
private func expectFailure(of step: MigrationStep, _ code: GranaryError.Code, key: StoredValue?, _ trial: Trial) throws
{
    var entities = original
    entities[0].attributes.append(Attribute("note", String?.self))
    var found: GranaryError?
    do {
        _ = try trial.another(Schema(entities: entities), migration: .plan(MigrationPlan(step)))
    } catch let error as GranaryError {
        found = error
    }
    try expectEqual(found?.code, code)
    try expect(found?.message.contains("\"step\"") ?? false, found?.message ?? "")
    if let key { try expectEqual(found?.key, key) }
    let stack = try trial.another(Schema(entities: original), migration: .refuse)
    try checkSongs(stack)
    try stack.blocking.close()
}

private func missing(_ what: String) -> ConformanceFailure {
    ConformanceFailure(message: "Expected \(what).", file: #fileID, line: #line)
}

private final class StepCounter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    func add() { count.add(1, ordering: .sequentiallyConsistent) }
}
