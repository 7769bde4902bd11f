import ConformanceKit
import GranaryCore

private let ada = Person(id: 1, firstName: "Ada", age: 10, rating: 1, country: "GB", number: 1)

extension Context {
    /// Adds to the age of the one person, and to the rating.
    fileprivate func age(by years: Int, rating: Double = 0) throws {
        let count = try Person.where { $0.id == 1 }.updateAll(in: self) {
            $0.add(\.age, years)
            $0.add(\.rating, rating)
        }
        try expectEqual(count, 1)
    }
}

// Not by the trial, which may open the stack again first: contexts are in use.
private func found(_ trial: Trial) throws -> Person? { try trial.stack.blocking.read { try $0.find(Person.self, 1) } }
private func age(_ trial: Trial) throws -> Int? { try found(trial)?.age }

var mergingAdditionsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.add", in: .merging, "what was added on both sides adds up without a conflict, under every policy"
        ) { trial in
            for policy in [MergePolicy.error, .storeWins, .contextWins, .overwrite, .rollBack] {
                try trial.write { _ = try $0.upsert(ada) }
                let (one, two) = (try trial.stack.makeContext(), try trial.stack.makeContext())
                two.mergePolicy = policy
                try one.age(by: 1, rating: 0.5)
                try two.age(by: 1)
                try two.age(by: 1)
                try two.update(Person.self, 1) { $0.lastName = "Lovelace" }
                try expectEqual(try two.find(Person.self, 1)?.age, 12)
                try expectEqual(try one.blocking.save().conflicts.count, 0)
                try trial.write { try $0.age(by: 100) }
                try expectEqual(try two.blocking.save().conflicts.count, 0)
                try expectEqual(
                    try found(trial),
                    ada.with { ($0.age, $0.rating, $0.lastName) = (113, 1.5, "Lovelace") }, "under \(policy)")
            }
        },
        ConformanceCase(
            "merging.add-beside-conflict", in: .merging,
            "what was added on both sides adds up, also where a conflict over another attribute is settled"
        ) { trial in
            let policies: [(MergePolicy, age: Int, lastName: String)] = [
                (.storeWins, 16, "Byron"), (.contextWins, 16, "Lovelace"), (.overwrite, 16, "Lovelace"),
                // The store's record, whole.
                (.rollBack, 15, "Byron"),
            ]
            for (policy, age, lastName) in policies {
                try trial.write { _ = try $0.upsert(ada) }
                let context = try trial.stack.makeContext()
                context.mergePolicy = policy
                try context.age(by: 1)
                try context.update(Person.self, 1) { $0.lastName = "Lovelace" }
                try trial.write { transaction in
                    try transaction.age(by: 5)
                    try transaction.update(Person.self, 1) { $0.lastName = "Byron" }
                }
                try expectEqual(try context.blocking.save().conflicts.map(\.attributes), [["lastName"]])
                try expectEqual(
                    try found(trial), ada.with { ($0.age, $0.lastName) = (age, lastName) }, "under \(policy)")
            }
        },
        ConformanceCase(
            "merging.add-and-set", in: .merging,
            "an attribute that was also given a value is a conflict, whichever came first"
        ) { trial in
            func expectConflict(_ change: (EditContext) throws -> Void) throws {
                try trial.write { _ = try $0.upsert(ada) }
                let context = try trial.stack.makeContext()
                try change(context)
                try trial.write { try $0.age(by: 5) }
                let error = try expectError(.mergeConflict) { try context.blocking.save() }
                try expectEqual(error.conflicts.map(\.attributes), [["age"]])
                context.rollback()
            }
            try expectConflict { context in
                try context.age(by: 1)
                try context.update(Person.self, 1) { $0.age = 20 }
            }
            try expectConflict { context in
                try context.update(Person.self, 1) { $0.age = 20 }
                try context.age(by: 1)
            }
            // Also a value that is the one it has.
            try expectConflict { context in
                try context.age(by: 1)
                _ = try Person.all.updateAll(in: context) { $0.set(\.age, to: 11) }
            }
            // What was set back to where it began is not set.
            try trial.write { _ = try $0.upsert(ada) }
            let context = try trial.stack.makeContext()
            try context.update(Person.self, 1) { $0.age = 20 }
            try context.update(Person.self, 1) { $0.age = 10 }
            try context.age(by: 1)
            try trial.write { try $0.age(by: 5) }
            try context.blocking.save()
            try expectEqual(try age(trial), 16)
        },
        ConformanceCase(
            "merging.add-set-there", in: .merging,
            "what is added here is added to the value that was set there; to nil, nothing"
        ) { trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            try context.age(by: 3)
            try trial.write { _ = try $0.update(Person.self, 1) { $0.age = 50 } }
            try expectEqual(try context.refresh().count, 0)
            try expectEqual(try context.find(Person.self, 1)?.age, 53)
            try trial.write { _ = try $0.update(Person.self, 1) { $0.age = 60 } }
            try context.blocking.save()
            try expectEqual(try age(trial), 63)
            try context.age(by: 3)
            try trial.write { _ = try $0.update(Person.self, 1) { $0.age = nil } }
            try context.blocking.save()
            try expectEqual(try age(trial), nil)
        },
        ConformanceCase("merging.add-child", in: .merging, "what is added in a child is an addition of its parent") {
            trial in
            try trial.insert([ada])
            let parent = try trial.stack.makeContext()
            let (one, two) = (try parent.makeChild(), try parent.makeChild())
            try one.age(by: 1)
            try two.age(by: 1)
            try one.saveToParent()
            try two.saveToParent()
            try expectEqual(try parent.find(Person.self, 1)?.age, 12)
            try trial.write { try $0.age(by: 100) }
            try two.age(by: 1)
            try two.blocking.save()
            try expectEqual(try age(trial), 113)
            // A value that the parent was given stays one.
            try parent.update(Person.self, 1) { $0.age = 5 }
            try one.age(by: 1)
            try one.saveToParent()
            try trial.write { try $0.age(by: 100) }
            try expectError(.mergeConflict) { try parent.blocking.save() }
        },
        ConformanceCase(
            "merging.add-savepoint", in: .merging, "a savepoint that is taken back takes back what it added, or set"
        ) { trial in
            struct Stop: Error {}
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            try context.age(by: 1)
            try? context.savepoint {
                try context.update(Person.self, 1) { $0.age = 70 }
                throw Stop()
            }
            try? context.savepoint {
                try context.age(by: 50)
                throw Stop()
            }
            try trial.write { try $0.age(by: 100) }
            try context.blocking.save()
            try expectEqual(try age(trial), 111)
        },
        ConformanceCase("merging.add-undo", in: .merging, "undo subtracts what was added, redo adds it again") {
            trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            context.isUndoEnabled = true
            try context.age(by: 1)
            try trial.write { try $0.age(by: 100) }
            try context.refresh()
            try expectEqual(try context.find(Person.self, 1)?.age, 111)
            try context.undo()
            try expectEqual(try context.find(Person.self, 1)?.age, 110)
            try context.redo()
            try trial.write { try $0.age(by: 100) }
            try context.blocking.save()
            try expectEqual(try age(trial), 211)
            try context.undo()
            try trial.write { try $0.age(by: 100) }
            try context.blocking.save()
            try expectEqual(try age(trial), 310)
        },
        ConformanceCase(
            "merging.add-overflow", in: .merging, "a sum that no longer fits fails the save, which changes nothing"
        ) { trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            try expectError(.overflow, entity: "Person", attributes: ["age"]) { try context.age(by: .max) }
            try context.age(by: 5)
            try trial.write { _ = try $0.update(Person.self, 1) { $0.age = .max - 2 } }
            try expectError(.overflow, entity: "Person", attributes: ["age"]) { try context.blocking.save() }
            try expectError(.overflow, entity: "Person", attributes: ["age"]) { _ = try context.refresh() }
            try expectEqual(try context.find(Person.self, 1)?.age, 15)
            try expectEqual(try age(trial), .max - 2)
        },
        ConformanceCase(
            "merging.add-unknown-save", in: .merging,
            "what was added by a save of which it is not known whether it holds is added once, or is a conflict",
            modes: [.fresh]
        ) { trial in
            let flag = CommitFlag()
            let stack = try trial.uncertain(SuiteSchema.standard, flag)
            defer { try? stack.blocking.close() }
            try stack.blocking.write { _ = try $0.insert([ada]) }
            let context = try stack.makeContext()
            func age() throws -> Int? { try stack.blocking.read { try $0.find(Person.self, 1)?.age } }
            func fail() throws {
                flag.set()
                try expectError(.commitOutcomeUnknown) { try context.blocking.save() }
            }
            try context.age(by: 1)
            try fail()
            try expect(try context.blocking.save().isEmpty, "it was added twice")
            try expectEqual(try age(), 11)
            // What else was saved tells that it holds, whatever others have added since.
            try context.age(by: 1)
            try context.update(Person.self, 1) { $0.lastName = "Lovelace" }
            try fail()
            try stack.blocking.write { try $0.age(by: 3) }
            try expect(try context.blocking.save().isEmpty, "it was added twice")
            try expectEqual(try age(), 15)
            // Nothing tells whether the other value is with it or without.
            try context.age(by: 1)
            try fail()
            try stack.blocking.write { try $0.age(by: 3) }
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.attributes), [["age"]])
            try expectEqual(try age(), 19)
        },
        ConformanceCase(
            "merging.add-failed-save", in: .merging,
            "what was added by a save that turns out to have failed is added to what others have added since",
            modes: [.fresh]
        ) { trial in
            let flag = CommitFlag(holds: false)
            let stack = try trial.uncertain(SuiteSchema.standard, flag)
            defer { try? stack.blocking.close() }
            try stack.blocking.write { _ = try $0.insert([ada]) }
            let context = try stack.makeContext()
            try context.age(by: 1)
            flag.set()
            try expectError(.commitOutcomeUnknown) { try context.blocking.save() }
            try context.refresh()
            try stack.blocking.write { try $0.age(by: 100) }
            try context.blocking.save()
            try expectEqual(try stack.blocking.read { try $0.find(Person.self, 1)?.age }, 111)
        },
        ConformanceCase(
            "merging.add-deleted", in: .merging, "an addition to what was deleted there is a conflict as any change"
        ) { trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            try context.age(by: 1)
            try trial.write { _ = try $0.delete(Person.self, 1) }
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.kind), [.deletedInStore])
        },
        ConformanceCase(
            "merging.add-again", in: .merging, "what was added once is not added again by the next save"
        ) { trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            try context.age(by: 1)
            try context.blocking.save()
            try context.update(Person.self, 1) { $0.lastName = "L" }
            try trial.write { try $0.age(by: 100) }
            try context.blocking.save()
            try expectEqual(try age(trial), 111)
        },
    ]
}
