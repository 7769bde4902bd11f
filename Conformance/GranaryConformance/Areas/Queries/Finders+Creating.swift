import ConformanceKit
import ConformanceModels
import GranaryCore

// What a condition says in any form, a record is made from.

var findersCreatingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "finders.create-by-text", in: .finders, "a condition in text form finds, and creates what is not found"
        ) { trial in
            try Shop(trial).write { tx in
                func genre(_ text: String, _ arguments: [QueryArgument] = []) throws -> DynamicRecord {
                    try tx.findOrCreate("Genre", where: try AnyCondition(parsing: text, arguments: arguments))
                }
                try expectEqual(try genre("label == 'Rock'").key, .integer(1))
                let soul = try genre("label == 'Soul' AND id = 10")
                try expectEqual(soul.key, .integer(10))
                try expectEqual(try genre("label == 'Soul'"), soul)
                try expectEqual(try genre("'Funk' == label && 11 = id")["label"], .string("Funk"))
                try expectEqual(try genre("label == %@ AND id == 12.0", ["Dub"]).key, .integer(12))
                try expectEqual(try genre("NOT label != 'Ska' AND id IN {13}").key, .integer(13))
                try expectEqual(try tx.count(Genre.all), 7)
                let priced = try AnyCondition(parsing: "id == 50 AND title == 'New' AND artist == 1 AND price == 9.99")
                let album = try tx.findOrCreate("Album", where: priced)
                try expectEqual(try album.value("artist", as: Int64.self), 1)
                try expectEqual(try tx.find(Album.self, 50)?.price, Boundaries.decimal("9.99"))
                try expectEqual(try tx.findOrCreate("Album", where: priced), album)
                let texts = [
                    "label ==[c] 'new'", "label == 'a' OR label == 'b'", "label CONTAINS 'x'", "id == 2.5",
                    "FALSEPREDICATE",
                    "length(label) == 77",
                ]
                for text in texts { try expectError(.invalidQuery, entity: "Genre") { try genre(text).key } }
                try expectError(.required, entity: "Genre", attributes: ["label"]) { try genre("id == 99").key }
                try expectError(.typeMismatch, entity: "Genre") { try genre("label == 5").key }
                try expectEqual(try tx.count(Genre.all), 7)
            }
        },
        ConformanceCase(
            "finders.create-by-tree", in: .finders,
            "every way to say that attributes equal values makes the same record"
        ) { trial in
            try Shop(trial).write { tx in
                let conditions: [(Genre.Fields) -> Condition<Genre>] = [
                    { $0.id == 10 && $0.label == "10" }, { !($0.label != "11") && $0.id == 11 },
                    { $0.label.in(["12"]) && $0.id.in([12]) }, { !($0.id != 13 || $0.label != "13") },
                    { $0.id == 14 && $0.label == "14" && .always },
                ]
                for (index, condition) in conditions.enumerated() {
                    let made = try Genre.findOrCreate(where: condition, in: tx)
                    try expectEqual(made, Genre(id: Int64(10 + index), label: "\(10 + index)"))
                    try expectEqual(try Genre.findOrCreate(where: condition, in: tx), made)
                }
                let album = try Album.findOrCreate(
                    where: { $0.id == 50 && $0.title == "New" && $0.artist.id == 2 }, in: tx)
                try expectEqual(album, Album(id: 50, title: "New", artist: Ref(2)))
                try expectError(.invalidQuery, entity: "Album") {
                    try Album.findOrCreate(where: { $0.id == 51 && $0.artist.label == "nobody" }, in: tx).id
                }
            }
        },
        ConformanceCase("finders.create-of-any", in: .finders, "what holds of every record names no value") { trial in
            try trial.write { tx in
                try expectError(.invalidQuery, entity: "Shelf") {
                    try Shelf.findOrCreate(where: { $0.name != nil && $0.id != nil }, in: tx).id
                }
                try expectEqual(try Shelf.count(in: tx), 0)
            }
        },
        ConformanceCase(
            "finders.delete-except", in: .finders, "all but so many are deleted, however many these are", isHeavy: true,
            modes: [.fresh]
        ) { trial in
            try trial.insert([1, 2, 100_001, 100_002, 300_000].map { Shelf(id: $0) })
            let kept = (1...Int64(100_001)).map { $0 }
            let edit = try trial.stack.makeContext()
            try expectEqual(try Shelf.deleteAll(except: kept, in: edit), 2)
            try expectEqual(try edit.fetch(Shelf.all).map(\.id), [1, 2, 100_001])
            edit.reset()
            try trial.write { tx in
                try expectEqual(try tx.deleteAll("Shelf", except: kept.dropLast()), 3)
                try expectEqual(try Shelf.deleteAll(except: kept, in: tx), 0)
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2])
        },
        ConformanceCase(
            "contexts.find-or-create", in: .contexts,
            "two contexts may both create what neither has, and then the second save says what is in the way",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (one, other) = (try stack.makeContext(), try stack.makeContext())
            defer {
                one.reset()
                other.reset()
            }
            for (context, country) in [(one, "A"), (other, "B")] {
                let made = try context.findOrCreate(Person.self, 1) { Person(id: 1, country: country) }
                try expectEqual(made.country, country)
            }
            try one.blocking.save()
            let twice = try expectError(.mergeConflict) { try other.blocking.save() }
            try expectEqual(twice.conflicts.map(\.kind), [.insertedTwice])
            other.rollback()

            for (context, id) in [(one, 2), (other, 3)] {
                let made = try Person.where { $0.email == "x@x" }.findOrCreate(in: context) {
                    Person(id: Int64(id), email: "x@x", country: "\(id)")
                }
                try expectEqual(made.id, Int64(id))
            }
            try one.blocking.save()
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) { try other.blocking.save() }
            other.rollback()
            // Now it is found.
            try expectEqual(try Person.where { $0.email == "x@x" }.findOrCreate(in: other) { Person(id: 4) }.id, 2)

            // Nothing that is unique means two records. The same key is a conflict, unless the policy lets both agree.
            for (context, id) in [(one, 6), (other, 7)] {
                _ = try context.findOrCreate(Person.self, 5) { Person(id: 5, country: "E") }
                _ = try Person.where { $0.firstName == "Eve" }.findOrCreate(in: context) {
                    Person(id: Int64(id), firstName: "Eve", country: "\(id)")
                }
            }
            try one.blocking.save()
            let alike = try expectError(.mergeConflict) { try other.blocking.save() }
            try expectEqual(alike.conflicts.map(\.kind), [.insertedTwice])
            other.mergePolicy = .error.agreeing
            try other.blocking.save()
            try expectEqual(try trial.keys(Person.all), [1, 2, 5, 6, 7])
        },
    ]
}
