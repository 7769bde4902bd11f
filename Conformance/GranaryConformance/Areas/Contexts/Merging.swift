import ConformanceKit
import GranaryCore

private let ada = Person(id: 1, firstName: "Ada", email: "ada@x", age: 36, rating: 5, country: "GB", number: 1)
private let bo = Person(id: 2, firstName: "Bo", email: "bo@x", age: 20, rating: 2, country: "SE", number: 1)

/// A context that has changed what the store has changed since.
private func diverge(
    _ trial: Trial, here: (EditContext) throws -> Void, there: (Transaction) throws -> Void
) throws -> EditContext {
    try trial.insert([ada, bo])
    let context = try trial.stack.makeContext(named: "editor")
    try here(context)
    try trial.write(there)
    return context
}

/// Each policy's outcome of one conflict: the record afterwards.
private func expectOutcomes(
    _ trial: Trial, _ kind: MergeConflict.Kind, _ attributes: [String], _ outcomes: [(MergePolicy, Person?)],
    here: (EditContext) throws -> Void, there: (Transaction) throws -> Void
) throws {
    let context = try diverge(trial, here: here, there: there)
    let before = try trial.stack.blocking.read { try $0.find(Person.self, 1) }
    let error = try expectError(.mergeConflict, entity: "Person") { try context.blocking.save() }
    try expectEqual(error.conflicts.map(\.kind), [kind])
    try expectEqual(error.conflicts.map(\.attributes), [attributes])
    try expect(context.hasChanges, "a failed save has dropped the changes")
    try expectEqual(try trial.stack.blocking.read { try $0.find(Person.self, 1) }, before)
    for (policy, outcome) in outcomes {
        _ = try trial.stack.blocking.write { try Person.deleteAll(in: $0) }
        let context = try diverge(trial, here: here, there: there)
        context.mergePolicy = policy
        let result = try context.blocking.save()
        try expectEqual(result.conflicts.map(\.kind), [kind])
        try expectEqual(try trial.find(Person.self, 1), outcome, "under \(policy)")
        try expect(!context.hasChanges, "changes are left under \(policy)")
    }
}

var mergingCases: [ConformanceCase] {
    [
        ConformanceCase("merging.fields", in: .merging, "changes of different attributes merge without a conflict") {
            trial in
            let context = try diverge(
                trial, here: { try $0.update(ada.with { $0.age = 1 }) },
                there: { try $0.update(ada.with { ($0.rating, $0.firstName) = (nil, "Eve") }) })
            let result = try context.blocking.save()
            try expectEqual(result.conflicts.count, 0)
            try expectEqual(
                try trial.find(Person.self, 1),
                ada.with { ($0.age, $0.rating, $0.firstName) = (1, nil, "Eve") })
        },
        ConformanceCase("merging.changed-twice", in: .merging, "an attribute changed on both sides goes by the policy")
        {
            trial in
            try expectOutcomes(
                trial, .changedTwice, ["age"],
                [
                    (.storeWins, ada.with { ($0.age, $0.rating, $0.firstName) = (2, 1, "Eve") }),
                    (.contextWins, ada.with { ($0.age, $0.rating, $0.firstName) = (1, 1, "Eve") }),
                    (.overwrite, ada.with { ($0.age, $0.rating) = (1, 1) }),
                    (.rollBack, ada.with { ($0.age, $0.firstName) = (2, "Eve") }),
                    (
                        .resolving { conflict in
                            guard var record = conflict.context else { return .fail }
                            try record.set("age", to: 3)
                            return .replace(record)
                        }, ada.with { ($0.age, $0.rating) = (3, 1) }
                    ),
                    (
                        .resolving { conflict in
                            guard var record = conflict.merged else { return .fail }
                            try record.set("age", to: 3)
                            return .replace(record)
                        }, ada.with { ($0.age, $0.rating, $0.firstName) = (3, 1, "Eve") }
                    ),
                    (.resolving { _ in .contextWins }, ada.with { ($0.age, $0.rating, $0.firstName) = (1, 1, "Eve") }),
                ],
                here: { try $0.update(ada.with { ($0.age, $0.rating) = (1, 1) }) },
                there: { try $0.update(ada.with { ($0.age, $0.firstName) = (2, "Eve") }) })
        },
        ConformanceCase(
            "merging.deleted-there", in: .merging, "changed here and deleted in the store goes by the policy"
        ) {
            trial in
            try expectOutcomes(
                trial, .deletedInStore, ["age"],
                [
                    (.storeWins, nil), (.rollBack, nil), (.contextWins, ada.with { $0.age = 1 }),
                    (.overwrite, ada.with { $0.age = 1 }),
                ],
                here: { try $0.update(ada.with { $0.age = 1 }) }, there: { try $0.delete(Person.self, 1) })
        },
        ConformanceCase(
            "merging.deleted-here", in: .merging, "deleted here and changed in the store goes by the policy"
        ) {
            trial in
            let changed = ada.with { $0.age = 2 }
            try expectOutcomes(
                trial, .deletedInContext, ["age"],
                [(.storeWins, changed), (.rollBack, changed), (.contextWins, nil), (.overwrite, nil)],
                here: { try $0.delete(Person.self, 1) }, there: { try $0.update(changed) })
        },
        ConformanceCase("merging.inserted-twice", in: .merging, "one key inserted on both sides goes by the policy") {
            trial in
            let (mine, theirs) = (Person(id: 9, age: 1, country: "NO"), Person(id: 9, age: 2, country: "NO"))
            let context = try diverge(trial, here: { try $0.insert(mine) }, there: { try $0.insert(theirs) })
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.kind), [.insertedTwice])
            try expectEqual(error.conflicts.map(\.attributes), [["age"]])
            context.mergePolicy = .contextWins
            try expectEqual((try context.blocking.save()).updated, 1)
            try expectEqual(try trial.find(Person.self, 9), mine)
        },
        ConformanceCase(
            "merging.all-conflicts", in: .merging, "every conflict is listed, and nothing of the rest is saved"
        ) { trial in
            let context = try diverge(
                trial,
                here: {
                    try $0.update([ada.with { $0.age = 1 }, bo.with { $0.age = 1 }])
                    try $0.insert(Person(id: 3, country: "NO"))
                }, there: { try $0.update([ada.with { $0.age = 2 }, bo.with { $0.age = 2 }]) })
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.key), [.integer(1), .integer(2)])
            try expectEqual(try trial.stack.blocking.read { try $0.count(Person.all) }, 2)
        },
        ConformanceCase(
            "merging.refresh", in: .merging, "refreshing takes in what has changed, and the save has no conflict"
        ) { trial in
            let context = try diverge(
                trial, here: { try $0.update(ada.with { $0.age = 1 }) },
                there: { try $0.update(ada.with { ($0.age, $0.firstName) = (2, "Eve") }) })
            try expectError(.mergeConflict) { try context.refresh() }
            try expectEqual(try context.refresh(mergePolicy: .contextWins).map(\.kind), [.changedTwice])
            try expectEqual(try context.find(Person.self, 1), ada.with { ($0.age, $0.firstName) = (1, "Eve") })
            try expectEqual((try context.blocking.save()).conflicts.count, 0)
            try expectEqual(try trial.find(Person.self, 1), ada.with { ($0.age, $0.firstName) = (1, "Eve") })
        },
        ConformanceCase(
            "merging.unique-replaced", in: .merging, "a closure gives a record whose unique value is taken another one"
        ) { trial in
            try trial.insert([Person(id: 1, email: "a@x", country: "A"), Person(id: 2, email: "b@x", country: "B")])
            let context = try trial.stack.makeContext()
            try context.insert(Person(id: 3, email: "new@x", country: "C"))
            try context.update(Person.self, 2) { $0.email = "old@x" }
            try trial.stack.blocking.write { tx in
                try tx.insert(Person(id: 4, email: "new@x", country: "D"))
                try tx.update(Person.self, 1) { $0.email = "old@x" }
            }
            context.mergePolicy = .resolving { conflict in
                guard conflict.kind == .uniqueness, var record = conflict.merged else { return .fail }
                try record.set("email", to: "\(conflict.key == .integer(2) ? "second" : "third")@x")
                return .replace(record)
            }
            let result = try context.blocking.save()
            try expectEqual([result.inserted, result.updated], [1, 1])
            try expectEqual(result.conflicts.map(\.key), [.integer(2), .integer(3)])
            try expectEqual(
                try trial.stack.blocking.read { try $0.fetch(Person.all).map(\.email) },
                ["old@x", "second@x", "third@x", "new@x"])
            // One that is taken as well is an error, and nothing is saved.
            context.mergePolicy = .resolving { conflict in
                guard var record = conflict.merged else { return .fail }
                try record.set("email", to: "old@x")
                return .replace(record)
            }
            try context.insert(Person(id: 5, email: "five@x", country: "E"))
            try context.insert(Person(id: 6, email: "six@x", country: "F"))
            try trial.stack.blocking.write { _ = try $0.insert(Person(id: 7, email: "six@x", country: "G")) }
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) { try context.blocking.save() }
            try expectEqual(try trial.keys(Person.all), [1, 2, 3, 4, 7])
        },
        ConformanceCase("merging.swapped", in: .merging, "two records that exchange unique values are saved") { trial in
            try trial.insert([ada, bo])
            let context = try trial.stack.makeContext()
            try context.update(ada.with { $0.email = nil })
            try context.update(bo.with { $0.email = "ada@x" })
            try context.update(ada.with { $0.email = "bo@x" })
            try context.update(ada.with { ($0.email, $0.country, $0.number) = ("bo@x", "XX", 0) })
            try context.update(bo.with { ($0.email, $0.country, $0.number) = ("ada@x", "GB", 1) })
            try context.update(ada.with { ($0.email, $0.country, $0.number) = ("bo@x", "SE", 1) })
            try expectEqual((try context.blocking.save()).updated, 2)
            try expectEqual(try trial.fetch(Person.all).map(\.email), ["bo@x", "ada@x"])
            try expectEqual(try trial.fetch(Person.all).map(\.country), ["SE", "GB"])
        },
        ConformanceCase(
            "merging.referrers", in: .merging, "a deletion that was made room for is saved, whatever the order"
        ) { trial in
            try trial.write { tx in
                _ = try tx.insert([Shelf(id: 1), Shelf(id: 2)])
                _ = try tx.insert([Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(1)), Box(id: 3, shelf: Ref(2))])
            }
            let context = try trial.stack.makeContext()
            try context.update(Box(id: 1, shelf: Ref(2)))
            try context.delete(Box.self, 2)
            try context.delete(Shelf.self, 1)
            try context.insert(Shelf(id: 5))
            try context.update(Box(id: 3, shelf: Ref(5)))
            try context.blocking.save()
            try expectEqual(try trial.keys(Shelf.all), [2, 5])
            try expectEqual(try trial.fetch(Box.all).map(\.shelf), [Ref(2), Ref(5)])
        },
        ConformanceCase(
            "merging.rules-in-store", in: .merging, "what was added in the store meanwhile follows the delete rules"
        ) { trial in
            try trial.insert([ada, bo])
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            let context = try trial.stack.makeContext()
            try context.delete(Person.self, 1)
            try context.delete(Shelf.self, 2)
            try trial.write { _ = try $0.insert(Box(id: 1, shelf: Ref(1), owner: Ref(1))) }
            try context.blocking.save()
            try expectEqual(try trial.stack.blocking.read { try $0.count(Box.all) }, 0)
            try context.delete(Shelf.self, 1)
            try trial.write { _ = try $0.insert(Box(id: 2, shelf: Ref(1))) }
            try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) { try context.blocking.save() }
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
    ]
}
