import ConformanceKit
import GranaryCore

// Two that add 1 to 10 both write 11: that both sides arrive at one value does not mean that they agree.

private let ada = Person(id: 1, firstName: "Ada", email: "ada@x", age: 10, rating: 5, country: "GB", number: 1)
private let aged = ada.with { $0.age = 11 }

var mergingAlikeCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.same", in: .merging, "an attribute that both sides changed to the same value is a conflict"
        ) { trial in
            for (policy, outcome) in [
                (MergePolicy.storeWins, aged.with { ($0.rating, $0.firstName) = (1, "Eve") }),
                (.contextWins, aged.with { ($0.rating, $0.firstName) = (1, "Eve") }),
                (.overwrite, aged.with { $0.rating = 1 }), (.rollBack, aged.with { $0.firstName = "Eve" }),
                (.adding, ada.with { ($0.age, $0.rating, $0.firstName) = (12, 1, "Eve") }),
            ] {
                let context = try diverge(
                    trial, here: { try $0.update(Person.self, 1) { ($0.age, $0.rating) = (11, 1) } },
                    there: { try $0.update(Person.self, 1) { ($0.age, $0.firstName) = (11, "Eve") } })
                let error = try expectError(.mergeConflict, entity: "Person", attributes: ["age"]) {
                    try context.blocking.save()
                }
                try expectEqual(error.conflicts.map(\.kind), [.changedAlike])
                try expectEqual(error.conflicts.map(\.attributes), [["age"]])
                try expectEqual(try trial.stack.blocking.read { try $0.find(Person.self, 1)?.age }, 11)
                context.mergePolicy = policy
                try expectEqual((try context.blocking.save()).conflicts.map(\.kind), [.changedAlike])
                try expectEqual(try trial.find(Person.self, 1), outcome, "under \(policy)")
                try expect(!context.hasChanges, "changes are left")
            }
        },
        ConformanceCase(
            "merging.same-and-different", in: .merging,
            "what both sides changed alike is listed with what they changed differently"
        ) { trial in
            let context = try diverge(
                trial, here: { try $0.update(aged.with { ($0.rating, $0.number) = (1, 2) }) },
                there: { try $0.update(aged.with { ($0.rating, $0.firstName) = (2, "Eve") }) })
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.kind), [.changedTwice])
            try expectEqual(error.conflicts.map(\.attributes), [["age", "rating"]])
            context.mergePolicy = .storeWins
            try context.blocking.save()
            try expectEqual(
                try trial.find(Person.self, 1), aged.with { ($0.rating, $0.number, $0.firstName) = (2, 2, "Eve") })
        },
        ConformanceCase(
            "merging.same-deleted", in: .merging,
            "deleted on both sides is no conflict, nor are references that became nil with it"
        ) { trial in
            try trial.insert([ada, Person(id: 2, email: "bo@x", country: "SE")])
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Box(id: 1, shelf: Ref(1), spare: Ref(2))])
            let context = try trial.stack.makeContext()
            try context.delete(Person.self, 2)
            try context.delete(Shelf.self, 2)
            try trial.write { tx in
                try tx.delete(Person.self, 2)
                try tx.delete(Shelf.self, 2)
            }
            let before = try trial.stack.blocking.read { $0.transactionNumber }
            let result = try context.blocking.save()
            try expect(result.isEmpty && result.conflicts.isEmpty, "something was written: \(result)")
            try expectEqual(try trial.stack.blocking.read { $0.transactionNumber }, before)
            try expectEqual(try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1))])
        },
        ConformanceCase(
            "merging.same-inserted", in: .merging, "one key inserted on both sides with the same values is a conflict"
        ) { trial in
            let made = Person(id: 9, age: 1, country: "NO")
            let context = try diverge(trial, here: { try $0.insert(made) }, there: { try $0.insert(made) })
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.kind), [.insertedTwice])
            try expectEqual(error.conflicts.map(\.attributes), [[]])
            context.mergePolicy = .contextWins
            let result = try context.blocking.save()
            try expect(result.isEmpty, "something was written")
            try expectEqual(result.conflicts.count, 1)
            try expectEqual(try trial.find(Person.self, 9), made)
        },
        ConformanceCase(
            "merging.agreeing", in: .merging, "a policy says that what both sides did alike is no conflict"
        ) { trial in
            let made = Person(id: 9, age: 1, country: "NO")
            func here(_ context: Context) throws {
                try context.update(Person.self, 1) { ($0.age, $0.rating) = (11, 1) }
                try context.insert(made)
            }
            func there(_ context: Context) throws {
                try context.update(Person.self, 1) { ($0.age, $0.firstName) = (11, "Eve") }
                try context.insert(made)
            }
            let context = try diverge(trial, here: here, there: there)
            context.mergePolicy = .error.agreeing
            let result = try context.blocking.save()
            try expectEqual([result.inserted, result.updated, result.conflicts.count], [0, 1, 0])
            let stored = try trial.stack.blocking.read { try $0.fetch(Person.where { $0.id == 1 }) }
            try expectEqual(stored, [aged.with { ($0.rating, $0.firstName) = (1, "Eve") }])

            // What differs is a conflict all the same, and what agrees is not listed with it.
            try context.update(Person.self, 1) { ($0.age, $0.rating) = (12, 2) }
            try trial.write { try $0.update(Person.self, 1) { ($0.age, $0.rating) = (12, 3) } }
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.attributes), [["rating"]])
        },
        ConformanceCase(
            "merging.agreeing-attribute", in: .merging, "an attribute says that it may be changed alike on both sides"
        ) { trial in
            try trial.open(Fact.schema)
            func write(_ row: [StoredValue], in context: Context) throws {
                try expect(try context.update(row, in: 0), "there is no record to update")
            }
            try trial.write { _ = try $0.insert([.integer(1), .string("a"), .integer(10)], into: 0) }
            let context = try trial.stack.makeContext()
            try write([.integer(1), .string("b"), .integer(10)], in: context)
            try trial.write { try write([.integer(1), .string("b"), .integer(10)], in: $0) }
            try expect(try (context.blocking.save()).conflicts.isEmpty, "there is a conflict")

            try write([.integer(1), .string("c"), .integer(11)], in: context)
            try trial.write { try write([.integer(1), .string("c"), .integer(11)], in: $0) }
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.attributes), [["plays"]])
        },
        ConformanceCase(
            "merging.same-refreshed", in: .merging, "refreshing takes what both sides did alike as done, and reports it"
        ) { trial in
            let made = Person(id: 9, age: 1, country: "NO")
            func both(_ context: Context) throws {
                try context.update(aged)
                try context.insert(made)
            }
            let context = try diverge(
                trial,
                here: {
                    try both($0)
                    try $0.update(aged.with { $0.rating = 1 })
                }, there: both)
            try expectEqual(try context.refresh().map(\.kind), [.changedAlike, .insertedTwice])
            try expectEqual(try context.updated(Person.self).map(\.attributes), [["rating"]])
            try expectEqual(try context.refresh().count, 0)
            try expectEqual((try context.blocking.save()).conflicts.count, 0)
            try expectEqual(try trial.fetch(Person.all), [aged.with { $0.rating = 1 }, made])
        },
        ConformanceCase(
            "merging.same-in-parent", in: .merging,
            "a child and its parent that change an attribute alike are in conflict"
        ) { trial in
            try trial.insert([ada])
            let parent = try trial.stack.makeContext()
            let child = try parent.makeChild()
            try child.update(aged)
            try parent.update(aged)
            for save in [{ try child.saveToParent() }, { try child.blocking.save() }] as [() throws -> SaveResult] {
                let error = try expectError(.mergeConflict) { _ = try save() }
                try expectEqual(error.conflicts.map(\.kind), [.changedAlike])
            }
            child.mergePolicy = .contextWins
            try expectEqual((try child.saveToParent()).conflicts.map(\.kind), [.changedAlike])
            try expectEqual((try parent.blocking.save()).conflicts.count, 0)
            // What a child handed over is its parent's, and no conflict of the child.
            try child.update(ada)
            try child.saveToParent()
            try child.update(aged.with { $0.age = 12 })
            try expectEqual((try child.blocking.save()).conflicts.count, 0)
            try expectEqual(try trial.find(Person.self, 1)?.age, 12)
        },
        ConformanceCase(
            "merging.own-save", in: .merging, "a context is not in conflict with what it has saved itself"
        ) { trial in
            try trial.insert([ada])
            let context = try trial.stack.makeContext()
            let child = try context.makeChild()
            context.isUndoEnabled = true
            for _ in 0..<3 {
                try context.update(Person.self, 1, older)
                try context.blocking.save()
            }
            try context.undo()
            try context.blocking.save()
            try context.redo()
            try context.blocking.save()
            try child.update(Person.self, 1, older)
            try child.blocking.save()
            try child.update(Person.self, 1, older)
            try child.saveToParent()
            try context.refresh()
            try context.blocking.save()
            try child.update(Person.self, 1, older)
            try await child.save()
            try child.update(Person.self, 1, older)
            try child.blocking.save()
            try expectEqual(try trial.find(Person.self, 1)?.age, 17)
        },
        ConformanceCase(
            "merging.own-unknown-save", in: .merging,
            "a context is not in conflict with what it has saved without knowing", modes: [.fresh]
        ) { trial in
            let flag = CommitFlag()
            let stack = try trial.uncertain(SuiteSchema.standard, flag)
            defer { try? stack.blocking.close() }
            try stack.blocking.write { _ = try $0.insert([ada, Person(id: 2, country: "SE")]) }
            let parent = try stack.makeContext()
            let context = try parent.makeChild()
            func fail() throws {
                flag.set()
                try expectError(.commitOutcomeUnknown) { try context.blocking.save() }
            }
            try context.update(Person.self, 1, older)
            try parent.delete(Person.self, 2)
            try context.insert(Person(id: 3, country: "NO"))
            try fail()
            try expect(context.hasChanges && parent.hasChanges, "changes are lost")
            // Changed once more, it goes on from what was saved.
            try context.update(Person.self, 1, older)
            try expectEqual((try context.blocking.save()).updated, 1)
            try expect(!context.hasChanges && !parent.hasChanges, "changes are left")
            try context.update(Person.self, 1, older)
            try fail()
            try expectEqual(try context.refresh().count, 0)
            try expect(try (context.blocking.save()).isEmpty, "something was written")
            // What is dropped stays as it was saved.
            try context.update(Person.self, 1, older)
            try fail()
            context.rollback()
            try context.blocking.save()
            try expectEqual(try stack.blocking.read { try $0.fetch(Person.all).map(\.age) }, [14, nil])
            // What others changed as well is a conflict.
            try context.update(Person.self, 1, older)
            try fail()
            try stack.blocking.write { _ = try $0.update(Person.self, 1, older) }
            try expectError(.mergeConflict) { try context.blocking.save() }
        },
        ConformanceCase(
            "merging.same-from", in: .merging,
            "an update that says what it began from notices the same change of another"
        ) { trial in
            try trial.insert([ada])
            func add() throws { try trial.write { _ = try $0.update(aged, from: ada) } }
            try add()
            let error = try expectError(.mergeConflict, entity: "Person", attributes: ["age"]) { try add() }
            try expectEqual(error.conflicts.map(\.kind), [.changedAlike])
            let agreed = try trial.write { try $0.update(aged, from: ada, mergePolicy: .error.agreeing) }
            try expectEqual(agreed, aged)
        },
        ConformanceCase(
            "merging.version", in: .merging, "an attribute that each update raises locks the record"
        ) { trial in
            let context = try diverge(
                trial, here: { try $0.update(ada.with { ($0.rating, $0.number) = (1, 2) }) },
                there: { try $0.update(ada.with { ($0.firstName, $0.number) = ("Eve", 2) }) })
            let error = try expectError(.mergeConflict) { try context.blocking.save() }
            try expectEqual(error.conflicts.map(\.attributes), [["number"]])
        },
    ]
}

/// A record with an attribute that may be changed alike, and one that may not.
private enum Fact {
    static let schema = Schema(entities: [
        Entity(
            "Fact", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("title", String.self).agreeing(), Attribute("plays", Int.self),
            ])
    ])
}

/// A context that has changed what the store has changed since.
private func diverge(
    _ trial: Trial, here: (EditContext) throws -> Void, there: (Transaction) throws -> Void
) throws -> EditContext {
    try trial.write { tx in
        try Person.deleteAll(in: tx)
        try tx.insert(ada)
    }
    let context = try trial.stack.makeContext(named: "editor")
    try here(context)
    try trial.write(there)
    return context
}

private func older(_ person: inout Person) { person.age = (person.age ?? 0) + 1 }

extension MergePolicy {
    /// Ages that both sides raised are added up.
    fileprivate static let adding = MergePolicy.resolving { conflict in
        guard conflict.kind == .changedAlike, let base: Int = try conflict.base?.value("age"),
            let here: Int = try conflict.context?.value("age"), let there: Int = try conflict.store?.value("age"),
            var record = conflict.merged
        else { return .fail }
        try record.set("age", to: here + there - base)
        return .replace(record)
    }
}
