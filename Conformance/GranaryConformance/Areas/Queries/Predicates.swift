import ConformanceKit
import GranaryCore

var predicatesCases: [ConformanceCase] {
    casesForEachType(
        .predicates, "compare", "every comparison, list and range answers alike with and without an index",
        PredicateCheck())
        + shapedPredicatesCases + listPredicatesCases + flagPredicatesCases + givenValuesCases + rangeCases
        + constantPredicatesCases + randomPredicatesCases
}

private func numbers(_ count: Int) -> [Sample] { (1...count).map { Sample(id: Int64($0), integer: Int64($0)) } }

private var shapedPredicatesCases: [ConformanceCase] {
    [
        ConformanceCase("predicates.always", in: .predicates, "conditions that always or never hold") { trial in
            try trial.insertTwins(numbers(5) + [Sample(id: 6)])
            try trial.read {
                try $0.expectTwins(Sample.all.where(.always), [1, 2, 3, 4, 5, 6])
                try $0.expectTwins(Sample.all.where(.never), [])
                try $0.expectTwins(Sample.all.where(!.never), [1, 2, 3, 4, 5, 6])
                try $0.expectTwins(Sample.where { $0.integer == 2 || .always }, [1, 2, 3, 4, 5, 6])
                try $0.expectTwins(Sample.where { $0.integer == 2 && .never }, [])
                try $0.expectTwins(Sample.where { $0.integer == 2 || .never }, [2])
                var query = Sample.all
                query = Sample.all.where(.all([]))
                try $0.expectTwins(query, [1, 2, 3, 4, 5, 6])
                query = Sample.all.where(.any([]))
                try $0.expectTwins(query, [])
            }
        },
        ConformanceCase("predicates.contradictory", in: .predicates, "conditions that exclude each other match none") {
            trial in
            try trial.insertTwins(numbers(5) + [Sample(id: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer == 2 && $0.integer == 3 }, [])
                try $0.expectTwins(Sample.where { $0.integer > 3 && $0.integer < 3 }, [])
                try $0.expectTwins(Sample.where { $0.integer > 3 && $0.integer <= 3 }, [])
                try $0.expectTwins(Sample.where { $0.integer >= 3 && $0.integer <= 3 }, [3])
                try $0.expectTwins(Sample.where { $0.integer == nil && $0.integer != nil }, [])
                try $0.expectTwins(Sample.where { $0.integer == nil && $0.integer > 0 }, [])
                try $0.expectTwins(Sample.where { $0.integer == 2 && $0.integer != 2 }, [])
                try $0.expectTwins(Sample.where { $0.integer.in([1, 2]) && $0.integer.in([2, 3]) }, [2])
                try $0.expectTwins(Sample.where { $0.id > 3 && $0.id < 2 }, [])
                try $0.expectTwins(Sample.where { $0.id == 3 && $0.integer == 4 }, [])
            }
        },
        ConformanceCase("predicates.tautology", in: .predicates, "conditions that cover everything match all") {
            trial in
            try trial.insertTwins(numbers(5) + [Sample(id: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer == 2 || $0.integer != 2 }, [1, 2, 3, 4, 5, 6])
                try $0.expectTwins(Sample.where { $0.integer < 3 || !($0.integer < 3) }, [1, 2, 3, 4, 5, 6])
                try $0.expectTwins(Sample.where { $0.integer < 3 || $0.integer >= 3 }, [1, 2, 3, 4, 5])
                try $0.expectTwins(Sample.where { $0.integer < 4 || $0.integer > 2 }, [1, 2, 3, 4, 5])
            }
        },
        ConformanceCase(
            "predicates.overlapping", in: .predicates, "a record that several alternatives match is given once"
        ) { trial in
            try trial.insertTwins(
                (1...9).map { Sample(id: Int64($0), int8: Int8($0 % 3), integer: Int64($0), text: "t") })
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer == 4 || $0.int8 == 1 || $0.text == "t" }, Array(1...9))
                try $0.expectTwins(Sample.where { $0.integer < 5 || $0.int8 == 1 }, [1, 2, 3, 4, 7])
                try $0.expectTwins(Sample.where { $0.integer < 5 || $0.integer < 3 || $0.integer == 2 }, [1, 2, 3, 4])
                try $0.expectTwins(Sample.where { $0.integer == 9 || $0.integer == 1 || $0.integer == 5 }, [1, 5, 9])
                try $0.expectTwins(Sample.where { $0.id == 2 || $0.integer == 2 || $0.id == 1 }, [1, 2])
                try $0.expectTwins(
                    Sample.where { $0.integer == 9 || $0.int8 == 1 }.sorted(by: \.integer, .descending).limit(2),
                    [9, 7])
            }
        },
        ConformanceCase(
            "predicates.compound-index", in: .predicates, "conditions on a front part of an index of several attributes"
        ) { trial in
            var samples: [Sample] = []
            for (a, b, c) in [
                (1, 1, "a"), (1, 1, "b"), (1, 2, "a"), (1, nil, "a"), (2, 1, "a"), (2, nil, nil), (nil, 1, "a"),
            ]
                as [(Int64?, Int8?, String?)]
            {
                samples.append(Sample(id: Int64(samples.count), int8: b, integer: a, text: c))
            }
            try trial.insertTwins(samples)
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer == 1 && $0.int8 == 1 }, [0, 1])
                try $0.expectTwins(Sample.where { $0.integer == 1 && $0.int8 == 1 && $0.text > "a" }, [1])
                try $0.expectTwins(Sample.where { $0.integer == 1 && $0.int8 == nil }, [3])
                try $0.expectTwins(Sample.where { $0.integer == 1 && $0.int8 != 1 }, [2, 3])
                try $0.expectTwins(Sample.where { $0.integer == 1 && $0.int8 < 2 }, [0, 1])
                try $0.expectTwins(Sample.where { $0.integer >= 1 && $0.int8 == 1 }, [0, 1, 4])
                try $0.expectTwins(Sample.where { $0.integer == nil && $0.int8 == 1 && $0.text == "a" }, [6])
                try $0.expectTwins(Sample.where { $0.integer == 2 && $0.int8 == nil && $0.text == nil }, [5])
                try $0.expectTwins(
                    Sample.where { $0.integer.in([1, 2]) && $0.int8.in([1, nil]) && $0.text == "a" }, [0, 3, 4])
            }
        },
        ConformanceCase(
            "predicates.compound-unique", in: .predicates, "texts in a compound index do not run into what follows"
        ) { trial in
            let names = [("a", "b"), ("ab", ""), ("a", ""), ("", "ab"), ("a\0", "b"), ("a", "\0b"), ("a\u{1}", "b")]
            try trial.insert(
                names.enumerated().map { Person(id: Int64($0), firstName: $1.1, lastName: $1.0, number: $0) })
            try trial.read { snapshot in
                for (position, name) in names.enumerated() {
                    let query = Person.where { $0.lastName == name.0 && $0.firstName == name.1 }
                    try expectEqual(try snapshot.fetch(query).map(\.id), [Int64(position)])
                }
                try expectEqual(try snapshot.fetch(Person.where { $0.lastName == "a" }).map(\.id), [0, 2, 5])
                let ordered = Person.sorted(by: \.lastName).sorted(by: \.firstName)
                try expectEqual(try snapshot.fetch(ordered).map(\.id), [3, 2, 5, 0, 4, 6, 1])
            }
        },
        ConformanceCase("predicates.nested", in: .predicates, "conditions nest to 100 and no deeper") { trial in
            try trial.insertTwins(numbers(300) + [Sample(id: 301)])
            // x == 1 || (x <= 299 && (x == 2 || (x <= 298 && ...))): the depth grows by one a step.
            func nested(_ depth: Int) -> AnyCondition {
                var condition = AnyCondition.compare("integer", .equal, .integer(0))
                for step in stride(from: depth - 1, to: 0, by: -1) {
                    let number = StoredValue.integer(Int64(step))
                    condition =
                        step.isMultiple(of: 2)
                        ? .all([.compare("integer", .lessOrEqual, .integer(300 - Int64(step))), condition])
                        : .any([.compare("integer", .equal, number), condition])
                }
                return condition
            }
            try expectEqual(nested(100).depth, 100)
            try trial.read { snapshot in
                var query = Sample.all
                query = Sample.all.where(nested(100))
                try snapshot.expectTwins(query, (1...99).filter { $0 % 2 == 1 })
                query = Sample.all.where(nested(101))
                try expectError(.invalidQuery, entity: "Sample") { try snapshot.fetch(query) }
                try expectError(.invalidQuery, entity: "Sample") { try snapshot.count(query) }
                query = Sample.all.where(.not(nested(100)))
                try expectError(.invalidQuery, entity: "Sample") { try snapshot.fetch(query) }
                query = Sample.all.where(.not(nested(99)))
                try snapshot.expectTwins(query, (1...301).filter { $0 % 2 == 0 || $0 > 97 })
            }
            try trial.write { transaction in
                var query = Sample.all
                query = Sample.all.where(nested(101))
                try expectError(.invalidQuery, entity: "Sample") { try query.deleteAll(in: transaction) }
                try expectError(.invalidQuery, entity: "Sample") {
                    try query.updateAll(in: transaction) { $0.set(\.text, to: "") }
                }
            }
            try expectEqual(try trial.keys(Sample.all).count, 301)
        },
        ConformanceCase("predicates.negations", in: .predicates, "negations alternate with && and || to the limit") {
            trial in
            try trial.insertTwins(numbers(4) + [Sample(id: 5)])
            // !(x == 9 || !(x != 9 && ...)): each step negates, so that the stores see both sides.
            var condition = Condition<Sample>(.compare("integer", .equal, .integer(2)))
            var holds: [Int64: Bool] = [1: false, 2: true, 3: false, 4: false, 5: false]
            for step in 0..<30 {
                let number = Int64(step % 5)
                condition = !(Sample.fields.integer == number || condition)
                for key in holds.keys { holds[key] = !((key <= 4 && key == number) || holds[key] == true) }
            }
            try trial.read {
                try $0.expectTwins(Sample.all.where(condition), holds.keys.filter { holds[$0] == true }.sorted())
            }
        },
        ConformanceCase(
            "predicates.terms", in: .predicates, "a condition has 10 000 terms and no more", modes: [.fresh]
        ) {
            trial in
            try trial.insertTwins(numbers(50))
            func terms(_ count: Int, _ comparison: Comparison) -> [AnyCondition] {
                (0..<count).map { .compare("integer", comparison, .integer(Int64($0 * 10))) }
            }
            try trial.read { snapshot in
                var query = Sample.all
                query = Sample.all.where(.any(terms(10_000, .equal)))
                try expectEqual(try snapshot.fetch(query).map(\.id), [10, 20, 30, 40, 50])
                try expectEqual(try snapshot.fetch(query.indexed).map(\.id), [10, 20, 30, 40, 50])
                query = Sample.all.where(.all(terms(10_000, .notEqual)))
                try expectEqual(try snapshot.count(query), 45)
                try expectEqual(try snapshot.fetch(query.indexed).map(\.id), (1...50).filter { $0 % 10 != 0 })
                for condition in [AnyCondition.any(terms(10_001, .equal)), .all(terms(10_001, .notEqual))] {
                    query = Sample.all.where(condition)
                    try expectError(.invalidQuery, entity: "Sample") { try snapshot.fetch(query) }
                }
                query = Sample.all.where(.all([.any(terms(5000, .equal)), .any(terms(5001, .equal))]))
                try expectError(.invalidQuery, entity: "Sample") { try snapshot.fetch(query) }
            }
        },
    ]
}
