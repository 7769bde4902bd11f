import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

// Each case imports one value after the other into one attribute of a record that holds another value. What cannot be
// converted keeps that value, and is reported with its path.

private struct Conversion: Sendable {
    let value: ImportValue
    /// Nil if the value is refused.
    let expected: StoredValue?

    init(_ value: ImportValue, _ expected: StoredValue?) {
        self.value = value
        self.expected = expected
    }
}

private func conversions(
    _ name: String, _ attribute: String, _ summary: String, mapping: ImportMapping = ImportMapping(),
    _ conversions: [Conversion]
) -> ConformanceCase {
    ConformanceCase("import.convert-\(name)", in: .importing, summary) { trial in
        let old = try oldValues()
        for conversion in conversions {
            try trial.write { tx in
                try Sample.deleteAll(in: tx)
                try tx.insert(old)
                var importer = Importer()
                importer.mapping = mapping
                let object = ImportObject([.init("id", 1), .init(attribute, conversion.value)])
                let source = ImportValue.array([.object(object)])
                let result = try tx.import(source, as: Sample.self, with: importer)
                let stored = try tx.find("Sample", 1)?[attribute]
                let before = try DynamicRecord.values(of: old, attribute)
                try expectEqual(stored, conversion.expected ?? before, "\(attribute) from \(conversion.value)")
                try expectEqual(
                    result.report.issues.map(\.path), conversion.expected == nil ? ["$[0].\(attribute)"] : [],
                    "\(attribute) from \(conversion.value)")
                try expectEqual(result.report.issues.map(\.kind), conversion.expected == nil ? [.valueKept] : [])
            }
        }
    }
}

/// A record that has a value in every attribute.
private func oldValues() throws -> Sample {
    Sample(
        id: 1, flag: true, int8: 7, int16: 7, int32: 7, integer: 7, uint8: 7, uint16: 7, uint32: 7, uint64: 7,
        float: 7.5, double: 7.5, decimal: Boundaries.decimal("7.75"), text: "old", data: Data([7]), bytes: [7],
        date: Date(timeIntervalSinceReferenceDate: 7),
        uuid: UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)),
        url: URL(string: "https://old.example"), mood: .sad, json: JSON(Extra(tags: ["old"], depth: 7)))
}

extension DynamicRecord {
    fileprivate static func values(of sample: Sample, _ name: String) throws -> StoredValue {
        var writer = RowWriter(count: Sample.entity.attributes.count)
        try sample.encode(into: &writer)
        let position = try Sample.entity.position(ofAttribute: name)
        return writer.withRow { StoredValue($0[position]) }
    }
}

/// The seconds since 2001 of seconds since 1970.
private func since1970(_ seconds: Double) -> StoredValue {
    .real(seconds - Date.timeIntervalBetween1970AndReferenceDate)
}

private func decimal(_ text: String) -> StoredValue {
    (try? StoredValue(encoding: Boundaries.decimal(text))) ?? .null
}

private func bytes(_ bytes: UInt8...) -> StoredValue { .bytes(bytes) }

private let uuidData: [UInt8] = [
    0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0,
]
private let uuidBytes: StoredValue = .bytes(uuidData)

var importConversionsCases: [ConformanceCase] {
    [
        conversions(
            "bool-numbers", "flag", "zero is false, every other number is true",
            [
                .init(0, .integer(0)), .init(1, .integer(1)), .init(-1, .integer(1)), .init(42, .integer(1)),
                .init(0.0, .integer(0)), .init(0.5, .integer(1)), .init(.decimal("0.00"), .integer(0)),
                .init(.decimal("1e3"), .integer(1)), .init(false, .integer(0)), .init(true, .integer(1)),
            ]),
        conversions(
            "bool-words", "flag", "words and numbers in strings are booleans, other strings are refused",
            [
                .init("yes", .integer(1)), .init("YES", .integer(1)), .init("y", .integer(1)), .init("Y", .integer(1)),
                .init("1", .integer(1)), .init(" 1 ", .integer(1)), .init("42", .integer(1)),
                .init("true", .integer(1)),
                .init("T", .integer(1)), .init("no", .integer(0)), .init("N", .integer(0)), .init("0", .integer(0)),
                .init(" 0.0 ", .integer(0)), .init("False", .integer(0)), .init("f", .integer(0)),
                .init("NOT a number means 'false' ", nil), .init("", nil), .init([], nil), .init([:], nil),
            ]),
        conversions(
            "integers", "integer", "whole numbers in any form are integers, exactly over all of Int64",
            [
                .init(666, .integer(666)), .init("666", .integer(666)), .init(" -3 ", .integer(-3)),
                .init("+5", .integer(5)), .init("007", .integer(7)), .init(5.0, .integer(5)),
                .init("5.00", .integer(5)),
                .init(.decimal("1e3"), .integer(1000)), .init(.decimal("120e-1"), .integer(12)),
                .init("69726278940360707", .integer(69_726_278_940_360_707)),
                .init("9223372036854775807", .integer(.max)), .init("-9223372036854775808", .integer(.min)),
                .init(.decimal("-9223372036854775808"), .integer(.min)), .init(true, .integer(1)),
                .init("yes", .integer(1)),
            ]),
        conversions(
            "integers-refused", "integer", "what is no whole number within Int64 is refused, never 0 and never rounded",
            [
                .init("nonsense", nil), .init("", nil), .init("5.5", nil), .init(5.5, nil),
                .init(.decimal("1e-1"), nil),
                .init("9223372036854775808", nil), .init("-9223372036854775809", nil), .init(.decimal("1e400"), nil),
                .init("12a", nil), .init("0x10", nil), .init([1], nil), .init(["a": 1], nil), .init("1e", nil),
                .init(.double(.infinity), nil), .init(.double(.nan), nil), .init(.date(Date()), nil),
                .init(.decimal(String(repeating: "9", count: 10_000)), nil),
            ]),
        conversions(
            "integer-widths", "int8", "an integer beyond the attribute's range is refused",
            [.init(127, .integer(127)), .init("-128", .integer(-128)), .init(128, nil), .init("-129", nil)]),
        conversions(
            "unsigned", "uint16", "a negative number is refused where there is no sign",
            [.init(65535, .integer(65535)), .init(65536, nil), .init(-1, nil), .init("65535", .integer(65535))]),
        conversions(
            "doubles", "double", "numbers in any form are the nearest double",
            [
                .init(4.5, .real(4.5)), .init(4, .real(4)), .init("4.5", .real(4.5)), .init(" 4.5e0 ", .real(4.5)),
                .init(.decimal("0.1"), .real(0.1)), .init("-0.0", .real(0)), .init(-0.0, .real(0)),
                .init(".5", .real(0.5)), .init("5.", .real(5)),
                .init(.decimal("1.7976931348623157e308"), .real(.greatestFiniteMagnitude)),
                .init(.decimal("123456789012345678901234567890"), .real(1.2345678901234568e29)),
                .init(true, .real(1)), .init(.double(.infinity), .real(.infinity)),
                .init("nonsense", nil), .init("", nil), .init(.decimal("1e400"), nil), .init(.double(.nan), nil),
                .init([], nil), .init("1,5", nil),
            ]),
        conversions(
            "floats", "float", "numbers are the nearest float",
            [
                .init(0.5, .real(0.5)), .init("0.1", .real(Double(Float(0.1)))), .init(.decimal("1e39"), nil),
                .init("x", nil),
            ]),
        conversions(
            "decimals", "decimal", "decimals are exactly what their text says",
            [
                .init(.decimal("12.50"), decimal("12.5")), .init("12.50", decimal("12.5")), .init(12, decimal("12")),
                .init(0.1, decimal("0.1")), .init("0.1", decimal("0.1")),
                .init(
                    .decimal("12345678901234567890123456789012345678"),
                    decimal("12345678901234567890123456789012345678")),
                .init("-1e-5", decimal("-0.00001")), .init(true, decimal("1")),
                .init(.decimal("123456789012345678901234567890123456789"), nil), .init("NaN", nil), .init("", nil),
                .init(.double(.nan), nil), .init([], nil),
            ]),
        conversions(
            "strings", "text", "numbers and booleans are texts as they are written, data is base64",
            [
                .init("new", .string("new")), .init("", .string("")), .init(666, .string("666")),
                .init(10_248_909_829, .string("10248909829")), .init(.decimal("1.50"), .string("1.50")),
                .init(1.5, .string("1.5")), .init(2.0, .string("2")), .init(true, .string("true")),
                .init(false, .string("false")), .init("a\u{0}b", .string("a\u{0}b")),
                .init("e\u{301}", .string("e\u{301}")),
                .init(.date(Date(timeIntervalSince1970: 0)), .string("1970-01-01T00:00:00Z")),
                .init(.data(Data([0xFB, 0xFF, 1])), .string("+/8B")), .init(.data(Data()), .string("")),
                .init(["a"], nil), .init(["a": 1], nil), .init(.double(.nan), nil),
            ]),
        conversions(
            "strings-hex", "text", "data is a hexadecimal text where the mapping says so",
            mapping: ImportMapping().data(.hex, for: "text"), [.init(.data(Data([0xFB, 0xFF, 1])), .string("fbff01"))]),
        conversions(
            "dates", "date", "dates are read in RFC 3339 with and without seconds, fraction and zone, and as days",
            [
                .init("1970-01-01T00:00:00Z", since1970(0)), .init("1970-01-01T00:00:01.5Z", since1970(1.5)),
                .init("1970-01-01 00:00:00", since1970(0)), .init("1970-01-01T01:00:00+01:00", since1970(0)),
                .init("1969-12-31T19:00:00-0500", since1970(0)), .init("1970-01-02", since1970(86_400)),
                .init("2011-08-09T00:00Z", since1970(1_312_848_000)), .init("2024-02-29", since1970(1_709_164_800)),
                .init(.date(Date(timeIntervalSince1970: 3.25)), since1970(3.25)),
            ]),
        conversions(
            "dates-web", "date", "dates of HTTP and of .NET are read",
            [
                .init("Sun, 06 Nov 1994 08:49:37 GMT", since1970(784_111_777)),
                .init("Sunday, 06-Nov-94 08:49:37 GMT", since1970(784_111_777)),
                .init("Sun Nov  6 08:49:37 1994", since1970(784_111_777)),
                .init("/Date(1388349427543)/", since1970(1_388_349_427.543)),
                .init("/Date(1388349427543+0100)/", since1970(1_388_349_427.543)),
                .init("/Date(-1000)/", since1970(-1)),
            ]),
        conversions(
            "dates-numbers", "date", "numbers, also in strings, are seconds since 1970",
            [
                .init(0, since1970(0)), .init(1_388_349_428, since1970(1_388_349_428)), .init(0.5, since1970(0.5)),
                .init("1388349428", since1970(1_388_349_428)), .init(.decimal("1.5"), since1970(1.5)),
                .init(-1, since1970(-1)),
            ]),
        conversions(
            "dates-milliseconds", "date", "numbers are milliseconds where the mapping says so",
            mapping: ImportMapping().dates(.millisecondsSince1970),
            [
                .init(1_388_349_427_543, since1970(1_388_349_427.543)), .init("1500", since1970(1.5)),
                .init("1970-01-01T00:00:00Z", nil),
            ]),
        conversions(
            "dates-patterns", "date", "dates are read by the attribute's own patterns, the first that fits",
            mapping: ImportMapping().dates(
                .pattern("dd.MM.yyyy HH:mm"), .pattern("d MMMM yyyy"), .pattern("yyyyMMdd'T'HHmmssX"),
                .pattern("h:mm a, M/d/yy"), for: "date"),
            [
                .init("02.01.1970 01:30", since1970(91_800)), .init("2 January 1970", since1970(86_400)),
                .init("19700102T000000Z", since1970(86_400)), .init("19700102T010000+0100", since1970(86_400)),
                .init("1:30 pm, 1/2/70", since1970(135_000)), .init("12:00 AM, 1/1/70", since1970(0)),
                .init("31.02.1970 00:00", nil), .init("2 Janvier 1970", nil), .init(0, nil),
            ]),
        conversions(
            "dates-over-type", "date", "the formats of an attribute count in place of those of its type",
            mapping: ImportMapping().dates(.millisecondsSince1970).dates(.pattern("dd.MM.yyyy"), .rfc3339, for: "date"),
            [
                .init("02.01.1970", since1970(86_400)), .init("1970-01-02", since1970(86_400)), .init(1_500, nil),
                .init("1500", nil),
            ]),
        conversions(
            "dates-of-others", "date", "the formats of one attribute are not those of another",
            mapping: ImportMapping().dates(.millisecondsSince1970).dates(.pattern("dd.MM.yyyy"), for: "text"),
            [.init(1_500, since1970(1.5)), .init("02.01.1970", nil)]),
        conversions(
            "dates-refused", "date", "what is no date leaves the old one",
            [
                .init("", nil), .init("yesterday", nil), .init("2023-02-29", nil), .init("2024-13-01", nil),
                .init(true, nil),
                .init([], nil), .init(.double(.nan), nil), .init(.double(.infinity), nil),
            ]),
        conversions(
            "uuids", "uuid", "UUIDs are read with and without hyphens, in any case, and from bytes",
            [
                .init("12345678-9abc-def0-1234-56789abcdef0", uuidBytes),
                .init("12345678-9ABC-DEF0-1234-56789ABCDEF0", uuidBytes),
                .init("123456789abcdef0123456789abcdef0", uuidBytes), .init("12345678-9abc", nil), .init("", nil),
                .init(.data(Data(uuidData)), uuidBytes),
                .init(5, nil), .init(.data(Data([1, 2])), nil), .init(.data(Data(repeating: 1, count: 17)), nil),
            ]),
        conversions(
            "urls", "url", "URLs are read from strings",
            [
                .init("https://example.org/a?b=c", .string("https://example.org/a?b=c")), .init("", nil), .init(5, nil),
                .init([], nil),
            ]),
        conversions(
            "data-base64", "data", "data is base64 in either alphabet, or an array of bytes",
            [
                .init("AQID", bytes(1, 2, 3)), .init("AQI=", bytes(1, 2)), .init("AQI", bytes(1, 2)),
                .init("-_8=", bytes(0xFB, 0xFF)), .init("+/8=", bytes(0xFB, 0xFF)), .init(.data(Data([9])), bytes(9)),
                .init([1, 2, 255], bytes(1, 2, 255)), .init([256], nil), .init("!!!!", nil), .init(5, nil),
            ]),
        conversions(
            "data-hex", "bytes", "data is hexadecimal where the mapping says so",
            mapping: ImportMapping().data(.hex, for: "bytes"),
            [
                .init("0aFF", bytes(0x0A, 0xFF)), .init("", bytes()), .init("0a0", nil), .init("zz", nil),
            ]),
        conversions(
            "enums", "mood", "the raw values of an enum are taken, others keep the old case",
            [.init("calm", .string("calm")), .init("furious", nil), .init("", nil)]),
        conversions(
            "null", "text", "null clears an optional attribute", [.init(nil, .null)]),
        conversions(
            "codable", "json", "objects become Codable values, which refuse what they cannot decode",
            [
                .init(["tags": ["a"], "depth": 5], .string(#"{"depth":5,"tags":["a"]}"#)),
                .init(["depth": "high"], nil),
                .init(5, nil),
            ]),
        ConformanceCase(
            "import.convert-enum-numbers", in: .importing,
            "the raw values of an enum of integers are taken in any form, others keep the old case"
        ) { trial in
            try trial.open(Schema(Task.self))
            let values: [(ImportValue, Level?)] = [
                (1, .low), ("5", .high), (5.0, .high), (.decimal("1e0"), .low), (true, .low), (2, nil), ("high", nil),
                ("1.5", nil), (.decimal("1e30"), nil), ([1], nil),
            ]
            try trial.write { tx in
                for (value, level) in values {
                    try Task.deleteAll(in: tx)
                    try tx.insert(Task(id: 1, level: .middle))
                    let result = try tx.import([["id": 1, "level": value]] as ImportValue, as: Task.self)
                    try expectEqual(try tx.find(Task.self, 1)?.level, level ?? .middle, "\(value)")
                    try expectEqual(result.report.issues.map(\.path), level == nil ? ["$[0].level"] : [], "\(value)")
                }
                try expectEqual(
                    try tx.import(.json(.text(#"[{"id": 2, "level": 5}]"#)), as: Task.self).records.map(\.level),
                    [.high])
                try tx.import([["id": 2, "level": nil]] as ImportValue, as: Task.self)
                try expectEqual(try tx.find(Task.self, 2)?.level, nil)
            }
        },
        ConformanceCase(
            "import.convert-list", in: .importing, "one value in the place of an array is an array of one"
        ) { trial in
            try trial.open(Schema(Basket.self))
            try trial.write { tx in
                let source: ImportValue = [
                    ["id": 1, "fruits": "pear"], ["id": 2, "fruits": ["fig", "pear"]], ["id": 3, "fruits": []],
                ]
                let result = try tx.import(source, as: Basket.self)
                try expectEqual(result.records.map(\.fruits.value), [["pear"], ["fig", "pear"], []])
                try expectEqual(result.report.issueCount, 0)
                try expectEqual(try tx.import(source, as: Basket.self).report.counts, [0, 0, 3, 0, 0])
                let numbers: ImportValue = [["id": 1, "fruits": 7], ["id": 2, "fruits": [7]]]
                let wrong = try tx.import(numbers, as: Basket.self)
                try expectEqual(wrong.records.map(\.fruits.value), [["pear"], ["fig", "pear"]])
                try expectEqual(wrong.report.issues.map(\.path), ["$[0].fruits", "$[1].fruits"])
            }
        },
    ]
}

private enum Level: Int64, AttributeValue { case low = 1, middle = 3, high = 5 }

/// A record with an enum of integers.
private struct Task: Record, Equatable {
    var id: Int64
    var level: Level?

    static let entityName = "Task"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("level", Level?.self)])
    static let fields = 0

    init(id: Int64, level: Level?) { (self.id, self.level) = (id, level) }

    init(row: borrowing Row) throws { (id, level) = (try row.decode(at: 0), try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(level, at: 1)
    }
}

/// A record with a list of values.
private struct Basket: Record {
    var id: Int64
    var fruits: JSON<[String]>

    static let entityName = "Basket"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("fruits", JSON<[String]>.self)])
    static let fields = 0

    init(row: borrowing Row) throws { (id, fruits) = (try row.decode(at: 0), try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(fruits, at: 1)
    }
}
