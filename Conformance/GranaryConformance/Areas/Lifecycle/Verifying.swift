import ConformanceKit
import GranaryCore

// What a check says of stores that are whole, whatever was done to them; a fault that is none would have people restore a backup.
// `Verifying+Damaged.swift` has the stores that are not whole. Damage of an engine's own files is in the engine's tests.

var soundStoreCases: [ConformanceCase] {
    [
        ConformanceCase(
            "verify.empty", in: .verify,
            "a store without records has no faults, and neither has one whose records are gone"
        ) { trial in
            try expectEqual(try trial.stack.blocking.verify(), [])
            try trial.insert((0..<300).map { Note(slug: "note \($0)", topic: "\($0 % 3)") })
            try trial.write { _ = try Note.all.deleteAll(in: $0) }
            try expectEqual(try trial.read { try $0.count(Note.all) }, 0)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "verify.no-action", in: .verify,
            "a reference whose delete rule does nothing may lead nowhere: that is no fault"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            try trial.insert([Box(id: 1, shelf: Ref(1), loose: Ref(2)), Box(id: 2, shelf: Ref(1), loose: Ref(77))])
            try trial.write { _ = try Shelf.where { $0.id == 2 }.deleteAll(in: $0) }
            try expectEqual(try trial.find(Box.self, 1)?.loose, Ref<Shelf>(2))
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "verify.deleted", in: .verify, "nothing is left of records that went with the ones they refer to"
        ) { trial in
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            try trial.insert((1...200).map { Box(id: $0, shelf: Ref(1), spare: Ref(2)) })
            try trial.write { _ = try Shelf.where { $0.id == 2 }.deleteAll(in: $0) }
            try expectEqual(try trial.stack.blocking.verify(), [])
            try expectEqual(try trial.read { try $0.count(Box.where { $0.id > 0 }) }, 200)
            try trial.write { _ = try Box.where { $0.id > 10 }.deleteAll(in: $0) }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "verify.unique-nil", in: .verify, "records that have nil in an attribute of a unique index are no fault"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.insert([
                Coupon(id: 1, series: "a"), Coupon(id: 2, series: "a"), Coupon(id: 3), Coupon(id: 4, text: "x"),
                Coupon(id: 5, number: 1), Coupon(id: 6, number: 1), Coupon(id: 7, series: "a", number: 1),
            ])
            try expectEqual(try trial.stack.blocking.verify(), [])
            try expectEqual(try trial.read { try $0.count(Coupon.all) }, 7)
        },
        ConformanceCase(
            "verify.key-places", in: .verify,
            "a store is whole wherever among the attributes of a record its key stands"
        ) { trial in
            let orders = [
                ["code", "name", "city"], ["name", "code", "city"], ["name", "city", "code"], ["name", "code"],
            ]
            let entities = orders.enumerated().map { number, order in
                Entity("Place\(number)", key: "code", attributes: order.map { Attribute($0, String.self) })
            }
            try trial.open(Schema(entities: entities))
            try trial.write { tx in
                for (entity, order) in zip(entities, orders) {
                    for row in 0..<200 {
                        let values = order.map { ($0, StoredValue.string("\($0) \(row)")) }
                        _ = try tx.insert(made(entity.name, in: tx.schema, Dictionary(uniqueKeysWithValues: values)))
                    }
                }
            }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("verify.refused", in: .verify, "writes that are refused leave no fault") { trial in
            try trial.insert([Counter(label: "a")])
            try expectError(.uniqueness) { try trial.write { try $0.insert(Counter(label: "a")) } }
            try expectError(.danglingReference) { try trial.write { try $0.insert(Box(id: 1, shelf: Ref(9))) } }
            do {
                try trial.write { tx in
                    _ = try tx.insert((0..<100).map { Note(slug: "note \($0)", topic: "\($0)") })
                    throw Abandon()
                }
            } catch is Abandon {}
            try expectEqual(try trial.read { try $0.count(Note.all) }, 0)
            try expectEqual(try trial.fetch(Counter.all).map(\.label), ["a"])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "verify.assigned", in: .verify, "the counter of assigned keys may be ahead of the keys that are there"
        ) { trial in
            try trial.insert((0..<20).map { Counter(label: "\($0)") })
            try trial.write { _ = try Counter.where { $0.id > 5 }.deleteAll(in: $0) }
            try expectEqual(try trial.read { try $0.count(Counter.all) }, 5)
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "verify.texts", in: .verify,
            "texts of every kind are no fault in an index, and indexes of them are made anew"
        ) { trial in
            let topics = [
                "", "\u{0}", "a\u{0}b", "é", "e\u{301}", "\u{10FFFF}", "😀", String(repeating: "long ", count: 4000),
                String(repeating: "long ", count: 4000) + "!",
            ]
            try trial.insert(topics.enumerated().map { Note(slug: "\($0.offset)", topic: $0.element) })
            for isRebuilt in [false, true] {
                if isRebuilt { try await trial.stack.rebuildIndexes() }
                try expectEqual(try trial.stack.blocking.verify(), [])
                for (number, topic) in topics.enumerated() {
                    try expectEqual(try trial.keys(Note.where { $0.topic == topic }), ["\(number)"])
                }
            }
        },
        ConformanceCase(
            "verify.rebuild-progress", in: .verify, "making indexes anew says how far it has come", modes: [.fresh]
        ) { trial in
            try trial.insert((0..<5000).map { Note(slug: "note \($0)", topic: "\($0 % 7)") })
            let seen = Journal<StoreProgress>()
            try await trial.stack.rebuildIndexes(onProgress: { seen.add($0) })
            let records = seen.entries.map(\.records)
            try expectEqual(records, records.sorted())
            if let last = seen.entries.last { try expectEqual(last.fraction, 1) }
            try expectEqual(try trial.stack.blocking.verify(), [])
            try expectEqual(try trial.keys(Note.where { $0.topic == "3" }).count, 714)
        },
        ConformanceCase(
            "verify.read-only", in: .verify,
            "a store that is opened for reading is checked", requires: [.persistence, .readOnlyOpening], modes: [.fresh]
        ) { trial in
            try trial.insert((0..<100).map { Note(slug: "note \($0)", topic: "\($0 % 7)") })
            try trial.close()
            let stack = try trial.another(access: .readOnly)
            try expectEqual(try stack.blocking.verify(), [])
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 100)
        },
        ConformanceCase(
            "verify.rebuild-read-only", in: .verify, "indexes of a store that is opened for reading are not made anew",
            requires: [.persistence, .readOnlyOpening, .indexedQueries], modes: [.fresh]
        ) { trial in
            try trial.insert((0..<100).map { Note(slug: "note \($0)", topic: "\($0 % 7)") })
            try trial.close()
            let stack = try trial.another(access: .readOnly)
            try await expectAsyncError(.readOnly) { try await stack.rebuildIndexes() }
            try expectEqual(try stack.blocking.read { try $0.count(Note.all) }, 100)
        },
        ConformanceCase("verify.closed", in: .verify, "a stack that is closed is not checked", modes: [.fresh]) {
            trial in
            let stack = try trial.stack
            try trial.close()
            try expectError(.closed) { try stack.blocking.verify() }
            try await expectAsyncError(.closed) { try await stack.verify() }
            try await expectAsyncError(.closed) { try await stack.rebuildIndexes() }
        },
    ]
}

var verifyingCases: [ConformanceCase] {
    [
        ConformanceCase("verify.whole", in: .verify, "a store that is whole has no faults, also while others write") {
            trial in
            let stack = try trial.stack
            try await stack.write { tx in
                _ = try tx.insert((0..<500).map { Note(slug: "note \($0)", topic: "\($0 % 7)") })
                for label in 0..<100 { try tx.insert(Counter(label: "\(label)")) }
            }
            let isEnough = CancellationFlag()
            let writer = Worker("the writer") {
                var number = 0
                while !isEnough.isSet {
                    number += 1
                    let slug = "note \(number % 500)"
                    _ = try stack.blocking.write { try $0.upsert(Note(slug: slug, topic: slug)) }
                }
            }
            for _ in 0..<10 {
                let faults = try await stack.verify()
                try expectEqual(faults, [])
            }
            isEnough.set()
            try writer.value()
        },
        ConformanceCase("verify.progress", in: .verify, "a check says how far it has come", modes: [.fresh]) { trial in
            let stack = try trial.stack
            try await stack.write { tx in _ = try tx.insert((0..<5000).map { Shelf(id: Int64($0)) }) }
            let seen = Journal<StoreProgress>()
            let faults = try await stack.verify(onProgress: { seen.add($0) })
            try expectEqual(faults, [])
            let records = seen.entries.map(\.records)
            try expectEqual(records, records.sorted())
            try expect(records.count > 4, "it says so \(records.count) times")
            try expectEqual(records.last, 5000)
            try expectEqual(Set(seen.entries.map(\.total)), [5000])
        },
        ConformanceCase("verify.cancelled", in: .verify, "a check whose task is cancelled ends", modes: [.fresh]) {
            trial in
            let stack = try trial.stack
            try await stack.write { tx in _ = try tx.insert((0..<5000).map { Shelf(id: Int64($0)) }) }
            let (hasBegun, isCancelled) = (Event("the check's begin"), Event("the cancellation"))
            let task = Task(executorPreference: trial.executor) {
                try await stack.verify { progress in
                    guard progress.records < 3000 else { return }
                    hasBegun.set()
                    try? isCancelled.wait()
                }
            }
            try await hasBegun.happened()
            task.cancel()
            isCancelled.set()
            try await expectAsyncError(.cancelled) { _ = try await task.value }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 5000)
        },
        ConformanceCase(
            "verify.rebuild", in: .verify, "indexes that are made anew answer as before, and records stay",
            modes: [.fresh]
        ) { trial in
            try trial.close()
            let stack = try trial.another(WholeStore.schema)
            try await WholeStore.fill(stack)
            let (records, number) = (try WholeStore.records(stack), try WholeStore.number(stack))
            try await stack.rebuildIndexes()
            try WholeStore.expectSame(stack, as: records)
            try expectEqual(try WholeStore.number(stack), number)
            try expectEqual(try stack.blocking.read { try $0.count(Counter.where { $0.label == "b" }) }, 1)
            try await WholeStore.expectWorking(stack, nextKey: 4)
        },
    ]
}
