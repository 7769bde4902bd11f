import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

// What the libraries that people come from do with a value, in these terms: each row is one behaviour.

/// A value of the source for one attribute of a record that has another value before.
private struct Behaviour: Sendable {
    let name: String
    let attribute: String
    let source: ImportValue
    /// Nil if the value is refused, and the attribute stays as it was.
    let expected: StoredValue?

    init(_ name: String, _ attribute: String, _ source: ImportValue, _ expected: StoredValue?) {
        self.name = name
        self.attribute = attribute
        self.source = source
        self.expected = expected
    }
}

private let conversions = Schema(entities: [
    Entity(
        "Value", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("flag", Bool?.self),
            Attribute("count", Int64?.self), Attribute("size", Double?.self), Attribute("text", String?.self),
            Attribute("date", Date?.self), Attribute("must", Int64.self, default: 7),
            Attribute("mustFlag", Bool.self, default: true), Attribute("price", Decimal?.self),
        ])
])

private func date(_ seconds: Double) -> StoredValue { .real(seconds - 978_307_200) }

private let behaviours: [Behaviour] = [
    Behaviour("null-number", "count", nil, .null), Behaviour("null-text", "text", nil, .null),
    Behaviour("null-flag", "flag", nil, .null), Behaviour("null-date", "date", nil, .null),
    Behaviour("null-required", "must", nil, nil), Behaviour("null-required-flag", "mustFlag", nil, nil),
    Behaviour("number-0-flag", "flag", 0, .integer(0)), Behaviour("false-flag", "flag", false, .integer(0)),
    Behaviour("number-1-flag", "flag", 1, .integer(1)), Behaviour("number-minus-flag", "flag", -1, .integer(1)),
    Behaviour("number-42-flag", "flag", 42, .integer(1)), Behaviour("true-flag", "flag", true, .integer(1)),
    Behaviour("yes-flag", "flag", "yes", .integer(1)), Behaviour("YES-flag", "flag", "YES", .integer(1)),
    Behaviour("y-flag", "flag", "y", .integer(1)), Behaviour("Y-flag", "flag", "Y", .integer(1)),
    Behaviour("text-1-flag", "flag", "1", .integer(1)), Behaviour("blank-1-flag", "flag", " 1 ", .integer(1)),
    Behaviour("text-42-flag", "flag", "42", .integer(1)), Behaviour("no-flag", "flag", "no", .integer(0)),
    Behaviour("NO-flag", "flag", "NO", .integer(0)), Behaviour("n-flag", "flag", "n", .integer(0)),
    Behaviour("N-flag", "flag", "N", .integer(0)), Behaviour("text-0-flag", "flag", "0", .integer(0)),
    Behaviour("front-1-flag", "flag", " 1", .integer(1)), Behaviour("front-0-flag", "flag", " 0", .integer(0)),
    Behaviour("blank-0-flag", "flag", " 0 ", .integer(0)),
    Behaviour("blank-fraction-flag", "flag", " 0.0 ", .integer(0)),
    Behaviour("t-flag", "flag", "t", .integer(1)), Behaviour("False-flag", "flag", "False", .integer(0)),
    Behaviour("true-count", "count", "true", .integer(1)), Behaviour("f-count", "count", "f", .integer(0)),
    Behaviour("flag-text", "text", true, .string("true")),
    Behaviour("long-count", "count", "69726278940360707", .integer(69_726_278_940_360_707)),
    Behaviour("long-text", "text", 10_248_909_829, .string("10248909829")),
    Behaviour("nan-decimal", "price", "NaN", nil), Behaviour("nan-number", "price", .decimal("NaN"), nil),
    Behaviour("nan-double", "size", "NaN", nil),
    Behaviour("nonsense-flag", "flag", "NOT a number", nil),
    Behaviour("number-text", "text", 666, .string("666")), Behaviour("text-number", "count", "666", .integer(666)),
    Behaviour("nonsense-number", "count", "six", nil), Behaviour("empty-number", "count", "", nil),
    Behaviour("large-number", "count", "9223372036854775807", .integer(.max)),
    Behaviour("too-large-number", "count", "9223372036854775808", nil),
    Behaviour("fraction-number", "count", 1.5, nil), Behaviour("text-double", "size", "1.25", .real(1.25)),
    Behaviour("seconds", "date", 1_388_349_428, date(1_388_349_428)),
    Behaviour("seconds-fraction", "date", 1_388_349_428.5, date(1_388_349_428.5)),
    Behaviour("text-date", "date", "2013-12-29T20:37:08Z", date(1_388_349_428)),
    Behaviour("text-date-zone", "date", "2013-12-29T21:37:08+01:00", date(1_388_349_428)),
    Behaviour("nonsense-date", "date", "yesterday", nil), Behaviour("array-text", "text", ["a"], nil),
    Behaviour("object-text", "text", ["a": 1], nil), Behaviour("object-date", "date", ["a": 1], nil),
]

var importBehavioursCases: [ConformanceCase] {
    behaviours.map { behaviour in
        ConformanceCase(
            "import.value-\(behaviour.name)", in: .importing,
            behaviour.expected == nil
                ? "the value is refused, and the attribute \(behaviour.attribute) stays as it was"
                : "the value is converted for the attribute \(behaviour.attribute)"
        ) { trial in
            try trial.open(conversions)
            let old: ImportValue = [
                "id": 1, "flag": nil, "count": 5, "size": 0.5, "text": "old", "date": 0, "must": 8, "mustFlag": false,
            ]
            let source: ImportValue = .object(
                ImportObject([.init("id", 1), .init(behaviour.attribute, behaviour.source)]))
            try trial.write { tx in
                let before = try tx.import(old, as: "Value").records[0]
                let result = try tx.import(source, as: "Value")
                let position = try before.entity.position(ofAttribute: behaviour.attribute)
                let expected = behaviour.expected ?? before.values[position]
                try expectEqual(result.records.map { $0.values[position] }, [expected])
                try expectEqual(result.report.issues.map(\.kind), behaviour.expected == nil ? [.valueKept] : [])
            }
        }
    }
}
