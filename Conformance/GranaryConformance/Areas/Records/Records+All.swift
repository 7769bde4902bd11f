import ConformanceKit
import GranaryCore

private func people() -> [Person] {
    (1...6).map {
        Person(
            id: $0, firstName: "F\($0)", lastName: "L", email: "e\($0)", age: Int($0) * 10, rating: Double($0),
            country: "c", number: Int($0))
    }
}

var updateAllCases: [ConformanceCase] {
    [
        ConformanceCase("records.update-all", in: .records, "several fields of every record a query names are set") {
            trial in
            try trial.insert(people())
            let count = try trial.write {
                try Person.where { $0.age > 30 }.updateAll(in: $0) {
                    $0.set(\.lastName, to: "lost")
                    $0.set(\.rating, to: 9)
                    $0.set(\.email, to: nil)
                    $0.set(\.lastName, to: "M")
                }
            }
            try expectEqual(count, 3)
            let expected = people().map { person in
                var person = person
                if person.id > 3 { (person.lastName, person.rating, person.email) = ("M", 9, nil) }
                return person
            }
            try expectEqual(try trial.fetch(Person.all), expected)
            try expectEqual(try trial.keys(Person.where { $0.rating == 9 }), [4, 5, 6])
            try expectEqual(try trial.keys(Person.where { $0.email == "e5" }), [])
            try expectEqual(try trial.keys(Person.where { $0.lastName == "L" }), [1, 2, 3])
        },
        ConformanceCase(
            "records.update-all-indexed", in: .records,
            "setting the indexed attribute that is searched meets each record once"
        ) { trial in
            try trial.insert(people())
            try trial.write {
                try expectEqual(try Person.where { $0.age >= 10 }.updateAll(in: $0) { $0.set(\.age, to: 100) }, 6)
                try expectEqual(try Person.where { $0.age >= 10 }.updateAll(in: $0) { $0.set(\.age, to: 5) }, 6)
                try expectEqual(try $0.count(Person.where { $0.age == 5 }), 6)
                try expectEqual(try $0.count(Person.where { $0.age >= 10 }), 0)
                try expectEqual(try Person.where { $0.age == 5 }.updateAll(in: $0) { $0.set(\.age, to: nil) }, 6)
            }
            try expectEqual(try trial.keys(Person.where { $0.age == nil }), [1, 2, 3, 4, 5, 6])
            try expectEqual(try trial.keys(Person.where { $0.age < 1000 }), [])
        },
        ConformanceCase(
            "records.update-all-page", in: .records, "an order, a limit and an offset choose which records are set"
        ) { trial in
            try trial.insert(people())
            let query = Person.sorted(by: \.age, .descending).limit(2).offset(1)
            try expectEqual(try trial.write { try query.updateAll(in: $0) { $0.set(\.age, to: 1) } }, 2)
            try expectEqual(try trial.fetch(Person.all).map(\.age), [10, 20, 30, 1, 1, 60])
            try expectEqual(try trial.write { try Person.all.limit(0).updateAll(in: $0) { $0.set(\.age, to: 2) } }, 0)
            try expectEqual(try trial.keys(Person.where { $0.age == 2 }), [])
        },
        ConformanceCase(
            "records.update-all-unique", in: .records,
            "setting a unique attribute of two records fails and changes none"
        ) { trial in
            try trial.insert(people())
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try Person.where { $0.age >= 50 }.updateAll(in: transaction) {
                        $0.set(\.email, to: "same")
                        $0.set(\.rating, to: 0)
                    }
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try Person.where { $0.age == 50 }.updateAll(in: transaction) { $0.set(\.email, to: "e1") }
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try Person.where { $0.age <= 20 }.updateAll(in: transaction) { $0.set(\.number, to: 7) }
                }
                try expectEqual(try transaction.fetch(Person.all), people())
                try expectEqual(
                    try Person.where { $0.age == 50 }.updateAll(in: transaction) { $0.set(\.email, to: "e5") }, 1)
                try expectEqual(
                    try Person.where { $0.age == 50 }.updateAll(in: transaction) { $0.set(\.email, to: "new") }, 1)
            }
            try expectEqual(try trial.keys(Person.where { $0.email == "new" }), [5])
            try expectEqual(try trial.keys(Person.where { $0.email == "same" }), [])
        },
        ConformanceCase(
            "records.update-all-nothing", in: .records, "no match sets nothing; no changes count the matches"
        ) { trial in
            try trial.insert(people())
            try trial.write {
                try expectEqual(try Person.where { $0.age > 900 }.updateAll(in: $0) { $0.set(\.age, to: 1) }, 0)
                try expectEqual(try Person.where { $0.age > 30 }.updateAll(in: $0) { _ in }, 3)
                try expectEqual(try Person.where { $0.age == 30 }.updateAll(in: $0) { $0.set(\.age, to: 30) }, 1)
            }
            try expectEqual(try trial.fetch(Person.all), people())
        },
        ConformanceCase("records.update-all-key", in: .records, "a key cannot be set") { trial in
            try trial.insert(people())
            try trial.write { transaction in
                try expectError(.invalidQuery, entity: "Person", attributes: ["id"]) {
                    try Person.all.updateAll(in: transaction) {
                        $0.set(\.age, to: 1)
                        $0.set(\.id, to: 1)
                    }
                }
            }
            try expectEqual(try trial.fetch(Person.all), people())
        },
        ConformanceCase(
            "records.update-all-references", in: .records, "a reference that would dangle is refused for all records"
        ) { trial in
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try trial.insert([Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(1))])
            try trial.write { transaction in
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try Box.all.updateAll(in: transaction) { $0.set(\.shelf, to: Ref(3)) }
                }
                try expectEqual(
                    try Box.where { $0.id == 2 }.updateAll(in: transaction) {
                        $0.set(\.shelf, to: Ref(2))
                        $0.set(\.loose, to: Ref(77))
                    }, 1)
            }
            try expectEqual(
                try trial.fetch(Box.all), [Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(2), loose: Ref(77))])
            try expectEqual(try trial.keys(Box.where { $0.shelf == Ref(2) }), [2])
        },
    ]
}

var deleteAllCases: [ConformanceCase] {
    [
        ConformanceCase("records.delete-all-query", in: .records, "every record a query names is deleted") { trial in
            try trial.insert(people())
            try trial.write {
                try expectEqual(try Person.where { $0.age > 20 && $0.age <= 40 }.deleteAll(in: $0), 2)
                try expectEqual(try Person.where { $0.age > 20 && $0.age <= 40 }.deleteAll(in: $0), 0)
                try expectEqual(try $0.fetch(Person.all).map(\.id), [1, 2, 5, 6])
            }
            try expectEqual(try trial.keys(Person.sorted(by: \.age)), [1, 2, 5, 6])
            try expectEqual(try trial.keys(Person.where { $0.email == "e3" }), [])
        },
        ConformanceCase(
            "records.delete-all-page", in: .records, "an order, a limit and an offset choose what is deleted"
        ) {
            trial in
            try trial.insert(people())
            try trial.write {
                try expectEqual(try Person.sorted(by: \.age, .descending).limit(2).offset(1).deleteAll(in: $0), 2)
                try expectEqual(try Person.all.offset(3).deleteAll(in: $0), 1)
                try expectEqual(try Person.all.limit(0).deleteAll(in: $0), 0)
                try expectEqual(try Person.all.offset(50).deleteAll(in: $0), 0)
            }
            try expectEqual(try trial.keys(Person.all), [1, 2, 3])
        },
        ConformanceCase("records.delete-all-type", in: .records, "every record of a type is deleted, of others none") {
            trial in
            try trial.insert(people())
            try trial.insert([Shelf(id: 1), Shelf(id: 2)])
            try expectEqual(try trial.write { try Person.deleteAll(in: $0) }, 6)
            try trial.read {
                try expectEqual(try $0.count(Person.all), 0)
                try expectEqual(try $0.fetch(Person.sorted(by: \.age)), [])
                try expectEqual(try $0.count(Shelf.all), 2)
            }
            try trial.insert(people())
            try expectEqual(try trial.fetch(Person.all), people())
            try expectEqual(try trial.write { try Note.deleteAll(in: $0) }, 0)
        },
    ]
}
