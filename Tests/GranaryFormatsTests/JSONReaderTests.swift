import GranaryFormats
import TestSupport
import Testing

struct JSONReaderTests {
    private func number(_ text: String) throws -> (int64: Int64?, uint64: UInt64?, double: Double?, text: String) {
        var reader = try JSONReader(.text(text))
        #expect(try reader.next() == .number)
        return (reader.int64, reader.uint64, reader.double, reader.string)
    }

    @Test(
        arguments: [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("0", 0), ("-0", 0), ("5.0", 5), ("0.5e1", 5), ("5.5", nil), ("1e3", 1000),
            ("1e-3", nil),
            ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("120e-1", 12), ("0e99999", 0), ("1e99999", nil),
            ("1000000000000000000000e-20", 10), ("1.00000000000000000000000", 1), ("18446744073709551616", nil),
            ("9223372036854775807.0", .max), ("0.0000000000000000000000000000007e31", 7),
            ("100000000000000000001", nil),
        ] as [(String, Int64?)])
    func `whole numbers are exact`(_ text: String, _ expected: Int64?) throws {
        #expect(try number(text).int64 == expected)
    }

    @Test func `unsigned integers reach beyond Int64`() throws {
        #expect(try number("18446744073709551615").uint64 == .max)
        #expect(try number("18446744073709551616").uint64 == nil)
        #expect(try number("-1").uint64 == nil)
    }

    @Test(arguments: [
        "0.1", "1e22", "1e23", "123456789.123456789", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308",
        "1e400",
        "9007199254740993", "0.30000000000000004", "42.50729", "179769313486231580793728971405301e276",
        "2.47032822920623272e-324", "9223372036854775807", "123456789012345678901234567890", "-1.5",
        "7.2057594037927933e16", "1.00000000000000011102230246251565404236316680908203124",
    ])
    func `doubles are the nearest ones`(_ text: String) throws {
        #expect(try number(text).double == Double(text))
    }

    @Test func `doubles of any number of digits are the nearest ones`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(64))
        for _ in 0..<1000 {
            let digits = numbers.next() >> UInt64.random(in: 0..<64, using: &numbers)
            let shift = Int.random(in: -30...30, using: &numbers)
            // Halfway between two doubles, where a digit more decides.
            let half =
                (UInt64.random(in: 1 << 52..<1 << 53, using: &numbers) << 1 | 1)
                << UInt64.random(in: 0...9, using: &numbers)
            let double = Double(bitPattern: digits | 1 << 62)
            for text in ["\(digits)e\(shift)", "\(half)", "\(half)00000e-5", double.isFinite ? "\(double)" : "0"] {
                let expected = try #require(Double(text))
                guard expected.isFinite else { continue }
                if try number(text).double != expected { Issue.record("\(text)") }
            }
        }
    }

    @Test func `a number keeps its digits`() throws {
        #expect(try number("1234567890.12345678901234567890").text == "1234567890.12345678901234567890")
    }

    @Test func `after an error there is no text, and after other values no number`() throws {
        var reader = try JSONReader(.text("[1,\"\\u0041\",\"" + String(repeating: "\\n", count: 200_000) + "\u{1}"))
        for _ in 0..<2 { _ = try reader.next() }
        #expect(reader.int64 == 1)
        _ = try reader.next()
        #expect(reader.string == "A")
        #expect(reader.int64 == nil)
        #expect(throws: GranaryError.self) { try reader.next() }
        #expect(reader.text.isEmpty)
    }

    @Test func `a number ends after a leading zero`() throws {
        var reader = try JSONReader(.text("[012]"))
        _ = try reader.next()
        #expect(try reader.next() == .number)
        #expect(reader.int64 == 0)
        #expect(reader.double == 0)
        #expect(throws: GranaryError.self) { try reader.next() }
    }

    @Test func `a text is too long before an escape that is refused, whatever the chunks`() {
        let bytes = Array(#"["1234567\u00e9\udc00and more"]"#.utf8)
        for chunk in chunkSizes {
            #expect(failure(bytes, JSONOptions(maximumTextLength: 8), chunk: chunk)?.code == .limit)
            #expect(failure(bytes, chunk: chunk)?.code == .invalidInput)
        }
    }

    @Test func `skip passes over what the last event has begun`() throws {
        var reader = try JSONReader(.text(#"{"a":{"b":[1,{"c":2}]},"d":[[1],2],"e":3}"#))
        _ = try reader.next()
        _ = try reader.next()
        try reader.skip()
        #expect(try reader.next() == .key)
        #expect(reader.string == "d")
        #expect(try reader.next() == .beginArray)
        _ = try reader.next()
        try reader.skip()
        #expect(try reader.next() == .number)
        try reader.skip()
        #expect(reader.string == "2")
        #expect(try reader.next() == .endArray)
        #expect(try reader.next() == .key)
        try reader.skip()
        #expect(try reader.next() == .endObject)
        #expect(try reader.next() == .end)
    }

    @Test func `what is skipped is checked`() throws {
        var reader = try JSONReader(.text(#"{"a":[1,01]}"#))
        _ = try reader.next()
        _ = try reader.next()
        #expect(throws: GranaryError.self) { try reader.skip() }
    }

    @Test func `the path and the line say where a value is`() throws {
        var reader = try JSONReader(
            .text("{\"artists\":[\n1,2,{},\n{\"name\":\"A\",\"born on\":1.5}]}", name: "music.json"))
        while try reader.next() != .end {
            if reader.depth == 3, reader.double == 1.5 { break }
        }
        #expect(reader.path == #"$.artists[3]["born on"]"#)
        #expect(reader.position.line == 3)
        #expect(reader.position.offset == 43)
        #expect(reader.position.description == #"music.json, line 3, byte 43, $.artists[3]["born on"]"#)
    }

    @Test func `an error says where, and stays`() throws {
        var reader = try JSONReader(.text("{\"a\":\n[1,2,x]}", name: "a.json"))
        for _ in 0..<5 { _ = try reader.next() }
        for _ in 0..<2 {
            let error = #expect(throws: GranaryError.self) { try reader.next() }
            #expect(error?.code == .invalidInput)
            #expect(error?.position == InputPosition(source: "a.json", line: 2, offset: 11, path: "$.a[2]"))
            #expect(error?.message == "a.json, line 2, byte 11, $.a[2]: There is \"x\" where a value should be.")
        }
    }

    @Test func `a key that comes twice is an error, or one of them counts`() {
        let text = #"{"a":1,"b":[2],"a":{"c":3},"d":4,"a":5}"#
        #expect(trace(text, JSONOptions(duplicateKeys: .first)) == "{ a: 1 b: [ 2 ] d: 4 } ; ")
        #expect(trace(text, JSONOptions(duplicateKeys: .last)) == "{ a: 1 b: [ 2 ] a: { c: 3 } d: 4 a: 5 } ; ")
        #expect(failure(Array(text.utf8))?.position?.path == "$.a")
    }

    @Test func `keys that come twice are found in objects of any shape`() {
        // Objects with keys in other orders, without some, and with more than are remembered from object to object.
        let objects = [
            #"{"a":1,"b":2,"c":3}"#, #"{"c":1,"b":2,"a":3}"#, #"{"b":1}"#, #"{"x":1,"a":2,"y":3}"#,
            #"{"c":0,"a":{"a":1}}"#,
            "{" + (0..<1000).map { "\"k\($0)\":0" }.joined(separator: ",") + "}",
        ]
        #expect(failure(Array("[\((objects + objects).joined(separator: ","))]".utf8)) == nil)
        for key in ["a", "b", "c", "k0", "k63", "k64", "k999"] {
            let more =
                objects + [
                    "{"
                        + (["a", "b", "c"] + (0..<1000).map { "k\($0)" } + [key]).map { "\"\($0)\":0" }.joined(
                            separator: ",") + "}"
                ]
            #expect(failure(Array("[\(more.joined(separator: ","))]".utf8))?.position?.path == "$[6].\(key)")
        }
    }

    @Test func `the depth is limited`() {
        let three = JSONOptions(maximumDepth: 3)
        #expect(failure(Array("[{\"a\":[1]}]".utf8), three) == nil)
        #expect(failure(Array("[{\"a\":[[1]]}]".utf8), three)?.code == .limit)
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(failure(Array(deep.utf8), JSONOptions(maximumDepth: .max)) == nil)
    }

    @Test(arguments: chunkSizes) func `the length of a text is limited`(_ chunk: Int) {
        let options = JSONOptions(maximumTextLength: 10)
        #expect(failure(Array(#"["1234567890"]"#.utf8), options, chunk: chunk) == nil)
        #expect(failure(Array(#"["12345678901"]"#.utf8), options, chunk: chunk)?.code == .limit)
        #expect(failure(Array(#"["1234567é\u00e9"]"#.utf8), options, chunk: chunk)?.code == .limit)
    }

    @Test func `a matcher finds keys in any order, and those that are not there`() {
        var keys = KeyMatcher(["id", "name", "born", "", "name", "ключ"])
        func place(_ key: String) -> Int? { Array(key.utf8).withUnsafeBytes { keys.index(of: $0) } }
        for _ in 0..<3 {
            for (key, expected) in [("id", 0), ("name", 1), ("born", 2), ("", 3), ("ключ", 5)] {
                #expect(place(key) == expected)
            }
            for (key, expected) in [("born", 2), ("id", 0), ("ключ", 5), ("x", nil), ("Name", nil), ("name", 1)] {
                #expect(place(key) == expected)
            }
        }
        var none = KeyMatcher([])
        #expect(none.index(of: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }
}
