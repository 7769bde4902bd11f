import ConformanceKit
import Foundation
import GranaryCore
import GranarySeeds

// Seeds that were written with another schema than the one that the store is opened with.

var seedingSchemaCases: [ConformanceCase] {
    [
        ConformanceCase(
            "seed.older", in: .seed, "the records of a seed for an older schema are brought to the newer one",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let old = Entity(
                "Track", key: "id", keyGeneration: .assigned,
                attributes: [Attribute("id", Int64.self), Attribute("title", String.self)])
            var new = old
            new.attributes.insert(Attribute("plays", Int64.self, default: 7), at: 1)
            new.attributes.append(Attribute("note", String?.self))
            new.indexes = [.unique("title"), .index("plays")]
            let place = trial.folder + "/Seed.granary"
            let source = try trial.another(Schema(entities: [old]), at: place)
            try source.blocking.write { tx in
                for title in ["one", "two"] {
                    var record = try DynamicRecord("Track", in: tx.schema)
                    try record.set("title", to: title)
                    try tx.insert(record)
                }
            }
            try await source.close()
            let shelf = Entity(
                "Rack", key: "id", attributes: [Attribute("id", Int64.self)])
            let stack = try trial.another(
                Schema(entities: [shelf, new]), seed: .store(trial.subject.storeProvider(at: place)))
            try expectEqual(
                try WholeStore.records(stack),
                [
                    "Track": [
                        [.integer(1), .integer(7), .string("one"), .null],
                        [.integer(2), .integer(7), .string("two"), .null],
                    ]
                ])
            let key = try stack.blocking.write { tx in
                var record = try DynamicRecord("Track", in: tx.schema)
                try record.set("title", to: "three")
                return try tx.insert(record).key
            }
            try expectEqual(key, .integer(3))
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "seed.other-schema", in: .seed, "a seed that would lose values is refused, and nothing is created",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let more = Entity(
                "Shelf", key: "id",
                attributes: [
                    Attribute("id", Int64.self), Attribute("name", String.self), Attribute("height", Double.self),
                ])
            let place = trial.folder + "/Seed.granary"
            try await trial.another(Schema(entities: [more]), at: place).close()
            let error = try expectError(.schemaMismatch) {
                try trial.another(Schema(Shelf.self), seed: .store(trial.subject.storeProvider(at: place)))
            }
            try expect(error.message.contains("height"), error.message)
            try trial.expectNoStore()
        },
        ConformanceCase(
            "seed.renamed", in: .seed,
            "a seed whose schema differs by names alone, or by the order of declarations, is used",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let place = try seedTracks(trial)
            let seed = Seed.store(trial.subject.storeProvider(at: place))
            var renamed = seededTrack
            renamed.attributes[1] = Attribute("name", String.self).renamed(from: "title")
            renamed.attributes.swapAt(1, 2)
            let stack = try trial.another(Schema(entities: [renamed]), seed: seed)
            let expected: [[StoredValue]] = [
                [.integer(1), .integer(10), .string("one")], [.integer(2), .integer(20), .string("two")],
            ]
            try expectEqual(try WholeStore.records(stack), ["Track": expected])
            try await stack.reset(to: .seed)
            try expectEqual(try WholeStore.records(stack), ["Track": expected])
            try expectEqual(try stack.blocking.verify(), [])
            try await stack.close()
            try expectEqual(
                try WholeStore.records(trial.another(Schema(entities: [renamed]), migration: .refuse)),
                ["Track": expected])
        },
        ConformanceCase(
            "seed.converted", in: .seed, "a seed is migrated as far as the stack's policy allows",
            requires: [.filling, .reopening],
            modes: [.fresh]
        ) { trial in
            let place = try seedTracks(trial)
            let seed = Seed.store(trial.subject.storeProvider(at: place))
            var converted = seededTrack
            converted.attributes[2] = Attribute("plays", String.self)
            let schema = Schema(entities: [converted])
            for policy in [MigrationPolicy.automatic, .refuse, .moveAside] {
                let error = try expectError(.schemaMismatch) {
                    try trial.another(schema, migration: policy, seed: seed)
                }
                try expect(error.message.hasPrefix("The seed cannot be used."), error.message)
                try trial.expectNoStore()
            }
            let stack = try trial.another(schema, migration: .inferred, seed: seed)
            let expected: [[StoredValue]] = [
                [.integer(1), .string("one"), .string("10")], [.integer(2), .string("two"), .string("20")],
            ]
            try expectEqual(try WholeStore.records(stack), ["Track": expected])
            try await stack.reset(to: .seed)
            try expectEqual(try WholeStore.records(stack), ["Track": expected])
            let key = try stack.blocking.write { tx in
                var record = try DynamicRecord("Track", in: tx.schema)
                try record.set("title", to: "three")
                try record.set("plays", to: "")
                return try tx.insert(record).key
            }
            try expectEqual(key, .integer(3))
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "seed.steps", in: .seed, "a seed takes the steps of the stack's plan that it has not taken",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let place = try seedTracks(trial)
            let seed = Seed.store(trial.subject.storeProvider(at: place))
            var entity = seededTrack
            entity.attributes[2] = Attribute("label", String.self)
            let plan = MigrationPlan(
                .records("labels", of: "Track") { old, new, _ in
                    try new.set(
                        "label",
                        to: "\(try old.value("title", as: String.self)) \(try old.value("plays", as: Int.self))")
                }.dropping("Track.plays"),
                .code("more") { store in
                    var record = try store.record("Track")
                    try record.set("title", to: "three")
                    try record.set("label", to: "new")
                    try store.insert(record)
                })
            let schema = Schema(entities: [entity])
            let stack = try trial.another(schema, migration: .plan(plan), seed: seed)
            func expected(third: Int64) -> [[StoredValue]] {
                [
                    [.integer(1), .string("one"), .string("one 10")], [.integer(2), .string("two"), .string("two 20")],
                    [.integer(third), .string("three"), .string("new")],
                ]
            }
            try expectEqual(try WholeStore.records(stack), ["Track": expected(third: 3)])
            // Keys that were assigned are not assigned again.
            try await stack.reset(to: .seed)
            try expectEqual(try WholeStore.records(stack), ["Track": expected(third: 4)])
            try expectEqual(try stack.blocking.verify(), [])
            try await stack.close()
            let again = try trial.another(schema, migration: .plan(plan))
            try expectEqual(again.migration.steps, [])
        },
        ConformanceCase(
            "seed.steps-between", in: .seed,
            "a plan that reaches a third schema on the way is refused before anything is created",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let place = try seedTracks(trial)
            let seed = Seed.store(trial.subject.storeProvider(at: place))
            var (between, last) = (seededTrack, seededTrack)
            between.attributes[2] = Attribute("plays", String.self)
            last.attributes[2] = Attribute("plays", String.self)
            last.attributes.append(Attribute("mood", String?.self))
            let plan = MigrationPlan(.inferred("texts").reaching(Schema(entities: [between])), .inferred("moods"))
            try expectError(.schemaMismatch) {
                try trial.another(Schema(entities: [last]), migration: .plan(plan), seed: seed)
            }
            try trial.expectNoStore()
        },
        ConformanceCase(
            "seed.dangling", in: .seed, "a step after which a reference dangles is refused, and nothing is created",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            let tin = Entity(
                "Tin", key: "id", attributes: [Attribute("id", Int64.self), Attribute("shelf", Ref<Shelf>.self)])
            let place = trial.folder + "/Seed.granary"
            let source = try trial.another(Schema(entities: [Shelf.entity, tin]), at: place)
            try source.blocking.write { tx in
                try tx.insert(Shelf(id: 1, name: "one"))
                var record = try DynamicRecord("Tin", in: tx.schema)
                try record.set("id", to: 1)
                try record.set("shelf", to: Ref<Shelf>(1))
                try tx.insert(record)
            }
            try await source.close()
            var newer = tin
            newer.attributes.append(Attribute("note", String?.self))
            let plan = MigrationPlan(
                .records("other shelves", of: "Tin") { _, new, _ in try new.set("shelf", to: Ref<Shelf>(99)) })
            try expectError(.danglingReference, entity: "Tin", attributes: ["shelf"]) {
                try trial.another(
                    Schema(entities: [Shelf.entity, newer]), migration: .plan(plan),
                    seed: .store(trial.subject.storeProvider(at: place)))
            }
            try trial.expectNoStore()
        },
        ConformanceCase(
            "seed.duplicates", in: .seed, "a seed without the uniqueness that the schema asks for is refused by name",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            var entity = Shelf.entity
            let place = trial.folder + "/Seed.granary"
            try seedShelves(trial, at: "Seed", ["same", "other", "same"])
            entity.indexes = [.unique("name")]
            let schema = Schema(
                entities: SuiteSchema.standard.entities.map { $0.name == "Shelf" ? entity : $0 })
            let message =
                "Shelf.name cannot become unique: 2 records share their values with others. Make the values differ, or delete records, before the index is made unique."
            let error = try expectError(.uniqueness, entity: "Shelf", attributes: ["name"], message: message) {
                try trial.another(schema, seed: .store(trial.subject.storeProvider(at: place)))
            }
            try expectEqual(error.duplicates?.keys, [[.integer(0), .integer(2)]])
            try trial.expectNoStore()
        },
    ]
}
