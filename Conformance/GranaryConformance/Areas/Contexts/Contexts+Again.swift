import ConformanceKit
import GranaryCore

var askedAgainCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.again", in: .contexts,
            "what a context is asked again and again is answered alike, and anew after each change"
        ) { trial in
            func person(_ id: Int64, _ age: Int) -> Person {
                Person(
                    id: id, firstName: "n\(age % 7)", age: age % 5 == 0 ? nil : age, rating: Double(age) / 4,
                    country: "\(id)")
            }
            let stored = (1...60).map { person($0, Int($0 * 37 % 50)) }
            try trial.insert(stored)
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            var shown = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
            for round in 0..<6 {
                for number in 0..<5 {
                    let (old, new) = (Int64(round * 10 + number * 2 + 1), Int64(100 + round * 5 + number))
                    shown[old] = number % 2 == 0 ? nil : person(old, Int(old * 11 % 50))
                    if let record = shown[old] { try edit.update(record) } else { try edit.delete(Person.self, old) }
                    shown[new] = person(new, Int(new * 13 % 50))
                    try edit.insert(person(new, Int(new * 13 % 50)))
                }
                let people = shown.values.sorted { $0.id < $1.id }
                for _ in 0..<3 { try expectAnswers(edit, people) }
            }
        },
        ConformanceCase(
            "contexts.reached-many", in: .contexts,
            "a change that reaches more records than are gathered is shown in every query", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            let count = 10_050
            try stack.blocking.write { tx in
                try tx.insert([1, 2].map { Artist(id: $0, label: "artist \($0)") })
                try tx.insert(
                    (1...count + 1).map { number in
                        Album(id: Int64(number), title: "t", artist: Ref(number > count ? 2 : 1), year: 1)
                    })
            }
            let edit = try stack.makeContext()
            defer { edit.reset() }
            try edit.update(Artist(id: 1, label: "zoe"))
            let zoes = Album.where { $0.artist.label == "zoe" }
            try expectEqual(try edit.count(zoes), count)
            try expectEqual(try edit.count(Album.where { $0.artist.label == "artist 1" }), 0)
            try expectEqual(
                try edit.fetch(Album.all.sorted(by: { $0.artist.label }).limit(2)).map(\.id), [Int64(count + 1), 1])
            try expectEqual(try zoes.sum(\.year, in: edit), Int64(count))
            let groups = Album.all.grouped(by: { $0.artist.label }).select { ($0.artist.label, $0.id.count) }
            try expectEqual(try edit.fetch(groups).map(\.1), [1, count])
        },
        ConformanceCase(
            "contexts.failing-below", in: .contexts,
            "a query does not fail for a value that the context has changed or deleted"
        ) { trial in
            func person(_ id: Int64, _ age: Int) -> Person {
                Person(id: id, firstName: "n\(id % 3)", age: age, rating: nil, country: "\(id)")
            }
            try trial.insert((1...40).map { person($0, $0 % 2 == 0 ? 0 : Int($0)) })
            for others in [0, 19] {
                let edit = try trial.stack.makeContext()
                defer { edit.reset() }
                // All that fail are changed or deleted, alone or with others.
                let failing = try edit.fetch(Person.where { $0.age == 0 })
                try expectEqual(failing.count, 20)
                for number in failing.indices {
                    if number % 3 == 0 {
                        try edit.delete(failing[number])
                    } else {
                        try edit.update(person(failing[number].id, 200))
                    }
                }
                if others > 0 { try edit.update((0..<others).map { person(Int64($0 * 2 + 1), 300) }) }
                let people = try edit.fetch(Person.all)
                func part(_ person: Person) -> Int { 1000 / (person.age ?? 1) }
                let small = Person.where { 1000 / $0.age < 20 }
                let expected = people.filter { part($0) < 20 }
                try expectEqual(try edit.fetch(small), expected)
                try expectEqual(try edit.count(small), expected.count)
                try expectEqual(try edit.fetch(small.limit(3).offset(2)), Array(expected.dropFirst(2).prefix(3)))
                try expectEqual(
                    try edit.fetch(Person.all.sorted(by: { 1000 / $0.age }).limit(5)).map(\.id),
                    Array(people.sorted { (part($0), $0.id) < (part($1), $1.id) }.prefix(5)).map(\.id))
                try expectEqual(
                    try edit.fetch(small.grouped(by: { $0.firstName }).select { ($0.firstName, $0.id.count) }).map(\.1),
                    Dictionary(grouping: expected, by: \.firstName).sorted { $0.key < $1.key }.map(\.value.count))
                try expectEqual(
                    try small.sum({ 1000 / $0.age }, in: edit), expected.reduce(0) { $0 + part($1) })
            }
        },
    ]
}

/// Asks how many there are within bounds, and for the first in an order.
private func expectAnswers(_ edit: EditContext, _ people: [Person]) throws {
    func expectCount(_ query: Query<Person>, _ holds: (Person) -> Bool) throws {
        try expectEqual(try edit.count(query), people.count(where: holds))
    }
    for bound in stride(from: -1, through: 51, by: 4) {
        try expectCount(Person.where { $0.age >= bound }) { ($0.age ?? -9) >= bound }
        try expectCount(Person.where { $0.age < bound }) { ($0.age ?? 99) < bound }
        try expectCount(Person.where { $0.age == bound }) { $0.age == bound }
        try expectCount(Person.where { $0.age > bound && $0.age <= bound + 9 }) {
            ($0.age ?? -9) > bound && ($0.age ?? 99) <= bound + 9
        }
        try expectCount(Person.where { $0.rating > Double(bound) / 4 }) { ($0.rating ?? -9) > Double(bound) / 4 }
    }
    try expectCount(Person.where { $0.firstName > "n2" && $0.firstName < "n5" }) { ("n3"..."n4") ~= $0.firstName }
    try expectCount(Person.where { $0.age >= 30 && $0.rating < 10 }) { ($0.age ?? -9) >= 30 && ($0.rating ?? 99) < 10 }

    let ascending = people.sorted { ($0.age ?? -9, $0.id) < ($1.age ?? -9, $1.id) }
    let byAge = Person.all.sorted(by: \.age)
    try expectEqual(try edit.fetch(byAge.limit(7).offset(2)), Array(ascending.dropFirst(2).prefix(7)))
    try expectEqual(try edit.fetch(byAge), ascending)
    let descending = Person.all.sorted(by: \.age, .descending)
    try expectEqual(try edit.fetch(descending.limit(20)), Array(ascending.reversed().prefix(20)))
    let some = Person.where { $0.firstName == "n3" }.sorted(by: \.age, .descending)
    try expectEqual(
        try edit.fetch(some.limit(3)), Array(ascending.reversed().filter { $0.firstName == "n3" }.prefix(3)))
}
