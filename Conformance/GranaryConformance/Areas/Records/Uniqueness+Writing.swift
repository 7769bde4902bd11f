import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// Records that are found by unique values when they are written, and those that are left out because theirs are taken.

var uniqueWritingCases: [ConformanceCase] {
    upsertingByCases + ignoringCases
}

private func person(_ id: Int64, _ email: String?, _ age: Int? = nil, number: Int? = nil) -> Person {
    Person(id: id, email: email, age: age, country: "DE", number: number ?? Int(id))
}

/// Runs a part in a transaction, in a context that is saved, and in a child that is saved through its parent.
private func inEach(_ trial: Trial, _ body: (Context) throws -> Void, then check: () throws -> Void) throws {
    try trial.write { try body($0) }
    try check()
    for levels in 1...2 {
        try trial.write { _ = try Person.all.deleteAll(in: $0) }
        let edit = try trial.stack.makeContext()
        defer { edit.reset() }
        if levels == 1 {
            try body(edit)
        } else {
            let child = try edit.makeChild()
            try body(child)
            try child.saveToParent()
        }
        try edit.blocking.save()
        try check()
    }
}

private var upsertingByCases: [ConformanceCase] {
    [
        ConformanceCase(
            "uniqueness.upsert-by", in: .uniqueness,
            "a record with the same unique value is replaced and keeps its key; without one the record is inserted",
            modes: [.fresh]
        ) { trial in
            try inEach(trial) { context in
                try expectEqual(try context.upsert(person(1, "a"), by: \.email), person(1, "a"))
                // What is pending is found as what is stored is.
                try expectEqual(try context.upsert(person(7, "a", 30), by: \.email), person(1, "a", 30, number: 7))
                try expectEqual(try context.upsert(person(2, "A", 30), by: \.email), person(2, "A", 30))
                try expectEqual(try context.upsert(person(2, "A", 31), by: \.id), person(2, "A", 31))
                _ = try context.delete(Person.self, 1)
                try expectEqual(try context.upsert(person(9, "a"), by: \.email).id, 9)
            } then: {
                try expectEqual(try trial.fetch(Person.all), [person(2, "A", 31), person(9, "a")])
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-several", in: .uniqueness, "several attributes of one index are named in any order",
            modes: [.fresh]
        ) { trial in
            try inEach(trial) { context in
                for (id, number) in [(1, 1), (2, 2), (3, 1)] {
                    let new = person(Int64(id), "\(id)", number: number)
                    let (one, other) = (
                        try context.upsert(new, by: \.country, \.number),
                        try context.upsert(new, by: \.number, \.country)
                    )
                    try expectEqual(one, other)
                    try expectEqual(one.id, id == 3 ? 1 : Int64(id))
                }
            } then: {
                try expectEqual(try trial.fetch(Person.all), [person(1, "3"), person(2, "2")])
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-many", in: .uniqueness,
            "of many records the last with a value counts, they may exchange other unique values, and all are written or none",
            modes: [.fresh]
        ) { trial in
            try inEach(trial) { context in
                try context.insert([person(1, "a", number: 1), person(2, "b", number: 2)])
                let written = try context.upsert(
                    [
                        person(10, "b", 1, number: 1), person(11, "a", 2, number: 2), person(12, "c", 3, number: 3),
                        person(13, "c", 4, number: 4),
                    ], by: \.email)
                try expectEqual(written.map(\.id), [2, 1, 12, 12])
                try expectEqual(written.map(\.age), [1, 2, 3, 4])
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try context.upsert([person(20, "a", 9, number: 9), person(21, "d", number: 4)], by: \.email)
                }
                try expectEqual(try context.upsert([Person](), by: \.email), [])
            } then: {
                try expectEqual(
                    try trial.fetch(Person.all),
                    [person(1, "a", 2, number: 2), person(2, "b", 1, number: 1), person(12, "c", 4, number: 4)])
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-assigned", in: .uniqueness,
            "a new record gets a key from the store, one that is replaced has it"
        ) { trial in
            try trial.write { tx in
                try expectEqual(try tx.upsert(Counter(label: "a"), by: \.label), Counter(id: 1, label: "a"))
                try expectEqual(try tx.upsert(Counter(label: "a"), by: \.label), Counter(id: 1, label: "a"))
                try expectEqual(
                    try tx.upsert(["b", "a", "b"].map { Counter(label: $0) }, by: \.label).map(\.id), [2, 1, 2])
            }
            try expectEqual(try trial.keys(Counter.all), [1, 2])
        },
        ConformanceCase(
            "uniqueness.upsert-by-referred", in: .uniqueness, "what refers to a record still does when it is replaced"
        ) { trial in
            try Shop(trial).write { tx in
                let rock = try tx.find(Genre.self, 1)
                let songs = try tx.count(Song.where { $0.genre.id == 1 })
                try expectEqual(try tx.upsert(Genre(id: 99, label: "Rock"), by: \.label), rock)
                try expect(songs > 0, "there are such songs")
                try expectEqual(try tx.count(Song.where { $0.genre.id == 1 }), songs)
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-wrong", in: .uniqueness,
            "what is not unique, nil, and what others have taken is an error, and changes nothing", modes: [.fresh]
        ) { trial in
            try inEach(trial) { context in
                try context.insert([person(1, "a"), person(2, "b")])
                try expectError(.invalidQuery, entity: "Person", attributes: ["age"]) {
                    try context.upsert(person(1, "a"), by: \.age)
                }
                try expectError(.invalidQuery, entity: "Person", attributes: ["country"]) {
                    try context.upsert([person(1, "a")], by: \.country)
                }
                try expectError(.invalidQuery, entity: "Person", attributes: ["email", "country"]) {
                    try context.upsert(person(1, "a"), by: \.email, \.country)
                }
                try expectError(.required, entity: "Person", attributes: ["email"]) {
                    try context.upsert(person(3, nil), by: \.email)
                }
                try expectError(.required, entity: "Person", attributes: ["email"]) {
                    try context.upsert([person(1, "a", 5), person(3, nil)], by: \.email)
                }
                // A new record's key is taken, and another unique value of a record that is there.
                try expectError(.uniqueness, entity: "Person", attributes: ["id"]) {
                    try context.upsert(person(1, "c"), by: \.email)
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try context.upsert(person(9, "a", number: 2), by: \.email)
                }
            } then: {
                try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(2, "b")])
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-folded", in: .uniqueness,
            "a record is found by a unique index that overlooks case, as it compares", modes: [.fresh]
        ) { trial in
            try trial.open(Schema(Tag.self))
            func check(_ context: Context) throws {
                try context.upsert(Tag(id: 1, label: "Rock", word: "a"), by: \.label)
                let written = try context.upsert(Tag(id: 2, label: "ROCK", word: "b"), by: \.label)
                try expectEqual(written, Tag(id: 1, label: "ROCK", word: "b"))
                let all = try context.upsert(
                    [Tag(id: 3, label: "rock", word: "c"), Tag(id: 4, label: "Jazz", word: "d")], by: \.label)
                try expectEqual(all.map(\.id), [1, 4])
                let found = try Tag.findOrCreate(
                    where: { $0.label == "jAZZ" && $0.id == 4 && $0.word == "d" }, in: context)
                try expectEqual(found, Tag(id: 4, label: "Jazz", word: "d"))
                // Another value besides is not overlooked.
                try expectError(.uniqueness, entity: "Tag") {
                    try Tag.findOrCreate(where: { $0.label == "jAZZ" && $0.id == 5 && $0.word == "x" }, in: context)
                }
                try expectEqual(try context.fetch(Tag.all).map(\.label), ["rock", "Jazz"])
            }
            try trial.write { try check($0) }
            try trial.write { _ = try Tag.all.deleteAll(in: $0) }
            let context = try trial.stack.makeContext()
            try check(context)
            try context.blocking.save()
            try expectEqual(try trial.fetch(Tag.all).map(\.id), [1, 4])
        },
        ConformanceCase(
            "uniqueness.upsert-by-version", in: .uniqueness, "the version of the record that is replaced is raised"
        ) { trial in
            let schema = Schema(
                entities: [
                    Entity(
                        "Paper", key: "id", version: "version",
                        attributes: [
                            Attribute("id", .int64), Attribute("isbn", .string), Attribute("title", .string),
                            Attribute("version", .int64),
                        ], indexes: [.unique("isbn")])
                ])
            try trial.open(schema)
            func paper(_ id: Int64, _ title: String) throws -> DynamicRecord {
                var record = try DynamicRecord("Paper", in: schema)
                for (name, value) in [
                    ("id", StoredValue.integer(id)), ("isbn", .string("x")), ("title", .string(title)),
                    ("version", .integer(0)),
                ] { try record.set(name, toStored: value) }
                return record
            }
            try trial.write { tx in
                _ = try tx.upsert(try paper(1, "a"), by: "isbn")
                let second = try tx.upsert(try paper(2, "b"), by: "isbn")
                let third = try tx.upsert([try paper(3, "b"), try paper(4, "c")], by: "isbn")
                try expectEqual(([second] + third).map { $0.key }, [.integer(1), .integer(1), .integer(1)])
                try expectEqual(try third.last?.value("title", as: String.self), "c")
                try expectEqual(third.last, try tx.find("Paper", 1))
            }
            try trial.read { snapshot in
                let stored = try snapshot.find("Paper", 1)
                try expectEqual(try stored?.value("version", as: Int64.self), 2)
                try expectEqual(try snapshot.count(Request("Paper")), 1)
            }
        },
        ConformanceCase(
            "uniqueness.upsert-by-names", in: .uniqueness, "records without types are found by unique values, too"
        ) { trial in
            func record(_ id: Int64, _ email: StoredValue, _ number: Int64) throws -> DynamicRecord {
                var record = try DynamicRecord("Person", in: SuiteSchema.standard)
                for (name, value) in [
                    ("id", StoredValue.integer(id)), ("firstName", .string("")), ("lastName", .string("")),
                    ("email", email),
                    ("country", .string("DE")), ("number", .integer(number)), ("isActive", .integer(1)),
                ] { try record.set(name, toStored: value) }
                return record
            }
            try trial.write { tx in
                _ = try tx.upsert(try record(1, .string("a"), 1), by: "email")
                try expectEqual(try tx.upsert(try record(5, .string("a"), 2), by: "email").key, .integer(1))
                try expectEqual(try tx.upsert(try record(5, .null, 2), by: "number", "country").key, .integer(1))
                try expectError(.unknownAttribute, entity: "Person", attributes: ["mail"]) {
                    try tx.upsert(try record(1, .string("a"), 1), by: "mail")
                }
                try expectError(.invalidQuery, entity: "Person", attributes: ["age"]) {
                    try tx.upsert([try record(1, .string("a"), 1)], by: "age")
                }
                try expectEqual(
                    try tx.insert([try record(2, .string("a"), 5), try record(2, .null, 6)], onConflict: .ignore).count,
                    1)
                try expectEqual(try tx.insert(try record(3, .string("a"), 7), onConflict: .ignore), nil)
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, nil, number: 2), person(2, "a", number: 5)])
        },
        ConformanceCase(
            "contexts.upsert-by", in: .contexts,
            "two contexts may both insert what neither has, and then the second save says what is in the way",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (one, other) = (try stack.makeContext(), try stack.makeContext())
            defer {
                one.reset()
                other.reset()
            }
            _ = try one.upsert(person(1, "a"), by: \.email)
            _ = try other.upsert(person(2, "a"), by: \.email)
            try one.blocking.save()
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) { try other.blocking.save() }
            other.rollback()
            // Now it is found, and what others do meanwhile is not lost silently.
            try expectEqual(try other.upsert(person(2, "a", 5), by: \.email).id, 1)
            try trial.write { _ = try $0.upsert(person(3, "a", 6), by: \.email) }
            try expectError(.mergeConflict) { try other.blocking.save() }
            other.rollback()
            try expectEqual(try trial.fetch(Person.all), [person(1, "a", 6, number: 3)])
        },
    ]
}

private var ignoringCases: [ConformanceCase] {
    [
        ConformanceCase(
            "uniqueness.insert-ignore", in: .uniqueness,
            "a record whose key or unique value is taken is left out, and nothing of the one that is there changes",
            modes: [.fresh]
        ) { trial in
            try inEach(trial) { context in
                try expectEqual(try context.insert(person(1, "a"), onConflict: .ignore), person(1, "a"))
                try expectEqual(try context.insert(person(1, "b", 5), onConflict: .ignore), nil)
                try expectEqual(try context.insert(person(2, "a", 5), onConflict: .ignore), nil)
                try expectEqual(try context.insert(person(3, nil, 5, number: 1), onConflict: .ignore), nil)
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try context.insert(person(2, "a"), onConflict: .error)
                }
                let written = try context.insert(
                    [person(2, "b"), person(3, "b"), person(1, "z"), person(4, "a"), person(5, "e")],
                    onConflict: .ignore)
                try expectEqual(written, [person(2, "b"), person(5, "e")])
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try context.insert([person(6, "f"), person(7, "f")], onConflict: .error)
                }
            } then: {
                try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(2, "b"), person(5, "e")])
            }
        },
        ConformanceCase(
            "uniqueness.insert-ignore-other", in: .uniqueness, "anything else that is wrong is an error all the same"
        ) { trial in
            try trial.write { tx in
                try expectEqual(try tx.insert(Counter(label: "a"), onConflict: .ignore)?.id, 1)
                try expectEqual(try tx.insert(Counter(label: "a"), onConflict: .ignore), nil)
                try expectEqual(
                    try tx.insert(["b", "a", "c"].map { Counter(label: $0) }, onConflict: .ignore).map(\.label),
                    ["b", "c"])
            }
        },
        ConformanceCase(
            "uniqueness.insert-ignore-dangling", in: .uniqueness, "a record that refers to none is not left out"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            try trial.write { tx in
                try expectError(.danglingReference, entity: "Album") {
                    try tx.insert(Album(id: 1, title: "x", artist: Ref(77)), onConflict: .ignore)
                }
                // All or none, but for what is left out: also what they refer to.
                try expectError(.danglingReference, entity: "Album") {
                    try tx.insert(
                        [Album(id: 1, title: "x", artist: Ref(77)), Album(id: 1, title: "y", artist: Ref(77))],
                        onConflict: .ignore)
                }
                try expectEqual(try tx.count(Album.all), 0)
            }
        },
    ]
}
