import Foundation
import Granary
import Testing

@testable import GranaryStoreKit
@testable import GranaryTool

/// Values as they are shown, and as they are read from the command line.
struct ValueTextTests {
    @Test func `a date is shown in the shortest form that is read back exactly`() {
        #expect(DateText.text(0) == "2001-01-01T00:00:00Z")
        #expect(DateText.text(-63_113_904_000) == "0001-01-01T00:00:00Z")
        #expect(DateText.text(252_423_993_599.5) == "9999-12-31T23:59:59.5Z")
        #expect(DateText.text(736_214_400) == "2024-05-01T00:00:00Z")
        #expect(DateText.text(99_705_600) == "2004-02-29T00:00:00Z")
        #expect(DateText.text(252_423_993_600) == nil && DateText.text(-1e300) == nil)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let whole = Double(Int.random(in: -63_113_904_000..<252_423_993_600, using: &generator))
            #expect(DateText.seconds(of: DateText.text(whole) ?? "") == whole)
            // Times of our age, to a tenth of a microsecond.
            let exact = Double.random(in: 0..<1_000_000_000, using: &generator)
            let text = DateText.text(exact) ?? ""
            #expect(DateText.seconds(of: text) == exact, "\(text), \(exact)")
        }
    }

    @Test func `a value that is shown is read back as the same`() throws {
        let values: [(AttributeType, StoredValue)] = [
            (.bool, .integer(1)), (.int8, .integer(-128)), (.uint64, .integer(.max)), (.int64, .integer(.min)),
            (.float, .real(Double(Float(0.1)))), (.double, .real(0.1)), (.double, .real(-1e300)), (.date, .real(-0.25)),
            (.string, .string("a,\"b\"\nc")), (.url, .string("https://a.b/c")), (.data, .bytes([0, 255, 10])),
            (.uuid, .bytes(Array(0..<16))), (.json, .string("{\"a\":1}")), (.scaledDecimal(places: 2), .integer(-5)),
            (.scaledDecimal(places: 0), .integer(7)),
            (.decimal, try StoredValue(encoding: Decimal(string: "-12.345") ?? 0)),
        ]
        for (type, value) in values {
            let entity = Entity("E", key: "v", attributes: [Attribute("v", type)])
            let text = try #require(value.text(as: type))
            #expect(try entity.attributes[0].value(fromText: text, in: entity) == value, "\(type): \(text)")
        }
    }

    @Test func `JSON has an escape for each sign that needs one`() throws {
        let value = JSONText.object([
            ("a\"\\", .array([.string("\n\u{1}é\u{9B}"), .null, .bool(true), .number("1.50")])), ("b", .object([])),
            ("c", .raw("{ \"d\": [1.0] }")),
        ])
        #expect(try value.compact == #"{"a\"\\":["\n\u0001é\u009b",null,true,1.50],"b":{},"c":{"d":[1.0]}}"#)
        #expect(
            try value.pretty
                == "{\n  \"a\\\"\\\\\": [\n    \"\\n\\u0001é\\u009b\",\n    null,\n    true,\n    1.50\n  ],\n  \"b\": {},\n"
                + "  \"c\": {\n    \"d\": [\n      1.0\n    ]\n  }\n}")
        let numbers: [(AttributeType, StoredValue)] = [
            (.double, .real(.infinity)), (.float, .real(1e20)),
        ]
        let texts = try numbers.map { try $1.json(as: $0).compact }
        #expect(texts == ["\"inf\"", "1e+20"])
    }
}
