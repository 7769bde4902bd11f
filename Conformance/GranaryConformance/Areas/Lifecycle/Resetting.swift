import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport
import GranarySeeds

var resettingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "reset.empty", in: .reset,
            "after a reset there are no records and no history; keys and numbers of commits go on", requires: [.filling]
        ) { trial in
            try trial.close()
            let history: HistoryPolicy = trial.subject.keepsHistory ? .everything : .none
            var stack = try trial.another(WholeStore.schema, history: history)
            try await WholeStore.fill(stack)
            let token = try await stack.historyToken()
            for round in 1...3 {
                try await stack.reset(to: .empty)
                if trial.mode == .reopened, round == 2 {
                    try await stack.close()
                    stack = try trial.another(WholeStore.schema, migration: .refuse, history: history)
                }
                try WholeStore.expectSame(stack, as: [:])
                try expectEqual(try WholeStore.number(stack), token.transactionNumber + UInt64(round))
            }
            if history != .none {
                // Only a store with a history has these errors.
                try expectError(.historyGone, isOwnText: true) { try stack.committed(since: 0) }
                // The entries up to the limit must be gone, too, and not only the next one.
                try expectError(.historyGone, isOwnText: true) { try stack.committed(since: 0, limit: 1) }
                try expectError(.historyGone, isOwnText: true) { try stack.committed(since: token.transactionNumber) }
            }
            try expectEqual(try stack.blocking.write { try $0.insert(Counter(label: "a")).id }, 4)
            try expectEqual(try WholeStore.number(stack), token.transactionNumber + 4)
            if history != .none {
                try expectEqual(try stack.committed(since: token.transactionNumber + 3).count, 1)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "reset.seed", in: .reset, "a reset to the seed has what the seed has", requires: [.filling, .reopening],
            modes: [.fresh]
        ) { trial in
            try trial.close()
            let place = trial.folder + "/Seed.granary"
            let source = try trial.another(WholeStore.schema, at: place)
            try await WholeStore.fill(source)
            let records = try WholeStore.records(source)
            let stack = try trial.another(WholeStore.schema, seed: .store(trial.subject.storeProvider(at: place)))
            let number = try WholeStore.number(stack)
            try stack.blocking.write { tx in
                _ = try Note.all.deleteAll(in: tx)
                for label in ["x", "y", "z"] { try tx.insert(Counter(label: label)) }
            }
            try await stack.reset(to: .seed)
            try WholeStore.expectSame(stack, as: records)
            try expectEqual(try WholeStore.number(stack), number + 2)
            try await WholeStore.expectWorking(stack, nextKey: 7)
        },
        ConformanceCase(
            "reset.seed-changed", in: .reset, "a seed that has changed is refused, unless any seed will do",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            try trial.close()
            try seedShelves(trial, at: "Seed", ["seeded"])
            let seed = Seed.store(trial.subject.storeProvider(at: trial.folder + "/Seed.granary"))
            var stack = try trial.another(seed: seed)
            let source = try trial.another(at: trial.folder + "/Seed.granary")
            _ = try source.blocking.write { try $0.insert(Shelf(id: 5, name: "later")) }
            try await source.close()
            try stack.blocking.write { _ = try $0.insert(Shelf(id: 9, name: "own")) }
            let error = try await expectAsyncError(.seedMismatch) { try await stack.reset(to: .seed) }
            try expect(error.message.contains("has changed"), error.message)
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["seeded", "own"])
            try await stack.reset(to: .anySeed)
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["seeded", "later"])
            // The store knows the seed that it was made from last, and so does a copy.
            let place = trial.folder + "/Copy.granary"
            try await stack.copy(to: trial.subject.storeProvider(at: place)).close()
            let copy = try trial.another(at: place, seed: seed)
            try await copy.reset(to: .seed)
            try await copy.close()
            // Also after it was emptied, and opened again.
            try await stack.reset(to: .empty)
            try await stack.close()
            stack = try trial.another(seed: seed)
            try await stack.reset(to: .seed)
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["seeded", "later"])
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "reset.seed-foreign", in: .reset, "a seed that the store was not made from is refused",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            try trial.close()
            try seedShelves(trial, at: "Seed", ["seeded"])
            try writeFile(Array(#"{"Shelf": [{"id": 1, "name": "json"}]}"#.utf8), to: trial.folder + "/Seed.json")
            let seeds = [
                Seed.store(trial.subject.storeProvider(at: trial.folder + "/Seed.granary")),
                Seed.json(URL(filePath: trial.folder + "/Seed.json")),
            ]
            for (number, seed) in seeds.enumerated() {
                let place = trial.folder + "/\(number).granary"
                try await trial.another(at: place, seed: seed).close()
                let other = try trial.another(at: place, seed: seeds[1 - number])
                let error = try await expectAsyncError(.seedMismatch) { try await other.reset(to: .seed) }
                try expect(error.message.contains("another seed"), error.message)
                try await other.close()
                let same = try trial.another(at: place, seed: seed)
                try await same.reset(to: .seed)
                try expectEqual(try same.blocking.read { try $0.count(Shelf.all) }, 1)
                try await same.close()
            }
            // A store that was made without a seed takes any, and knows it from then on.
            let place = trial.folder + "/Unseeded.granary"
            try await trial.another(at: place).close()
            let stack = try trial.another(at: place, seed: seeds[0])
            try await stack.reset(to: .seed)
            try await stack.close()
            try await expectAsyncError(.seedMismatch) {
                try await trial.another(at: place, seed: seeds[1]).reset(to: .seed)
            }
        },
        ConformanceCase(
            "reset.seed-failing", in: .reset,
            "a reset that fails leaves the store, the contexts and the observers as they were",
            requires: [.filling, .reopening], modes: [.fresh]
        ) { trial in
            try trial.close()
            try seedShelves(trial, at: "Seed", ["seeded"])
            let place = trial.folder + "/Seed.granary"
            let stack = try trial.another(seed: .store(trial.subject.storeProvider(at: place)))
            let context = try stack.makeContext()
            try context.insert(Shelf(id: 9, name: "pending"))
            let following = Following(stack.changes, on: trial)
            try trial.subject.storeProvider(at: place).destroy()
            try await expectAsyncError(.notAStore) { try await stack.reset(to: .seed) }
            try expectEqual(try context.fetch(Shelf.all).map(\.name), ["seeded", "pending"])
            try await context.save()
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["seeded", "pending"])
            try expectEqual(try following.wait("the save") { !$0.isEmpty }.count, 1)
            let other = try trial.another(at: trial.folder + "/Unseeded.granary")
            try await expectAsyncError(.unsupported) { try await other.reset(to: .seed) }
        },
        ConformanceCase(
            "reset.contexts", in: .reset, "contexts from before throw, at reading and at saving; new ones work",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            let context = try stack.makeContext()
            try context.update(Shelf.self, 1) { $0.name = "changed" }
            let child = try context.makeChild()
            try child.insert(Shelf(id: 3, name: "three"))
            try await stack.reset(to: .empty)
            for old in [context, child] {
                try expectError(.generationGone) { try old.fetch(Shelf.all) }
                try expectError(.generationGone) { try old.find(Shelf.self, 2) }
                try expectError(.generationGone) { try old.saveToParent() }
                try await expectAsyncError(.generationGone) { try await old.save() }
            }
            try expectError(.generationGone) { try context.makeChild().blocking.save() }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
            let new = try stack.makeContext()
            try new.insert(Shelf(id: 1, name: "new"))
            try await new.save()
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["new"])
        },
        ConformanceCase(
            "reset.main-context", in: .reset, "the main context stays, without its pending changes",
            requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one")])
            try await MainActor.run {
                try stack.mainContext.update(Shelf.self, 1) { $0.name = "changed" }
                try stack.mainContext.insert(Shelf(id: 2, name: "two"))
            }
            try await stack.reset(to: .empty)
            try await MainActor.run {
                try expectEqual(try stack.mainContext.hasChanges, false)
                try expectEqual(try stack.mainContext.fetch(Shelf.all), [])
                try stack.mainContext.insert(Shelf(id: 1, name: "new"))
                _ = try stack.mainContext.blocking.save()
            }
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["new"])
        },
        ConformanceCase(
            "reset.observers", in: .reset, "observers are told of one commit, and show what is there then",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            let changes = Following(stack.changes, on: trial)
            let shelves = Following(stack.observe(Shelf.all), on: trial)
            try shelves.wait("the first answer") { !$0.isEmpty }
            try await stack.reset(to: .empty)
            let number = try WholeStore.number(stack)
            try shelves.wait("no shelves") { $0.last?.isEmpty ?? false }
            try await stack.write { _ = try $0.insert(Shelf(id: 5, name: "five")) }
            try shelves.wait("the new shelf") { $0.last?.map(\.id) == [5] }
            let told = try changes.wait("two commits") { $0.count >= 2 }
            try expectEqual(told.map(\.transactionNumber), [number, number + 1])
            try expect(told[0].changes == nil, "the changes of a reset are not known")
            try expectEqual(told[0].origin.name, "reset")
        },
        ConformanceCase(
            "reset.reads-finish", in: .reset, "a read that is under way finishes on what it began with",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.insert((0..<300).map { Note(slug: "note \($0)", body: "text") })
            let stack = try trial.stack
            let hasBegun = Event("the read's begin")
            let isReset = Event("the reset")
            let reader = Worker("the read") {
                try stack.blocking.read { snapshot in
                    var seen = 0
                    try Note.all.forEach(in: snapshot) { note in
                        if seen == 10 {
                            hasBegun.set()
                            try isReset.wait()
                        }
                        seen += 1
                    }
                    try expectEqual(seen, 300)
                    try expectEqual(try snapshot.find(Note.self, "note 7")?.body, "text")
                }
            }
            try await hasBegun.happened()
            try await stack.reset(to: .empty)
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 0)
            isReset.set()
            try reader.value()
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "reset.reads-cancelled", in: .reset, "a read that is under way is cancelled if that is asked for",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            try trial.insert((0..<5000).map { Note(slug: "note \($0)", body: "text") })
            let stack = try trial.stack
            let hasBegun = Event("the read's begin")
            let isReset = Event("the reset")
            let reader = Worker("the read") {
                try stack.blocking.read { snapshot in
                    hasBegun.set()
                    try isReset.wait()
                    try expectError(.cancelled) { try snapshot.fetch(Note.all) }
                }
            }
            try await hasBegun.happened()
            try await stack.reset(to: .empty, reads: .cancel)
            isReset.set()
            try reader.value()
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 0)
        },
        ConformanceCase(
            "reset.busy-stack", in: .reset, "readers and writers go on while the store is reset again and again",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let stacks = [stack, try trial.another()]
            let number = try WholeStore.number(stack)
            let isEnough = CancellationFlag()
            let writers = stacks.map { stack in
                Worker("a writer") {
                    var count = 0
                    while !isEnough.isSet || count < 20 {
                        try stack.blocking.write { tx in
                            let number = try tx.count(Counter.all)
                            try tx.upsert(Shelf(id: 1, name: "\(number + 1)"))
                            try tx.insert(Counter(label: "\(number)"))
                        }
                        count += 1
                    }
                    return count
                }
            }
            let readers = (stacks + stacks).map { stack in
                Worker("a reader") {
                    while !isEnough.isSet {
                        try stack.blocking.read { snapshot in
                            let number = Int(try snapshot.find(Shelf.self, 1)?.name ?? "0")
                            try expectEqual(try snapshot.count(Counter.all), number)
                        }
                    }
                }
            }
            for round in 0..<12 { try await stacks[round % 2].reset(to: .empty) }
            isEnough.set()
            for reader in readers { try reader.value() }
            let commits = try writers.map { try $0.value() }.reduce(0, +)
            // None came between what a reset read and what it wrote, and was lost so.
            try expectEqual(try WholeStore.number(stack), number + UInt64(commits + 12))
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "reset.other-declaration", in: .reset,
            "contexts of a stack that declares its attributes in another order throw, too, and its later ones work",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let entity = Shelf.entity
            var turned = entity
            turned.attributes.reverse()
            let schemas = [entity, turned].map { Schema(entities: [$0]) }
            try trial.close()
            let stack = try trial.another(schemas[0])
            let other: Stack
            do {
                other = try trial.another(schemas[1])
            } catch let error as GranaryError where error.code == .alreadyOpen {
                // Stacks of one process share the order.
                return
            }
            let context = try other.makeContext()
            func insert(_ id: Int64, into context: EditContext) throws {
                var record = try DynamicRecord("Shelf", in: other.schema)
                try record.set("id", to: id)
                try record.set("name", to: "shelf")
                try context.insert(record)
            }
            try insert(1, into: context)
            try await stack.reset(to: .empty)
            // A store whose stacks share the order has ended the case above.
            try await expectAsyncError(.generationGone, isOwnText: true) { try await context.save() }
            try expectEqual(try stack.blocking.read { try $0.count(Request("Shelf")) }, 0)
            let new = try other.makeContext()
            try insert(2, into: new)
            try await new.save()
            try expectEqual(try stack.blocking.read { try $0.count(Request("Shelf")) }, 1)
        },
        ConformanceCase(
            "reset.refused", in: .reset, "a store that is read-only or closed is not reset",
            requires: [.readOnlyOpening, .filling], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            try trial.close()
            let reading = try trial.another(access: .readOnly)
            try await expectAsyncError(.readOnly) { try await reading.reset(to: .empty) }
            try expectEqual(try reading.blocking.read { try $0.count(Shelf.all) }, 1)
            try await reading.close()
            try await expectAsyncError(.closed) { try await reading.reset(to: .empty) }
        },
        ConformanceCase(
            "reset.destroy", in: .reset,
            "a store that no stack has open is destroyed; others and what is not there are refused",
            requires: [.reopening, .filling], modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            let provider = trial.subject.storeProvider(at: trial.storePath)
            try await expectAsyncError(.busy, isOwnText: true) { try await Stack.destroy(provider) }
            try expectEqual(try trial.stack.blocking.read { try $0.count(Shelf.all) }, 1)
            try trial.close()
            try await Stack.destroy(provider)
            try trial.expectNoStore()
            try await expectAsyncError(.notAStore, isOwnText: true) { try await Stack.destroy(provider) }
            try expectEqual(try trial.stack.blocking.read { try $0.count(Shelf.all) }, 0)
        },
    ]
}
