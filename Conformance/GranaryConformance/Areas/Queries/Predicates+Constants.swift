import ConformanceKit
import GranaryCore

/// Conditions by attribute name, with constants of another type than the attribute's.
var constantPredicatesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "predicates.integer-fraction", in: .predicates, "an integer compares with 2.5 exactly"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: 2), Sample(id: 2, integer: 3), Sample(id: 3), Sample(id: 4, integer: -3),
                Sample(id: 5, integer: -2),
            ])
            let expected: [(Double, Comparison, [Int64])] = [
                (2.5, .equal, []), (2.5, .notEqual, [1, 2, 3, 4, 5]), (2.5, .less, [1, 4, 5]),
                (2.5, .lessOrEqual, [1, 4, 5]), (2.5, .greater, [2]), (2.5, .greaterOrEqual, [2]),
                (-2.5, .less, [4]), (-2.5, .greater, [1, 2, 5]), (3.0, .equal, [2]), (3.0, .less, [1, 4, 5]),
                (1e300, .less, [1, 2, 4, 5]), (1e300, .greater, []), (-.infinity, .greaterOrEqual, [1, 2, 4, 5]),
                (.infinity, .notEqual, [1, 2, 3, 4, 5]),
            ]
            try trial.read { snapshot in
                for (value, comparison, keys) in expected {
                    var query = Sample.all
                    query = Sample.all.where(.compare("integer", comparison, .real(value)))
                    try snapshot.expectTwins(query, keys)
                    query = Sample.all.where(.not(.compare("integer", comparison, .real(value))))
                    try snapshot.expectTwins(query, [1, 2, 3, 4, 5].filter { !keys.contains($0) })
                }
                var query = Sample.all
                query = Sample.all.where(.among("integer", [.real(2), .real(2.5), .integer(-3)]))
                try snapshot.expectTwins(query, [1, 4])
            }
        },
        ConformanceCase(
            "predicates.integer-ends", in: .predicates, "the ends of Int64 compare with doubles beyond them exactly"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, integer: .min), Sample(id: 2, integer: .max), Sample(id: 3, integer: .max - 1),
            ])
            let expected: [(Double, Comparison, [Int64])] = [
                (0x1p63, .less, [1, 2, 3]), (0x1p63, .equal, []), (0x1p63, .greaterOrEqual, []), (-0x1p63, .equal, [1]),
                (-0x1p63, .greater, [2, 3]), (-0x1p63, .greaterOrEqual, [1, 2, 3]),
                ((-0x1p63).nextDown, .greater, [1, 2, 3]),
                (0x1p63.nextDown, .greater, [2, 3]),
            ]
            try trial.read { snapshot in
                for (value, comparison, keys) in expected {
                    var query = Sample.all
                    query = Sample.all.where(.compare("integer", comparison, .real(value)))
                    try snapshot.expectTwins(query, keys)
                }
            }
        },
        ConformanceCase(
            "predicates.double-integer", in: .predicates, "a double compares with 2^53 + 1 exactly"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, double: 0x1p53), Sample(id: 2, double: 0x1p53 + 2), Sample(id: 3),
                Sample(id: 4, double: .infinity), Sample(id: 5, double: 0x1p63), Sample(id: 6, double: -0x1p63),
            ])
            let odd = Int64(1) << 53 + 1
            let expected: [(Int64, Comparison, [Int64])] = [
                (odd, .equal, []), (odd, .notEqual, [1, 2, 3, 4, 5, 6]), (odd, .less, [1, 6]),
                (odd, .lessOrEqual, [1, 6]),
                (odd, .greater, [2, 4, 5]), (odd, .greaterOrEqual, [2, 4, 5]), (odd - 1, .equal, [1]),
                (odd - 1, .less, [6]), (.max, .less, [1, 2, 6]), (.max, .greaterOrEqual, [4, 5]), (.max, .equal, []),
                (.min, .equal, [6]), (.min, .lessOrEqual, [6]), (.min + 1, .less, [6]),
            ]
            try trial.read { snapshot in
                for (value, comparison, keys) in expected {
                    var query = Sample.all
                    query = Sample.all.where(.compare("double", comparison, .integer(value)))
                    try snapshot.expectTwins(query, keys)
                }
                var query = Sample.all
                query = Sample.all.where(.among("double", [.integer(odd), .integer(odd + 1), .null]))
                try snapshot.expectTwins(query, [2, 3])
            }
        },
        ConformanceCase(
            "predicates.narrow-range", in: .predicates, "a constant beyond an attribute's width compares as a number"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, int8: .max, uint8: .max, float: .greatestFiniteMagnitude), Sample(id: 2),
                Sample(id: 3, int8: .min, uint8: 0, float: -1),
            ])
            let expected: [(String, Comparison, StoredValue, [Int64])] = [
                ("int8", .less, .integer(128), [1, 3]), ("int8", .equal, .integer(128), []),
                ("int8", .notEqual, .integer(1000), [1, 2, 3]), ("int8", .greater, .integer(-129), [1, 3]),
                ("uint8", .greaterOrEqual, .integer(-1), [1, 3]), ("uint8", .less, .integer(.max), [1, 3]),
                ("uint64", .greater, .integer(-1), []), ("float", .less, .real(1e300), [1, 3]),
                ("float", .equal, .real(0.1), []), ("flag", .equal, .integer(1), []),
            ]
            try trial.read { snapshot in
                for (attribute, comparison, value, keys) in expected {
                    var query = Sample.all
                    query = Sample.all.where(.compare(attribute, comparison, value))
                    try snapshot.expectTwins(query, keys)
                }
            }
        },
        ConformanceCase("predicates.wrong-kind", in: .predicates, "a constant of another kind is a type mismatch") {
            trial in
            try trial.insertTwins([Sample(id: 1, integer: 1, text: "1")])
            let wrong: [(String, StoredValue)] = [
                ("integer", .string("1")), ("integer", .bytes([1])), ("text", .integer(1)), ("text", .real(1)),
                ("text", .bytes([49])), ("data", .string("1")), ("double", .string("1")), ("date", .string("2001")),
                ("date", .integer(1)), ("uuid", .string("00000000-0000-0000-0000-000000000000")),
                ("decimal", .integer(1)),
                ("flag", .real(1)), ("id", .string("1")), ("url", .bytes([])),
            ]
            try trial.read { snapshot in
                for (attribute, value) in wrong {
                    var query = Sample.all
                    for condition in [
                        AnyCondition.compare(attribute, .equal, value), .not(.compare(attribute, .less, value)),
                        .among(attribute, [value]), .any([.always(true), .compare(attribute, .equal, value)]),
                    ] {
                        query = Sample.all.where(condition)
                        try expectError(.typeMismatch, entity: "Sample", attributes: [attribute]) {
                            try snapshot.fetch(query)
                        }
                        try expectError(.typeMismatch, entity: "IndexedSample", attributes: [attribute]) {
                            try snapshot.count(query.indexed)
                        }
                    }
                }
            }
        },
        ConformanceCase("predicates.unknown-attribute", in: .predicates, "an attribute the entity lacks is an error") {
            trial in
            try trial.insert([Sample(id: 1)])
            try trial.write { transaction in
                var query = Sample.all
                for condition in [
                    AnyCondition.compare("nothing", .equal, .integer(1)), .among("nothing", []),
                    .compare("Text", .equal, .null),
                    .not(.compare("nothing", .less, .null)),
                    .all([.always(false), .compare("nothing", .equal, .null)]),
                    .compare("", .equal, .null), .compare("text; --", .equal, .null),
                ] {
                    query = Sample.all.where(condition)
                    try expectError(.unknownAttribute, entity: "Sample") { try transaction.fetch(query) }
                    try expectError(.unknownAttribute, entity: "Sample") { try transaction.count(query) }
                    try expectError(.unknownAttribute, entity: "Sample") { try query.deleteAll(in: transaction) }
                }
                query = Sample.all
                query = Sample.all.where(.compare("nothing", .equal, .integer(1)))
                try expectError(.unknownAttribute, entity: "Sample", attributes: ["nothing"]) {
                    try transaction.fetch(query)
                }
                query = Sample.all
                query = query.sorted(by: [Ordering(attribute: "elsewhere")])
                try expectError(.unknownAttribute, entity: "Sample", attributes: ["elsewhere"]) {
                    try transaction.fetch(query)
                }
            }
            try expectEqual(try trial.keys(Sample.all), [1])
        },
        ConformanceCase(
            "predicates.words", in: .predicates, "text in a condition is only ever text"
        ) { trial in
            let texts = [
                "'", "''", "\"", "?", "?1", ":a", "%", "_", "*", "\\", "'; DROP TABLE Sample; --", "NULL", "nil", "1",
            ]
            try trial.insertTwins(texts.enumerated().map { Sample(id: Int64($0), text: $1) })
            try trial.read { snapshot in
                for (position, text) in texts.enumerated() {
                    try snapshot.expectTwins(Sample.where { $0.text == text }, [Int64(position)])
                    try snapshot.expectTwins(Sample.where { $0.text.in([text]) }, [Int64(position)])
                }
            }
        },
    ]
}
