import Testing

@testable import GranaryModel

struct JSONPathValueTests {
    private func value(_ kind: JSONScalarKind, _ path: String, _ json: String) throws -> StoredValue {
        let path = try JSONPath(path)
        return Array(json.utf8).withUnsafeBytes { path.value(as: kind, in: $0) }
    }

    private static let document = #"""
        {"name": "Nacht", "count": 3, "on": true, "off": false, "none": null, "ratio": 0.25,
         "theme": {"name": "dark", "odd key": {"x": 1}}, "tags": ["a", ["b", "c"], {"d": -7}], "": {"": "empty"}}
        """#

    @Test(
        arguments: [
            (.int8, -128, 127), (.int16, -32_768, 32_767), (.int32, -2_147_483_648, 2_147_483_647), (.uint8, 0, 255),
            (.uint16, 0, 65_535), (.uint32, 0, 4_294_967_295), (.uint64, 0, .max), (.integer, .min, .max),
        ] as [(JSONScalarKind, Int64, Int64)])
    func `an integer beyond its type is nil`(_ kind: JSONScalarKind, _ least: Int64, _ greatest: Int64) throws {
        for number in [least, greatest] {
            #expect(try value(kind, "n", "{\"n\":\(number)}") == .integer(number))
        }
        if least > .min { #expect(try value(kind, "n", "{\"n\":\(least - 1)}") == .null) }
        if greatest < .max { #expect(try value(kind, "n", "{\"n\":\(greatest + 1)}") == .null) }
    }

    @Test(
        arguments: [
            (.text, "name", .string("Nacht")), (.integer, "count", .integer(3)), (.real, "count", .real(3)),
            (.bool, "on", .integer(1)), (.bool, "off", .integer(0)), (.real, "ratio", .real(0.25)),
            (.text, "theme.name", .string("dark")), (.integer, #"theme."odd key".x"#, .integer(1)),
            (.text, "tags[0]", .string("a")), (.text, "tags[1][1]", .string("c")),
            (.integer, "tags[2].d", .integer(-7)),
            (.text, "\"\".\"\"", .string("empty")),
        ] as [(JSONScalarKind, String, StoredValue)])
    func `the value at a path`(_ kind: JSONScalarKind, _ path: String, _ expected: StoredValue) throws {
        #expect(try value(kind, path, JSONPathValueTests.document) == expected)
    }

    @Test(
        arguments: [
            (.text, "none"), (.text, "absent"), (.text, "theme"), (.text, "tags"), (.text, "count"), (.integer, "name"),
            (.integer, "on"), (.integer, "ratio"), (.bool, "count"), (.real, "on"), (.text, "tags[3]"),
            (.text, "name.x"),
            (.text, "name[0]"), (.text, "tags.a"), (.text, "theme[0]"), (.text, "tags[1][2]"), (.integer, "none"),
        ] as [(JSONScalarKind, String)])
    func `absent, null, containers and other kinds are nil`(_ kind: JSONScalarKind, _ path: String) throws {
        #expect(try value(kind, path, JSONPathValueTests.document) == .null)
    }

    @Test(
        arguments: [
            ("2", 2), ("-2", -2), ("0", 0), ("-0", 0), ("2.0", 2), ("2.5", nil), ("1e3", 1000), ("1.5E+1", 15),
            ("2000e-3", 2), ("25e-1", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("9223372036854775807.0", .max),
            ("922337203685477580.7e1", .max), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
            ("0e999999999999999999999", 0),
            ("1e-999999999999999999999", nil), ("100000000000000000000000e-23", 1),
            ("0.00000000000000000000000000005e29", 5),
            ("1.00000000000000000000000000000000001", nil), ("99999999999999999999999", nil),
        ] as [(String, Int64?)])
    func `whole numbers however they are written`(_ number: String, _ expected: Int64?) throws {
        #expect(try value(.integer, "a", #"{"a":\#(number)}"#) == expected.map { .integer($0) } ?? .null)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0e5", 0), ("0.1", 0.1), ("-12.5e-3", -0.0125), ("9007199254740993", 0x1p53),
            ("9223372036854775808", 0x1p63), ("123456789012345678901234567890", 123456789012345677877719597056),
            ("1e308", 1e308), ("1e309", .infinity), ("-1e999", -.infinity), ("5e-324", .leastNonzeroMagnitude),
            ("1e-400", 0),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
        ] as [(String, Double)])
    func `numbers are the nearest double`(_ number: String, _ expected: Double) throws {
        #expect(try value(.real, "[0]", "[\(number)]") == .real(expected))
    }

    @Test(arguments: [
        "01", "+1", ".5", "1.", "1.e2", "1e", "1e+", "-", "--1", "0x10", "1 2", "NaN", "Infinity", "1a", "1-2",
    ])
    func `what JSON does not call a number is nil`(_ number: String) throws {
        let expected: StoredValue = number == "1 2" ? .integer(1) : .null
        #expect(try value(.integer, "a", #"{"a":\#(number)}"#) == expected)
        #expect(try value(.real, "a", #"{"a":\#(number)}"#) == (number == "1 2" ? .real(1) : .null))
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""a\"b\\c\/d""#, #"a"b\c/d"#), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00!""#, "😀!"), (#""a\u0000b""#, "a\0b"), (#""é😀""#, "é😀"),
        ] as [(String, String)])
    func `strings without their escapes`(_ json: String, _ expected: String) throws {
        #expect(try value(.text, "a.b", #"{"a":{"b":\#(json)}}"#) == .string(expected))
    }

    @Test(arguments: [
        #""\x""#, #""\u12""#, #""\u12G4""#, #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ude00""#, "\"a\nb\"",
        #""abc"#, #""abc\"#,
    ])
    func `strings that are not valid are nil`(_ json: String) throws {
        #expect(try value(.text, "[0]", "[\(json)") == .null)
        #expect(try value(.text, "[0]", "[\(json)]") == .null)
    }

    @Test func `text that is not UTF-8 is nil`() throws {
        let path = try JSONPath("[0]")
        let bytes: [UInt8] = Array("[\"a".utf8) + [0xFF] + Array("\"]".utf8)
        #expect(bytes.withUnsafeBytes { path.value(as: .text, in: $0) } == .null)
    }

    @Test func `keys are compared without their escapes, and the first counts`() throws {
        #expect(try value(.integer, "é", #"{"e":0,"\u00e9":1,"é":2}"#) == .integer(1))
        #expect(try value(.integer, "a.b", #"{"a":{"b":1},"a":{"b":2}}"#) == .integer(1))
        #expect(try value(.integer, "a.c", #"{"a":{"b":1},"a":{"c":2}}"#) == .null)
        #expect(try value(.integer, "a", #"{"ab":0,"":1,"a":2}"#) == .integer(2))
    }

    @Test func `depth costs nothing`() throws {
        let deep = String(repeating: "[", count: 200_000) + "7" + String(repeating: "]", count: 200_000)
        #expect(try value(.integer, "b", "{\"a\":\(deep),\"b\":5}") == .integer(5))
        #expect(try value(.integer, "b", "{\"a\":\(deep.dropLast(1)),\"b\":5}") == .null)
    }

    @Test func `white space is where JSON allows it`() throws {
        #expect(try value(.integer, "a[1]", " {\n\"a\"\t: [ 1 ,\r2 ] } ") == .integer(2))
        #expect(try value(.bool, "a", "{\"a\":true }") == .integer(1))
        #expect(try value(.bool, "a", "{\"a\":truex}") == .null)
    }
}
