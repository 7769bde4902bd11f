import ConformanceKit
import GranaryCore

var observationCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.values", in: .observation, "an observed query gives its answer at once, then each new one",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, age: 20), Person(id: 2, age: 40, number: 2)])
            let following = Following(stack.observe(Person.where { $0.age >= 30 }.sorted(by: \.age)), on: trial)
            try following.wait("the first value") { $0.map(ids) == [[2]] }
            try trial.insert([Person(id: 3, age: 30, number: 3)])
            try following.wait("an insertion") { $0.last.map(ids) == [3, 2] }
            // One that begins to meet the condition, one that ceases to, one that moves.
            try trial.write { try $0.update(Person(id: 1, age: 35)) }
            try following.wait("a record that begins to match") { $0.last.map(ids) == [3, 1, 2] }
            try trial.write { try $0.update(Person(id: 3, age: 29, number: 3)) }
            try following.wait("a record that ceases to match") { $0.last.map(ids) == [1, 2] }
            try trial.write { try $0.update(Person(id: 1, age: 50)) }
            try following.wait("a record that moves") { $0.last.map(ids) == [2, 1] }
            try trial.write { try $0.update(Person(id: 2, lastName: "x", age: 40, number: 2)) }
            try following.wait("another value") { $0.last?.first?.lastName == "x" }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try following.wait("a deletion") { $0.last.map(ids) == [2] }
            try expectEqual(following.values.count, 7)
        },
        ConformanceCase(
            "observation.equal", in: .observation, "an answer equal to the last is not given again", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, lastName: "a", age: 20)])
            let names = Following(
                stack.observe(Person.where { $0.age < 30 }.select { ($0.id, $0.lastName) }).map { rows in
                    rows.map { $0.1 }
                }, on: trial)
            let counts = Following(stack.observeCount(Person.where { $0.age < 30 }), on: trial)
            try names.wait("the first value") { $0 == [["a"]] }
            try counts.wait("the first value") { $0 == [1] }
            // Another entity, another attribute, a record that does not match, one that leaves and comes back at once.
            try trial.insert([Shelf(id: 1)])
            try trial.write { try $0.update(Person(id: 1, firstName: "z", lastName: "a", age: 20)) }
            try trial.insert([Person(id: 2, lastName: "b", age: 40, number: 2)])
            try trial.write { tx in
                try tx.delete(Person.self, 1)
                try tx.insert(Person(id: 1, lastName: "a", age: 20))
            }
            try trial.insert([Person(id: 3, lastName: "c", age: 10, number: 3)])
            try names.wait("the new answer") { $0 == [["a"], ["a", "c"]] }
            try counts.wait("the new number") { $0 == [1, 2] }
        },
        ConformanceCase(
            "observation.bulk", in: .observation,
            "bulk statements and delete rules are seen, what is rolled back is not",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1), Person(id: 2, number: 2)])
            try trial.insert([Shelf(id: 1)])
            try trial.insert([
                Box(id: 1, shelf: Ref(1), owner: Ref(1)), Box(id: 2, shelf: Ref(1), outer: Ref(1)),
                Box(id: 3, shelf: Ref(1)),
            ])
            let boxes = Following(stack.observe(Box.all), on: trial)
            let adults = Following(stack.observeCount(Person.where { $0.age >= 18 }), on: trial)
            try boxes.wait("the first value") { $0.last.map(ids) == [1, 2, 3] }
            try adults.wait("the first value") { $0 == [0] }
            try expectAbandoned {
                try trial.write { tx in
                    try Box.all.deleteAll(in: tx)
                    throw Abandon()
                }
            }
            try trial.write { tx in
                try expectAbandoned {
                    try tx.savepoint {
                        try Box.all.deleteAll(in: tx)
                        throw Abandon()
                    }
                }
                try Person.all.updateAll(in: tx) { $0.set(\.age, to: 30) }
            }
            try adults.wait("a bulk update") { $0 == [0, 2] }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try boxes.wait("a cascade") { $0.last.map(ids) == [3] }
            try adults.wait("a deletion") { $0 == [0, 2, 1] }
            try trial.write { _ = try Box.all.deleteAll(in: $0) }
            try boxes.wait("a bulk deletion") { $0.last.map(ids) == [] }
            try expectEqual(boxes.values.map(ids), [[1, 2, 3], [3], []])
        },
        ConformanceCase(
            "observation.related", in: .observation, "changes of related records are seen, by paths, orders and counts",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.insert([Artist(id: 1, label: "a"), Artist(id: 2, label: "b")])
            try trial.insert([Album(id: 1, title: "x", artist: Ref(1)), Album(id: 2, title: "y", artist: Ref(2))])
            let path = Following(stack.observe(Album.where { $0.artist.label == "a" }), on: trial)
            let order = Following(stack.observe(Album.sorted(by: { $0.artist.label }, .descending)), on: trial)
            let some = Following(stack.observe(Artist.where { $0.albums.contains { $0.year > 2000 } }), on: trial)
            let none = Following(stack.observeCount(Artist.where { $0.albums.count == 0 }), on: trial)
            try path.wait("the first value") { $0.map(ids) == [[1]] }
            try order.wait("the first value") { $0.map(ids) == [[2, 1]] }
            try some.wait("the first value") { $0.map(ids) == [[]] }
            try none.wait("the first value") { $0 == [0] }
            try trial.write { try $0.update(Artist(id: 2, label: "a")) }
            try path.wait("a path") { $0.last.map(ids) == [1, 2] }
            try trial.write { try $0.update(Artist(id: 1, label: "c")) }
            try path.wait("a path") { $0.last.map(ids) == [2] }
            try order.wait("an order") { $0.last.map(ids) == [1, 2] }
            try trial.write { try $0.update(Album(id: 1, title: "x", artist: Ref(1), year: 2001)) }
            try some.wait("a related record") { $0.last.map(ids) == [1] }
            try trial.write { _ = try $0.delete(Album.self, 2) }
            try none.wait("a count of related records") { $0.last == 1 }
        },
        ConformanceCase(
            "observation.values-of-groups", in: .observation, "aggregates, groups and single records are observed",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, age: 1, country: "a"), Person(id: 2, age: 2, country: "b")])
            let groups = Following(
                stack.observe(Person.all.grouped(by: { $0.country }).select { ($0.country, $0.age.sum) }).map {
                    $0.map { "\($0.0) \($0.1)" }
                }, on: trial)
            let total = Following(
                stack.observeAggregate(Person.all.select { ($0.id.count, $0.age.maximum) }).map { $0.1 }, on: trial)
            let one = Following(stack.observe(Person.self, 2).map { $0?.lastName }, on: trial)
            try groups.wait("the first value") { $0 == [["a 1", "b 2"]] }
            try total.wait("the first value") { $0 == [2] }
            try one.wait("the first value") { $0 == [""] }
            try trial.write { try $0.update(Person(id: 2, lastName: "x", age: 5, country: "b")) }
            try groups.wait("a group") { $0.last == ["a 1", "b 5"] }
            try total.wait("an aggregate") { $0.last == 5 }
            try one.wait("a record") { $0.last == "x" }
            try trial.write { _ = try $0.delete(Person.self, 2) }
            try one.wait("a deletion") { $0.last == .some(nil) }
            try groups.wait("a group that is gone") { $0.last == ["a 1"] }
        },
        ConformanceCase(
            "observation.limits", in: .observation, "records beyond a limit and before an offset matter",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert((1...6).map { Person(id: $0, age: Int($0), number: Int($0)) })
            let top = Following(stack.observe(Person.sorted(by: { $0.age }).limit(2)), on: trial)
            let page = Following(stack.observe(Person.sorted(by: { $0.age }).offset(2).limit(2)), on: trial)
            try top.wait("the first value") { $0.map(ids) == [[1, 2]] }
            try page.wait("the first value") { $0.map(ids) == [[3, 4]] }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try top.wait("one from beyond the limit") { $0.last.map(ids) == [2, 3] }
            try page.wait("one from beyond the offset") { $0.last.map(ids) == [4, 5] }
            try trial.write { try $0.update(Person(id: 6, age: 0, number: 6)) }
            try top.wait("one that comes to the front") { $0.last.map(ids) == [6, 2] }
            try page.wait("one that comes before the offset") { $0.last.map(ids) == [3, 4] }
        },
        ConformanceCase(
            "observation.error", in: .observation, "what is wrong with a query is thrown by the loop", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try expectError(.unknownAttribute) {
                try Following(stack.observe(Person.sorted(by: "nothing")), on: trial).finished()
            }
            try expectError(.unknownEntity, entity: "Song") {
                try Following(stack.observe(Song.all), on: trial).finished()
            }
        },
    ]
}

func ids<R: Record>(_ records: [R]) -> [R.ID] { records.map(\.id) }
