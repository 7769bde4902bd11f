import ConformanceKit
import GranaryCore

// A context keeps the attributes that it has changed over the newest committed record: what others commit in other
// attributes of the same record is seen at once.

private let ada = Person(id: 1, firstName: "Ada", email: "ada@x", age: 36, rating: 5, country: "GB", number: 1)
private let bo = Person(id: 2, firstName: "Bo", email: "bo@x", age: 20, rating: 2, country: "SE", number: 1)

var newestAttributesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.newest-attributes", in: .contexts,
            "every query shows what others have committed in other attributes of a record that is changed here",
            modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            let child = try edit.makeChild()
            try edit.update(Person.self, 1) { $0.lastName = "Lovelace" }
            try child.update(Person.self, 1) { $0.rating = 1 }
            try trial.write { try Person.all.updateAll(in: $0) { $0.set(\.age, to: 40) } }
            let newest = ada.with { ($0.lastName, $0.age) = ("Lovelace", 40) }
            for (context, shown) in [(edit, newest), (child, newest.with { $0.rating = 1 })] {
                try expectEqual(try context.find(Person.self, 1), shown)
                try expectEqual(try context.fetch(Person.where { $0.age == 40 }).map(\.id), [1, 2])
                try expectEqual(try context.count(Person.where { $0.age < 40 }), 0)
                try expectEqual(try context.fetch(Person.sorted(by: \.age, .descending)).last, shown)
                try expectEqual(try Person.all.select { $0.age.sum }.aggregate(in: context), 80)
                try expectEqual(try context.updated(Person.self).map(\.attributes).count, 1)
            }
            try expectEqual(try edit.updated(Person.self).map(\.attributes), [["lastName"]])
            try expectEqual(try child.updated(Person.self).map(\.attributes), [["rating"]])
            let result: SaveResult = try child.blocking.save()
            try expectEqual(result.conflicts.count, 0)
            let saved: Person? = newest.with { $0.rating = 1 }
            try expectEqual(try trial.stack.blocking.read { try $0.find(Person.self, 1) }, saved)
        },
        ConformanceCase(
            "contexts.newest-changed-again", in: .contexts,
            "a record that is changed here after a commit is changed from what the context shows", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try edit.update(Person.self, 1) { $0.lastName = "Lovelace" }
            try trial.write { try $0.update(Person.self, 1) { ($0.age, $0.country) = (40, "FR") } }
            // The age is changed from 40: this is no conflict.
            try edit.update(Person.self, 1) { $0.age = ($0.age ?? 0) + 1 }
            try trial.write { try $0.update(Person.self, 1) { $0.number = 9 } }
            let shown: Person? = ada.with {
                ($0.lastName, $0.age, $0.country, $0.number) = ("Lovelace", 41, "FR", 9)
            }
            try expectEqual(try edit.find(Person.self, 1), shown)
            let result: SaveResult = try edit.blocking.save()
            try expectEqual(result.conflicts.count, 0)
            try expectEqual(try trial.stack.blocking.read { try $0.find(Person.self, 1) }, shown)
        },
        ConformanceCase(
            "contexts.newest-conflict", in: .contexts,
            "an attribute that both sides have changed is shown as the context has it, and is a conflict when it is saved",
            modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try edit.update(Person.self, 1) { ($0.age, $0.lastName) = (37, "Lovelace") }
            try edit.delete(Person.self, 2)
            try trial.write {
                try Person.all.updateAll(in: $0) {
                    $0.set(\.age, to: 40)
                    $0.set(\.rating, to: 1)
                }
            }
            let shown = ada.with { ($0.age, $0.lastName, $0.rating) = (37, "Lovelace", 1) }
            try expectEqual(try edit.fetch(Person.all), [shown])
            try edit.update(Person.self, 1) { $0.age = 38 }
            let error = try expectError(.mergeConflict, isOwnText: true) { try edit.blocking.save() }
            try expectEqual(error.conflicts.map(\.kind), [.changedTwice, .deletedInContext])
            try expectEqual(error.conflicts.first?.attributes, ["age"])
            edit.mergePolicy = .contextWins
            _ = try edit.blocking.save()
            try expectEqual(
                try trial.stack.blocking.read { try $0.fetch(Person.all) }, [shown.with { $0.age = 38 }])
        },
        ConformanceCase(
            "contexts.newest-additions", in: .contexts,
            "what was added here is shown added to the newest value, once", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try Person.where { $0.id == 1 }.updateAll(in: edit) { $0.add(\.age, 2) }
            for years in [10, 100] {
                try trial.write { try Person.where { $0.id == 1 }.updateAll(in: $0) { $0.add(\.age, years) } }
                try expectEqual(try edit.find(Person.self, 1)?.age, 38 + (years == 10 ? 10 : 110))
            }
            try Person.where { $0.id == 1 }.updateAll(in: edit) { $0.add(\.age, 3) }
            try expectEqual(try edit.find(Person.self, 1)?.age, 151)
            let result: SaveResult = try edit.blocking.save()
            try expectEqual(result.conflicts.count, 0)
            try expectEqual(try trial.stack.blocking.read { try $0.find(Person.self, 1)?.age }, 151)
        },
        ConformanceCase(
            "contexts.newest-unique", in: .contexts,
            "uniqueness is checked against the values that the context shows", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try edit.update(Person.self, 1) { $0.lastName = "Lovelace" }
            try trial.write { try $0.update(Person.self, 1) { $0.email = "lovelace@x" } }
            try edit.update(Person.self, 2) { $0.email = "ada@x" }
            try expectError(.uniqueness) { try edit.update(Person.self, 2) { $0.email = "lovelace@x" } }
            try expectEqual(try edit.fetch(Person.where { $0.email == "ada@x" }).map(\.id), [2])
            _ = try edit.blocking.save()
            try expectEqual(
                try trial.stack.blocking.read { try $0.fetch(Person.all).map(\.email) }, ["lovelace@x", "ada@x"])
        },
        ConformanceCase(
            "contexts.newest-results", in: .contexts,
            "observations of a context follow what others commit in a record that is changed here", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            try await followNewest(try trial.stack)
        },
        ConformanceCase(
            "contexts.newest-undo", in: .contexts,
            "an undo sets back what the context changed, and keeps what others have committed since", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            edit.isUndoEnabled = true
            try edit.update(Person.self, 1) { $0.lastName = "Lovelace" }
            try trial.write { try $0.update(Person.self, 1) { $0.age = 40 } }
            try edit.undo()
            try expectEqual(try edit.find(Person.self, 1), ada.with { $0.age = 40 })
            try expect(!edit.hasChanges, "the context has changes after they were undone")
            try edit.redo()
            try expectEqual(try edit.find(Person.self, 1), ada.with { ($0.age, $0.lastName) = (40, "Lovelace") })
        },
        ConformanceCase(
            "contexts.newest-cursor", in: .contexts,
            "a commit does not end a cursor over records that are changed here", modes: [.fresh]
        ) { trial in
            try trial.insert([ada, bo])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try Person.all.updateAll(in: edit) { $0.set(\.lastName, to: "L") }
            var seen: [Int] = []
            try Person.all.forEach(in: edit) { person in
                if seen.isEmpty { try trial.write { try Person.all.updateAll(in: $0) { $0.set(\.age, to: 50) } } }
                seen.append(person.age ?? 0)
                try expectEqual(try edit.find(Person.self, person.id)?.age, 50)
            }
            try expectEqual(seen, [36, 20])
        },
        ConformanceCase(
            "contexts.newest-deleted-target", in: .contexts,
            "a record that others make refer to what is deleted here goes along with it, also one that is changed here",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.insert([Board(id: 1), Board(id: 2)])
            try trial.insert([Card(id: 1), Card(id: 2)])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try edit.delete(Board.self, 1)
            try edit.update(Card.self, 1) { $0.label = "here" }
            try trial.write { try $0.update(Card.self, 1) { $0.archive = Ref(1) } }
            try expectEqual(try edit.fetch(Card.all).map(\.id), [2])
            try expectEqual(try edit.count(Card.all), 1)
            _ = try edit.blocking.save()
            try expectEqual(try trial.stack.blocking.read { try $0.fetch(Card.all).map(\.id) }, [2])
        },
    ]
}

@MainActor private func followNewest(_ stack: Stack) async throws {
    let edit = try stack.makeContext()
    defer { edit.reset() }
    var young = edit.observe(Person.where { $0.age < 40 }).makeAsyncIterator()
    try edit.update(Person.self, 1) { $0.lastName = "Lovelace" }
    var shown = try await young.next()
    try expectEqual(shown?.map(\.id), [1, 2])
    _ = try await stack.write { try $0.update(Person.self, 1) { $0.age = 40 } }
    shown = try await young.next()
    try expectEqual(shown?.map(\.id), [2])
}
