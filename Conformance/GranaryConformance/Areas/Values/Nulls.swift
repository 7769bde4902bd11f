import ConformanceKit
import GranaryCore

var nullsCases: [ConformanceCase] {
    Comparison.allCases.map(comparedWithNil) + [
        ConformanceCase("nulls.not-equal", in: .nulls, "`x != 5` holds of nil, `x == 5`, `<` and `>` do not") { trial in
            try trial.insertTwins([Sample(id: 1), Sample(id: 2, integer: 5), Sample(id: 3, integer: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer != 5 }, [1, 3])
                try $0.expectTwins(Sample.where { $0.integer == 5 }, [2])
                try $0.expectTwins(Sample.where { $0.integer < 6 }, [2])
                try $0.expectTwins(Sample.where { $0.integer > 5 }, [3])
            }
        },
        ConformanceCase("nulls.negation", in: .nulls, "a negated condition holds of exactly the rest, nil included") {
            trial in
            try trial.insertTwins([Sample(id: 1), Sample(id: 2, integer: 5), Sample(id: 3, integer: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { !($0.integer == 5) }, [1, 3])
                try $0.expectTwins(Sample.where { !($0.integer != 5) }, [2])
                try $0.expectTwins(Sample.where { !($0.integer < 6) }, [1, 3])
                try $0.expectTwins(Sample.where { !($0.integer >= 5) }, [1])
                try $0.expectTwins(Sample.where { !(!($0.integer >= 5)) }, [2, 3])
                try $0.expectTwins(Sample.where { !($0.integer == nil) }, [2, 3])
                try $0.expectTwins(Sample.where { !($0.integer < nil) }, [1, 2, 3])
            }
        },
        ConformanceCase("nulls.in", in: .nulls, "a list matches nil only where it holds nil") { trial in
            try trial.insertTwins([Sample(id: 1), Sample(id: 2, integer: 5), Sample(id: 3, integer: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer.in([5]) }, [2])
                try $0.expectTwins(Sample.where { $0.integer.in([5, nil]) }, [1, 2])
                try $0.expectTwins(Sample.where { $0.integer.in([nil]) }, [1])
                try $0.expectTwins(Sample.where { $0.integer.in([nil, nil]) }, [1])
                try $0.expectTwins(Sample.where { $0.integer.in([]) }, [])
                try $0.expectTwins(Sample.where { !$0.integer.in([5]) }, [1, 3])
                try $0.expectTwins(Sample.where { !$0.integer.in([5, nil]) }, [3])
                try $0.expectTwins(Sample.where { !$0.integer.in([nil]) }, [2, 3])
                try $0.expectTwins(Sample.where { !$0.integer.in([]) }, [1, 2, 3])
            }
        },
        ConformanceCase("nulls.range", in: .nulls, "no range holds nil, and the rest of a range does") { trial in
            try trial.insertTwins([Sample(id: 1), Sample(id: 2, double: 5), Sample(id: 3, double: 6)])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.double.between(-.infinity, .infinity) }, [2, 3])
                try $0.expectTwins(Sample.where { !$0.double.between(5, 5) }, [1, 3])
                try $0.expectTwins(Sample.where { $0.double.between(nil, 6) }, [])
                try $0.expectTwins(Sample.where { $0.double.between(5, nil) }, [])
            }
        },
        ConformanceCase(
            "nulls.required", in: .nulls, "of a required attribute `== nil` never holds and `!= nil` always"
        ) { trial in
            try trial.insert([Person(id: 1, country: "a", number: 1), Person(id: 2, country: "a", number: 2)])
            let expected: [(Comparison, keys: [Int64])] = [
                (.equal, []), (.notEqual, [1, 2]), (.less, []), (.lessOrEqual, []), (.greater, []),
                (.greaterOrEqual, []),
            ]
            for attribute in ["number", "country", "id", "isActive"] {
                for (comparison, keys) in expected {
                    var query = Person.all
                    query = Person.all.where(.compare(attribute, comparison, .null))
                    try expectEqual(try trial.keys(query), keys, "\(attribute) \(comparison.rawValue) nil")
                    query = Person.all.where(.not(.compare(attribute, comparison, .null)))
                    let rest = [1, 2].filter { !keys.contains($0) }
                    try expectEqual(try trial.keys(query), rest, "!(\(attribute) \(comparison.rawValue) nil)")
                }
            }
            var query = Person.all
            query = Person.all.where(.among("number", [.null, .integer(2)]))
            try expectEqual(try trial.keys(query), [2])
            query = Person.all.where(.not(.among("number", [.null])))
            try expectEqual(try trial.keys(query), [1, 2])
        },
        ConformanceCase("nulls.and-or", in: .nulls, "`&&` and `||` of conditions on nil have two values") { trial in
            try trial.insertTwins([
                Sample(id: 1), Sample(id: 2, integer: 5), Sample(id: 3, int8: 5), Sample(id: 4, int8: 5, integer: 5),
            ])
            try trial.read {
                try $0.expectTwins(Sample.where { $0.integer == 5 || $0.int8 == 5 }, [2, 3, 4])
                try $0.expectTwins(Sample.where { !($0.integer == 5 && $0.int8 == 5) }, [1, 2, 3])
                try $0.expectTwins(Sample.where { !($0.integer == 5 || $0.int8 == 5) }, [1])
                try $0.expectTwins(Sample.where { $0.integer != 5 && $0.int8 != 5 }, [1])
                try $0.expectTwins(Sample.where { $0.integer == nil && $0.int8 == 5 }, [3])
                try $0.expectTwins(Sample.where { $0.integer < 9 || $0.integer == nil }, [1, 2, 3, 4])
            }
        },
        ConformanceCase("nulls.order", in: .nulls, "nils come first ascending and last descending") { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: 5), Sample(id: 2), Sample(id: 3, integer: .min), Sample(id: 4),
            ])
            try trial.read {
                try $0.expectTwins(Sample.sorted(by: \.integer), [2, 4, 3, 1])
                try $0.expectTwins(Sample.sorted(by: \.integer, .descending), [1, 3, 4, 2])
            }
        },
        ConformanceCase("nulls.change", in: .nulls, "a value becomes nil and nil a value, in the index too") { trial in
            try trial.insertTwins([Sample(id: 1, text: "a"), Sample(id: 2)])
            try trial.write {
                try $0.update([Sample(id: 1), Sample(id: 2, text: "b")])
                try $0.update([IndexedSample(Sample(id: 1)), IndexedSample(Sample(id: 2, text: "b"))])
            }
            try trial.read {
                try $0.expectTwins(Sample.where { $0.text == nil }, [1])
                try $0.expectTwins(Sample.where { $0.text != nil }, [2])
                try $0.expectTwins(Sample.where { $0.text == "a" }, [])
            }
        },
        ConformanceCase(
            "nulls.every-condition", in: .nulls,
            "every condition of two terms over nil, 1 and 2 answers as Swift's optionals do", modes: [.fresh]
        ) { trial in
            try checkEveryCondition(trial)
        },
    ]
}

private func comparedWithNil(_ comparison: Comparison) -> ConformanceCase {
    ConformanceCase(
        "nulls.compare-\(comparison)", in: .nulls, "`\(comparison.rawValue)` with nil on either side is as in Swift"
    ) { trial in
        try trial.insertTwins([
            Sample(id: 1), Sample(id: 2, flag: false, integer: 0, double: 0, text: "", bytes: []),
            Sample(id: 3, flag: true, integer: 1, double: 1, text: "a", bytes: [1]),
        ])
        // With nil, then with the value of the second record.
        let expected: (withNil: [Int64], withValue: [Int64]) =
            switch comparison {
            case .equal: ([1], [2])
            case .notEqual: ([2, 3], [1, 3])
            case .less: ([], [])
            case .lessOrEqual: ([], [2])
            case .greater: ([], [3])
            case .greaterOrEqual: ([], [2, 3])
            }
        let constants: [(String, StoredValue)] = [
            ("flag", .integer(0)), ("integer", .integer(0)), ("double", .real(0)), ("text", .string("")),
            ("bytes", .bytes([])),
        ]
        try trial.read { snapshot in
            for (attribute, value) in constants {
                var query = Sample.all
                query = Sample.all.where(.compare(attribute, comparison, .null))
                try snapshot.expectTwins(query, expected.withNil)
                query = Sample.all.where(.compare(attribute, comparison, value))
                try snapshot.expectTwins(query, expected.withValue)
            }
        }
    }
}
