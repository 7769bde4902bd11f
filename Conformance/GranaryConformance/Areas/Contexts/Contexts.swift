import ConformanceKit
import GranaryCore

/// Four people to change.
let peopleToEdit = [
    Person(id: 1, firstName: "Ada", email: "ada@x", age: 36, rating: 5, country: "GB", number: 1),
    Person(id: 2, firstName: "Bo", email: "bo@x", age: 20, rating: 2, country: "SE", number: 1),
    Person(id: 3, firstName: "Cy", email: "cy@x", age: 50, rating: 3, country: "GB", number: 2),
    Person(id: 4, firstName: "Di", age: 41, rating: 4, country: "SE", number: 2),
]

var contextsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.pending", in: .contexts, "a context shows its changes in every kind of query, nobody else does"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let stack = try trial.stack
            let edit = try stack.makeContext(named: "editor")
            try edit.insert(Person(id: 5, firstName: "Ed", age: 30, rating: 1, country: "GB", number: 3))
            try edit.update(peopleToEdit[1].with { $0.age = 60 })
            try edit.delete(Person.self, 1)
            let byAge = Person.all.sorted(by: \.age, .descending)
            try expectEqual(try edit.fetch(byAge).map(\.id), [2, 3, 4, 5])
            try expectEqual(try edit.fetch(byAge.limit(2).offset(1)).map(\.id), [3, 4])
            try expectEqual(try edit.count(Person.where { $0.country == "GB" }), 2)
            try expectEqual(try edit.find(Person.self, 2)?.age, 60)
            try expectEqual(try edit.find(Person.self, 1), nil)
            try expect(try Person.where { $0.firstName == "Ed" }.exists(in: edit), "the new record is not found")
            try expectEqual(try edit.fetch(Person.all).map(\.id), [2, 3, 4, 5])
            try stack.blocking.read { (snapshot: Snapshot) throws in
                try expectEqual(try snapshot.fetch(byAge).map(\.id), [3, 4, 1, 2])
            }
            let other = try stack.makeContext()
            try expectEqual(try other.count(Person.all), 4)
            try expectEqual(try edit.blocking.save(), (1, 1, 1))
            try expect(!edit.hasChanges, "the context has changes after it was saved")
            try expectEqual(try other.fetch(byAge).map(\.id), [2, 3, 4, 5])
            try expectEqual(try trial.fetch(byAge).map(\.id), [2, 3, 4, 5])
        },
        ConformanceCase(
            "contexts.count-limit", in: .contexts,
            "a count with a limit is not short of records that the context has deleted"
        ) { trial in
            try trial.insert((1...4).map { Shelf(id: $0) })
            let edit = try trial.stack.makeContext()
            try edit.delete(Shelf.self, 1)
            try edit.delete(Shelf.self, 2)
            for (limit, count) in [(1, 1), (2, 2), (3, 2)] {
                try expectEqual(try edit.count(Shelf.all.limit(limit)), count, "limit \(limit)")
                try expectEqual(try edit.fetch(Shelf.all.limit(limit)).count, count, "limit \(limit)")
            }
            edit.rollback()
        },
        ConformanceCase(
            "contexts.newest", in: .contexts, "what a context has not changed is as the store has it at each call"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let edit = try trial.stack.makeContext()
            try edit.update(peopleToEdit[0].with { $0.rating = 1 })
            try trial.write { tx in
                try tx.update(peopleToEdit[1].with { $0.rating = 9 })
                try tx.delete(Person.self, 4)
            }
            try expectEqual(try edit.fetch(Person.all.sorted(by: \.rating)).map(\.id), [1, 3, 2])
            edit.rollback()
            try expectEqual(try edit.fetch(Person.all.sorted(by: \.rating)).map(\.id), [3, 1, 2])
        },
        ConformanceCase(
            "contexts.counts", in: .contexts, "a context counts what it shows while others change the same records"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            let good = Person.where { $0.rating >= 3 }
            let new = Person(id: 5, rating: 4, country: "NO", number: 9)
            try edit.update(peopleToEdit[0].with { $0.rating = 1 })
            try edit.delete(Person.self, 3)
            try edit.insert(new)
            try expectEqual(try edit.count(good), 2)
            try trial.write { tx in try tx.update(peopleToEdit[0].with { $0.rating = 2 }) }
            try expectEqual(try edit.count(good), 2)
            try trial.write { tx in
                try tx.delete(Person.self, 3)
                try tx.insert(new.with { $0.rating = 5 })
            }
            try expectEqual(try edit.count(good), 2)
            // From here on the changes began from different states.
            try edit.update(peopleToEdit[3].with { $0.rating = 1 })
            try expectEqual(try edit.count(good), 1)
            try trial.write { tx in try tx.update(peopleToEdit[1].with { $0.rating = 9 }) }
            try expectEqual(try edit.count(good), 2)
            try expectEqual(try edit.count(Person.all), 4)
            try expectEqual(try edit.fetch(good.sorted(by: \.rating, .descending).limit(2)).map(\.id), [2, 5])
            edit.rollback()
            try expectEqual(try edit.count(good), 3)
        },
        ConformanceCase(
            "contexts.changes", in: .contexts, "a context lists what it would save, with old values and attributes"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let edit = try trial.stack.makeContext()
            try expect(!edit.hasChanges, "a new context has changes")
            try edit.update(peopleToEdit[0])
            try expect(!edit.hasChanges, "an update to equal values is a change")
            try edit.update(peopleToEdit[0].with { ($0.age, $0.rating) = (37, nil) })
            try edit.insert(Person(id: 9, country: "NO"))
            try edit.delete(Person.self, 3)
            try expectEqual(try edit.inserted(Person.self).map(\.id), [9])
            try expectEqual(try edit.deleted(Person.self), [peopleToEdit[2]])
            let updated = try edit.updated(Person.self)
            try expectEqual(updated.map(\.old), [peopleToEdit[0]])
            try expectEqual(updated.map(\.new.age), [37])
            try expectEqual(updated.map(\.attributes), [["age", "rating"]])
            try expectEqual(edit.changes.map(\.key), [.integer(1), .integer(3), .integer(9)])
            try expectEqual(try [2, 3, 9].map { try edit.state(of: Person.self, $0) }, [nil, .deleted, .inserted])
            var attributes: [Int] = []
            if case .updated(let changed)? = try edit.state(of: peopleToEdit[0]) { attributes = changed.positions }
            try expectEqual(attributes.count, 2, "attributes that were changed")
            // Back to what it was, and gone again: nothing to save.
            try edit.update(peopleToEdit[0])
            try edit.delete(Person.self, 9)
            try edit.insert(peopleToEdit[2])
            try expect(!edit.hasChanges, "changes that were taken back are left: \(edit.changes)")
            try expectEqual(try [1, 3, 9].map { try edit.state(of: Person.self, $0) }, [nil, nil, nil])
            try expect(try (edit.blocking.save()).isEmpty, "something was saved")
        },
        ConformanceCase(
            "contexts.rules", in: .contexts, "keys, uniqueness, references and delete rules hold in a context"
        ) { trial in
            try trial.insert(peopleToEdit)
            let edit = try trial.stack.makeContext()
            try edit.insert(Shelf(id: 1))
            try edit.insert(Box(id: 1, shelf: Ref(1), owner: Ref(2)))
            try expectError(.uniqueness, entity: "Person", attributes: ["id"]) { try edit.insert(Person(id: 1)) }
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                try edit.insert(Person(id: 7, email: "ada@x", country: "DK"))
            }
            try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                try edit.insert(Box(id: 2, shelf: Ref(99)))
            }
            try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) { try edit.delete(Shelf.self, 1) }
            try expectError(.recordNotFound, entity: "Person", attributes: ["id"]) { try edit.update(Person(id: 77)) }
            // A unique value that was given up is free.
            try edit.update(peopleToEdit[0].with { $0.email = nil })
            try edit.insert(Person(id: 7, email: "ada@x", country: "DK"))
            try edit.delete(Person.self, 2)
            try expectEqual(try edit.count(Box.all), 0, "the owner's boxes")
            try expectEqual(try edit.blocking.save(), (2, 1, 1))
            try expectEqual(try trial.fetch(Person.where { $0.email == "ada@x" }).map(\.id), [7])
        },
        ConformanceCase(
            "contexts.failed-save", in: .contexts, "a save that fails leaves the context and the store as they were"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let stack = try trial.stack
            let edit = try stack.makeContext()
            try edit.insert(Person(id: 8, email: "new@x", country: "NO", number: 1))
            try edit.update(peopleToEdit[0].with { $0.age = 1 })
            try trial.write { _ = try $0.insert(Person(id: 9, email: "new@x", country: "NO", number: 2)) }
            let error = try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                try edit.blocking.save()
            }
            try expectEqual(error.conflicts.map(\.kind), [.uniqueness])
            try expectEqual(error.conflicts.map(\.key), [.integer(8)])
            try expectEqual(try edit.inserted(Person.self).map(\.id), [8])
            try expectEqual(try edit.find(Person.self, 1)?.age, 1)
            try stack.blocking.read { (snapshot: Snapshot) throws in
                try expectEqual(try snapshot.find(Person.self, 1)?.age, 36)
                try expectEqual(try snapshot.find(Person.self, 8), nil)
            }
            try edit.update(Person(id: 8, email: "newer@x", country: "NO", number: 1))
            try expectEqual(try edit.blocking.save(), (1, 1, 0))
            try expectEqual(try trial.find(Person.self, 8)?.email, "newer@x")
        },
        ConformanceCase(
            "contexts.children", in: .contexts, "a child's changes are its own until it hands them to its parent"
        ) { trial in
            try trial.insert(peopleToEdit)
            let parent = try trial.stack.makeContext()
            try parent.update(peopleToEdit[0].with { $0.age = 1 })
            let child = try parent.makeChild(named: "child")
            try expectEqual(try child.find(Person.self, 1)?.age, 1)
            try child.update(peopleToEdit[1].with { $0.age = 2 })
            try child.insert(Person(id: 6, age: 3, country: "NO"))
            try expectEqual(try child.fetch(Person.all.sorted(by: \.age)).map(\.id), [1, 2, 6, 4, 3])
            try expectEqual(try parent.fetch(Person.all.sorted(by: \.age)).map(\.id), [1, 2, 4, 3])
            try expectEqual(try child.saveToParent(), (1, 1, 0))
            try expectEqual(try parent.fetch(Person.all.sorted(by: \.age)).map(\.id), [1, 2, 6, 4, 3])
            try trial.stack.blocking.read {
                (snapshot: Snapshot) throws in try expectEqual(try snapshot.count(Person.all), 4)
            }
            let scratch = try parent.makeChild()
            try Person.deleteAll(in: scratch)
            scratch.rollback()
            try expectEqual(try parent.count(Person.all), 5)
            // A clean child saves what its parent holds.
            try expectEqual(try child.blocking.save(), (1, 2, 0))
            try expect(!parent.hasChanges, "the parent has changes after its child was saved")
            try expectEqual(try trial.fetch(Person.all.sorted(by: \.age)).map(\.id), [1, 2, 6, 4, 3])
        },
        ConformanceCase(
            "contexts.generations", in: .contexts,
            "a save goes through every parent, and fails in all of them or in none"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let top = try trial.stack.makeContext()
            let middle = try top.makeChild()
            let low = try middle.makeChild()
            try top.update(peopleToEdit[0].with { $0.age = 1 })
            try middle.delete(Person.self, 2)
            try low.insert(Person(id: 7, email: "taken@x", country: "NO"))
            try trial.write { _ = try $0.insert(Person(id: 8, email: "taken@x", country: "NO", number: 5)) }
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) { try low.blocking.save() }
            try expectEqual([top.changes.count, middle.changes.count, low.changes.count], [1, 1, 1])
            try low.update(Person(id: 7, email: "free@x", country: "NO"))
            try expectEqual(try low.blocking.save(), (1, 1, 1))
            try expectEqual([top.changes.count, middle.changes.count, low.changes.count], [0, 0, 0])
            try expectEqual(try trial.keys(Person.all), [1, 3, 4, 7, 8])
        },
        ConformanceCase(
            "contexts.assigned-keys", in: .contexts, "keys are given when a record is inserted, and to one record alone"
        ) {
            trial in
            try trial.insert([Counter(label: "a"), Counter(label: "b")])
            let stack = try trial.stack
            let (one, other) = (try stack.makeContext(), try stack.makeContext())
            let first = try one.insert(Counter(label: "one"))
            let second = try other.insert(Counter(label: "other"))
            let third = try stack.blocking.write { try $0.insert(Counter(label: "direct")) }
            let keys = [first.id, second.id, third.id]
            try expect(Set(keys).count == 3 && keys.allSatisfy { $0 > 2 }, "keys \(keys)")
            try other.blocking.save()
            try one.blocking.save()
            let labels = try trial.fetch(Counter.all)
            try expectEqual(labels.first { $0.id == first.id }?.label, "one")
            try expectEqual(labels.first { $0.id == second.id }?.label, "other")
            let next = try trial.stack.blocking.write { try $0.insert(Counter(label: "next")) }
            try expect(next.id > keys.max() ?? 0, "the key \(next.id) after \(keys)")
        },
        ConformanceCase(
            "contexts.in-savepoint", in: .contexts,
            "a savepoint takes back what is dropped in it; to save, hand over or refresh in it is refused"
        ) { trial in
            try trial.insert(peopleToEdit)
            let parent = try trial.stack.makeContext()
            let edit = try parent.makeChild()
            try edit.update(Person.self, 1) { $0.age = 1 }
            try edit.delete(Person.self, 2)
            try edit.insert(Person(id: 6, country: "NO"))
            struct Stop: Error {}
            do {
                try edit.savepoint {
                    try edit.update(Person.self, 3) { $0.age = 3 }
                    try expectError(.busy) { try edit.blocking.save() }
                    try expectError(.busy) { try edit.saveToParent() }
                    try expectError(.busy) { try edit.refresh() }
                    try edit.rollback(Person.self, 1)
                    try expectEqual(try edit.fetch(Person.all).map(\.age), [36, 3, 41, nil])
                    edit.rollback()
                    try expect(!edit.hasChanges, "changes are left")
                    try expectEqual(try edit.fetch(Person.all), peopleToEdit)
                    try edit.update(Person.self, 4) { $0.age = 4 }
                    throw Stop()
                }
            } catch is Stop {}
            try expectEqual(try edit.fetch(Person.all).map(\.age), [1, 50, 41, nil])
            try parent.savepoint {
                try expectError(.busy) { try edit.blocking.save() }
                try edit.saveToParent()
                try expectEqual(try parent.fetch(Person.all).map(\.age), [1, 50, 41, nil])
            }
            edit.rollback()
            try parent.deferringReferences { _ = try expectError(.busy) { try parent.blocking.save() } }
            try parent.blocking.save()
            try expectEqual(try trial.fetch(Person.all).map(\.age), [1, 50, 41, nil])
        },
        ConformanceCase("contexts.closed", in: .contexts, "a context of a closed stack says so") { trial in
            try trial.insert(peopleToEdit)
            let edit = try trial.stack.makeContext()
            try edit.insert(Person(id: 6, country: "NO"))
            try trial.close()
            try expectError(.closed) { try edit.fetch(Person.all) }
            try expectError(.closed) { try edit.blocking.save() }
            edit.rollback()
        },
    ]
}

/// How many were inserted, updated and deleted.
private func expectEqual(_ result: SaveResult, _ counts: (Int, Int, Int), line: Int = #line) throws {
    try expectEqual([result.inserted, result.updated, result.deleted], [counts.0, counts.1, counts.2], line: line)
}
