import ConformanceKit
import GranaryCore

var listPredicatesCases: [ConformanceCase] {
    [
        ConformanceCase("predicates.in-duplicates", in: .predicates, "a value listed twice matches once") { trial in
            try trial.insertTwins((1...10).map { Sample(id: Int64($0), integer: Int64($0 / 2), text: "t\($0 % 3)") })
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer.in([3, 3, 1, 3, 1]) }, [2, 3, 6, 7])
                try $0.expectTwins(Sample.where { $0.text.in(["t1", "t1"]) }, [1, 4, 7, 10])
                try $0.expectTwins(
                    Sample.where { $0.integer.in([3, 1, 3]) }.sorted(by: \.integer, .descending).limit(3), [7, 6, 3])
            }
        },
        ConformanceCase("predicates.in-empty", in: .predicates, "no record is in an empty list") { trial in
            try trial.insertTwins([Sample(id: 1, integer: 1), Sample(id: 2)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer.in([]) }, [])
                try $0.expectTwins(Sample.where { !$0.integer.in([]) }, [1, 2])
                try $0.expectTwins(Sample.where { $0.integer.in([]) || $0.integer == 1 }, [1])
                try $0.expectTwins(Sample.where { $0.id.in([]) }, [])
            }
        },
        ConformanceCase("predicates.in-ranges", in: .predicates, "ranges include their ends as Swift's do") { trial in
            try trial.insert(
                (1...10).map { Person(id: $0, lastName: "L\($0 % 10)", rating: Double($0) / 2, number: Int($0)) })
            try expectEqual(try trial.keys(Person.where { $0.number.in(3...5) }), [3, 4, 5])
            try expectEqual(try trial.keys(Person.where { $0.number.in(3..<5) }), [3, 4])
            try expectEqual(try trial.keys(Person.where { $0.number.in(3..<3) }), [])
            try expectEqual(try trial.keys(Person.where { !$0.number.in(3..<10) }), [1, 2, 10])
            try expectEqual(try trial.keys(Person.where { $0.lastName.in("L2"..."L4") }), [2, 3, 4])
            try expectEqual(try trial.keys(Person.where { $0.id.in(8...99) }), [8, 9, 10])
            try expectEqual(try trial.keys(Person.where { $0.number.between(5, 3) }), [])
            try expectEqual(try trial.keys(Person.where { $0.rating.between(1, 1.5) }), [2, 3])
        },
        ConformanceCase("predicates.in-10000", in: .predicates, "a list of 10 000 values", modes: [.fresh]) { trial in
            try trial.insertTwins((1...300).map { Sample(id: $0, integer: $0 * 100, text: "t\($0 * 100)") })
            let values = (0..<10_000).map { Int64($0 * 2) }
            let expected = (1...300).filter { $0 * 100 < 20_000 }.map { Int64($0) }
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer.in(values) }, expected)
                try expectEqual(try $0.fetch(Sample.where { !$0.integer.in(values) }).map(\.id), Array(200...300))
                try $0.expectTwins(Sample.where { $0.text.in(values.map { "t\($0)" }) }, expected)
                try expectEqual(try $0.fetch(Sample.where { $0.id.in(values) }).map(\.id), (1...150).map { $0 * 2 })
                try $0.expectTwins(
                    Sample.where { $0.integer.in(values) && $0.id.in(values) && $0.text != "t200" },
                    (2...99).map { $0 * 2 })
            }
        },
        ConformanceCase(
            "predicates.in-100000", in: .predicates, "a list holds 100 000 values and no more", modes: [.fresh]
        ) { trial in
            try trial.insertTwins((1...20).map { Sample(id: $0, integer: $0 * 10_000) })
            let values = (1...100_000).map { Int64($0) }
            try trial.read { snapshot in
                let listed = Sample.where { $0.integer.in(values) }
                try expectEqual(try snapshot.fetch(listed.indexed).map(\.id), Array(1...10))
                try expectEqual(try snapshot.count(Sample.where { !$0.integer.in(values) }), 10)
                try expectError(.invalidQuery, entity: "Sample", attributes: ["integer"]) {
                    try snapshot.fetch(Sample.where { $0.integer.in(values + [0]) })
                }
                try expectError(.invalidQuery, entity: "Sample", attributes: ["integer"]) {
                    try snapshot.count(Sample.where { !$0.integer.in(values + [1]) })
                }
            }
            try trial.write { try expectEqual(try Sample.where { $0.integer.in(values) }.deleteAll(in: $0), 10) }
            try expectEqual(try trial.keys(Sample.all), Array(11...20))
        },
        ConformanceCase("predicates.in-twice", in: .predicates, "several long lists in one condition", modes: [.fresh])
        {
            trial in
            try trial.insertTwins((1...200).map { Sample(id: $0, int16: Int16($0), integer: $0) })
            let even = (0...5000).map { Int64($0 * 2) }
            let three = (0...5000).map { Int16($0 * 3) }
            try trial.read {
                try $0.expectTwins(
                    Sample.where { $0.integer.in(even) && $0.int16.in(three) }, (1...200).filter { $0 % 6 == 0 })
                try $0.expectTwins(
                    Sample.where { $0.integer.in(even) || $0.int16.in(three) },
                    (1...200).filter { $0 % 2 == 0 || $0 % 3 == 0 })
                try $0.expectTwins(
                    Sample.where { !$0.integer.in(even) && !$0.int16.in(three) },
                    (1...200).filter { $0 % 2 != 0 && $0 % 3 != 0 })
            }
        },
    ]
}
