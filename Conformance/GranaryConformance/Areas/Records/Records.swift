import ConformanceKit
import GranaryCore

var recordsCases: [ConformanceCase] {
    singleRecordsCases + manyRecordsCases + foundRecordsCases + updateAllCases + deleteAllCases + foreignRecordsCases
}

private var singleRecordsCases: [ConformanceCase] {
    [
        ConformanceCase("records.insert-find", in: .records, "an inserted record is found by its key, whole") { trial in
            let shelf = Shelf(id: 7, name: "Left")
            try trial.write { try $0.insert(shelf) }
            try expectEqual(try trial.find(Shelf.self, 7), shelf)
            try expectEqual(try trial.find(Shelf.self, 8), nil)
        },
        ConformanceCase("records.insert-existing", in: .records, "a key that exists cannot be inserted again") {
            trial in
            try trial.insert([Shelf(id: 1, name: "first")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try transaction.insert(Shelf(id: 1, name: "second"))
                }
                try transaction.insert(Shelf(id: 2, name: "other"))
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try transaction.insert(Shelf(id: 2, name: "again"))
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "first"), Shelf(id: 2, name: "other")])
        },
        ConformanceCase("records.update", in: .records, "an update replaces every attribute of one record") { trial in
            let other = Person(id: 2, firstName: "B", email: "b", country: "x", number: 2)
            try trial.insert([
                Person(id: 1, firstName: "A", lastName: "L", email: "a", age: 3, rating: 4, country: "x", number: 1),
                other,
            ])
            let changed = Person(id: 1, firstName: "C", email: "c", rating: 5, country: "y", number: 3, isActive: false)
            try trial.write { try $0.update(changed) }
            try expectEqual(try trial.fetch(Person.all), [changed, other])
            try expectEqual(try trial.keys(Person.where { $0.email == "a" }), [])
            try expectEqual(try trial.keys(Person.where { $0.age == 3 }), [])
            try expectEqual(try trial.keys(Person.where { $0.age == nil }), [1, 2])
        },
        ConformanceCase("records.update-missing", in: .records, "an update of a record that is not there is an error") {
            trial in
            try trial.insert([Shelf(id: 1, name: "one")])
            try trial.write { transaction in
                try expectError(.recordNotFound, entity: "Shelf", attributes: ["id"]) {
                    try transaction.update(Shelf(id: 2, name: "two"))
                }
                try expectError(.recordNotFound, entity: "Note", attributes: ["slug"]) {
                    try transaction.update(Note(slug: "gone"))
                }
                try expect(try transaction.delete(Shelf.self, 1), "it was there")
                try expectError(.recordNotFound, entity: "Shelf", attributes: ["id"]) {
                    try transaction.update(Shelf(id: 1, name: "again"))
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [])
        },
        ConformanceCase("records.change", in: .records, "a record is changed by key, as it is at that moment") {
            trial in
            try trial.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
            try trial.write { transaction in
                try transaction.update(Shelf(id: 1, name: "newer"))
                let changed = try transaction.update(Shelf.self, 1) { $0.name += "!" }
                try expectEqual(changed, Shelf(id: 1, name: "newer!"))
                try expectError(.recordNotFound, entity: "Shelf", attributes: ["id"]) {
                    try transaction.update(Shelf.self, 9) { $0.name = "nine" }
                }
                try expectError(.invalidQuery, entity: "Shelf", attributes: ["id"]) {
                    try transaction.update(Shelf.self, 1) { $0.id = 2 }
                }
                try expectError(.range) {
                    try transaction.update(Shelf.self, 2) {
                        $0.name = "half"
                        throw GranaryError(.range, "The closure throws.")
                    }
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "newer!"), Shelf(id: 2, name: "two")])
        },
        ConformanceCase("records.upsert", in: .records, "an upsert inserts a new record and replaces an old one") {
            trial in
            try trial.insert([Shelf(id: 1, name: "old")])
            let results = try trial.write {
                [try $0.upsert(Shelf(id: 1, name: "new")), try $0.upsert(Shelf(id: 2, name: "two"))]
            }
            try expectEqual(results, [Shelf(id: 1, name: "new"), Shelf(id: 2, name: "two")])
            try expectEqual(try trial.fetch(Shelf.all), results)
        },
        ConformanceCase(
            "records.upsert-keeps-references", in: .records, "an upsert over a record leaves what refers to it alone"
        ) { trial in
            try trial.write {
                try $0.insert(Person(id: 1, firstName: "old"))
                try $0.insert(Shelf(id: 1))
                try $0.insert(Box(id: 5, shelf: Ref(1), spare: Ref(1), owner: Ref(1)))
                // As a deletion and an insertion this would delete the box, or be denied.
                try $0.upsert(Person(id: 1, firstName: "new"))
                try $0.upsert(Shelf(id: 1, name: "new"))
            }
            try expectEqual(try trial.fetch(Box.all), [Box(id: 5, shelf: Ref(1), spare: Ref(1), owner: Ref(1))])
            try expectEqual(try trial.find(Person.self, 1)?.firstName, "new")
        },
        ConformanceCase("records.delete", in: .records, "a delete says whether there was a record") { trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2), Shelf(id: 3)])
            try trial.write {
                try expectEqual(try $0.delete(Shelf.self, 2), true)
                try expectEqual(try $0.delete(Shelf.self, 2), false)
                try expectEqual(try $0.delete(Shelf.self, 9), false)
                try expectEqual(try $0.delete(Shelf(id: 3, name: "whatever")), true)
                try expectEqual(try $0.delete(Note.self, ""), false)
            }
            try expectEqual(try trial.keys(Shelf.all), [1])
        },
        ConformanceCase("records.insert-again", in: .records, "a deleted key can be given again, to a new record") {
            trial in
            try trial.insert([Person(id: 1, firstName: "first", email: "e", country: "c", number: 1)])
            let second = Person(id: 1, firstName: "second", email: "e", country: "c", number: 1)
            try trial.write {
                try expect(try $0.delete(Person.self, 1), "it was there")
                try $0.insert(second)
            }
            try expectEqual(try trial.fetch(Person.all), [second])
            try expectEqual(try trial.keys(Person.where { $0.email == "e" }), [1])
        },
        ConformanceCase(
            "records.own-writes", in: .records, "a transaction reads what it has written, by key, query and index"
        ) { trial in
            try trial.insert([
                Person(id: 1, age: 10, country: "c", number: 1), Person(id: 2, age: 20, country: "c", number: 2),
            ])
            try trial.write {
                try $0.insert(Person(id: 3, age: 10, country: "c", number: 3))
                try $0.update(Person(id: 1, age: 30, country: "c", number: 1))
                try $0.delete(Person.self, 2)
                try expectEqual(try $0.find(Person.self, 1)?.age, 30)
                try expectEqual(try $0.find(Person.self, 2), nil)
                try expectEqual(try $0.fetch(Person.all).map(\.id), [1, 3])
                try expectEqual(try $0.fetch(Person.where { $0.age == 10 }).map(\.id), [3])
                try expectEqual(try $0.fetch(Person.sorted(by: \.age)).map(\.id), [3, 1])
                try expectEqual(try $0.count(Person.where { $0.age >= 20 }), 1)
            }
            try expectEqual(try trial.keys(Person.sorted(by: \.age)), [3, 1])
        },
        ConformanceCase(
            "records.failed-call", in: .records, "a call that fails changes nothing, and the transaction goes on"
        ) { trial in
            let first = Person(id: 1, firstName: "A", email: "a", age: 1, country: "c", number: 1)
            let second = Person(id: 2, firstName: "B", email: "b", age: 2, country: "c", number: 2)
            try trial.insert([first, second])
            try trial.write { transaction in
                // Each would change an index before it meets the clash.
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try transaction.update(Person(id: 2, firstName: "X", email: "x", age: 9, country: "c", number: 1))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try transaction.insert(Person(id: 3, firstName: "X", email: "y", age: 9, country: "c", number: 2))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.upsert(Person(id: 4, firstName: "X", email: "a", age: 9, country: "d", number: 1))
                }
                try expectEqual(try transaction.fetch(Person.all), [first, second])
                try expectEqual(try transaction.fetch(Person.where { $0.age == 9 }), [])
                try expectEqual(try transaction.fetch(Person.where { $0.email.in(["x", "y"]) }), [])
                try transaction.insert(Person(id: 3, firstName: "C", email: "x", age: 3, country: "d", number: 1))
            }
            try expectEqual(try trial.keys(Person.all), [1, 2, 3])
            try expectEqual(try trial.keys(Person.sorted(by: \.email)), [1, 2, 3])
        },
        ConformanceCase("records.thrown", in: .records, "a write that throws leaves nothing behind") { trial in
            try trial.insert([Shelf(id: 1, name: "kept")])
            do {
                try trial.write {
                    try $0.insert(Shelf(id: 2))
                    try $0.update(Shelf(id: 1, name: "changed"))
                    try $0.delete(Shelf.self, 1)
                    throw Abandon()
                }
                throw ConformanceFailure(message: "the write did not throw", file: #fileID, line: #line)
            } catch is Abandon {}
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "kept")])
        },
    ]
}
