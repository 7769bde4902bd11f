import GranaryFormats
import TestSupport
import Testing

/// The values that a reader gives at once are those that it gives by events.
struct PlainValuesTests {
    private static let policies = [JSONOptions.DuplicateKeys.error, .first, .last]

    private func plainCount(_ text: String, _ options: JSONOptions = JSONOptions()) -> Int {
        PlainTrace(Array(text.utf8), .plainFirst, options).plainCount
    }

    @Test func `values are plain where the keys of earlier objects come again, in their order`() {
        #expect(plainCount(#"{"a":1,"b":2}"#) == 0)
        #expect(plainCount(#"[{"a":1,"b":2},{"a":3,"b":"c"}]"#) == 2)
        #expect(plainCount(#"[{"a":1,"b":2}, {"a": null, "b": true}]"#) == 2)
        #expect(plainCount(#"[{"a":1,"b":2},{"b":3,"a":"c"}]"#) == 0)
        #expect(plainCount(#"[{"a":1,"b":2,"c":3},{"x":0,"b":3,"c":-4.5e1}]"#) == 1)
        #expect(plainCount(#"[{"a":1,"b":2,"c":3},{"a":0,"c":3}]"#) == 1)
        #expect(plainCount(#"[{"a":1},{"a":"\n"},{"a":[]},{"a" :1},{"a":1 },{"a":1}]"#) == 1)
        #expect(plainCount(#"[1,"é", true,false,null,-0,1e5]"#) == 7)
        #expect(plainCount("1") == 0)
        // The keys of an object are not remembered where they are not compared.
        #expect(plainCount(#"[{"a":1},{"a":1}]"#, JSONOptions(duplicateKeys: .last)) == 0)
    }

    @Test func `no more than 64 values are given at once, and none is left out`() {
        let keys = (0..<70).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        #expect(expectSameReading(Array("[{\(keys)},{\(keys)},{\(keys)}]".utf8)) > 2 * 64)
        let elements = (0..<200).map(String.init).joined(separator: ",")
        #expect(plainCount("[\(elements)]") == 200)
        expectSameReading(Array("[\(elements)]".utf8))
    }

    @Test func `a key is known by all its bytes, however long it is`() {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for length in 0...40 {
            let key = Array(letters[..<length])
            var others = [key + [0x78], Array(key.dropLast()), key]
            for place in 0..<length {
                var other = key
                other[place] = UInt8(ascii: "_")
                others.append(other)
            }
            for other in others {
                let first = Array("[{\"".utf8) + key + Array("\":1},{\"".utf8)
                let bytes = first + other + Array("\":2,\"z\":3}]".utf8)
                // Where the comparison of words ends.
                let isCut = [0, 7, 8, 15, 16, 31].contains(length) && other == key
                let count = expectSameReading(bytes, sizes: isCut ? everyCut(bytes.count) : [[first.count + 9]])
                if other != key { #expect(count == 0, "\(length)") }
            }
        }
    }

    @Test func `keys with characters of all lengths and with escapes are known`() {
        for key in [
            "", " ", "é", "名前", "😀", "a\\\"b", "\\u0061", "\\\\", "\\/", "/", "\u{7F}", "é234567890123456",
            "012345678901234é", "0123456789012345678901234567890é",
        ] {
            let bytes = Array("[{\"\(key)\":1},{\"\(key)\":\"x\"},{\"\(key)\":2,\"\(key)\":3}]".utf8)
            for policy in PlainValuesTests.policies {
                expectSameReading(bytes, JSONOptions(duplicateKeys: policy), sizes: everyCut(bytes.count), key)
            }
        }
    }

    @Test func `a key that comes twice is found among plain values`() {
        for objects in [
            #"{"a":1,"b":2},{"a":3,"a":4,"b":5}"#, #"{"a":1,"b":2},{"a":3,"b":4,"a":5}"#,
            #"{"a":1,"b":2},{"b":3,"a":4,"b":5}"#, #"{"a":1,"b":2,"c":3},{"a":1,"\u0062":2,"b":3,"c":4}"#,
            #"{"a":1,"b":2,"a":3},{"a":1,"b":2,"b":3,"a":4}"#, #"{"a":{"b":1,"b":2}},{"a":{"b":3,"b":4}}"#,
            #"{"a":1,"b":2},{"c":1,"a":2,"b":3,"c":4}"#,
        ] {
            let bytes = Array("[\(objects)]".utf8)
            for policy in PlainValuesTests.policies {
                expectSameReading(bytes, JSONOptions(duplicateKeys: policy), sizes: everyCut(bytes.count))
            }
        }
    }

    @Test func `numbers of all forms are the same`() {
        let digits = [1, 18, 19, 20].flatMap { count in
            ["1", "9"].map { String(repeating: $0, count: count) } + ["1" + String(repeating: "0", count: count)]
        }
        let whole = digits + ["0", "9223372036854775807", "9223372036854775808", "18446744073709551616"]
        let forms = whole.flatMap { [$0, "-\($0)", "\($0).0", "\($0).25", "\($0)e2", "-\($0)E-3", "0\($0)", "\($0)."] }
        let other = ["-", "+1", ".5", "1e", "1e+", "1e400", "-1e400", "1e-400", "1x", "1 ", "1\t", "1\0", "0x1", "--1"]
        for number in forms + other {
            let bytes = Array("[{\"a\":0},{\"a\":\(number)},[\(number),\(number)]]".utf8)
            expectSameReading(bytes, sizes: everyCut(bytes.count, from: 12), number)
        }
    }

    @Test func `strings of all forms are the same`() {
        let letters: [[UInt8]] = [
            [0x61], Array("é".utf8), Array("漢".utf8), Array("😀".utf8), Array("\\n".utf8), Array("\\u0041".utf8),
            Array("\\ud83d\\ude00".utf8), Array("\\ud800".utf8), Array("\\udc00".utf8), [0xFF], [0xC3],
            [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF], [0], [0x0A], [0x1F], [0x7F], [0x22], [0x5C],
        ]
        for letter in letters {
            for before in [0, 1, 6, 7, 8, 20] {
                let value = [0x22] + [UInt8](repeating: 0x62, count: before) + letter + letter + [0x22]
                let member = Array("[{\"a\":0},{\"a\":".utf8) + value + Array("},[".utf8)
                let bytes = member + value + Array(",".utf8) + value + Array("]]".utf8)
                expectSameReading(bytes, sizes: before < 9 ? everyCut(bytes.count) : chunkSizes.map { [$0] })
            }
        }
        for length in 0...12 {
            let bytes = Array("[{\"a\":0},{\"a\":\"\(String(repeating: "é", count: length))\"},[\"abcdefgh\"]]".utf8)
            expectSameReading(bytes, JSONOptions(maximumTextLength: 8))
        }
    }

    @Test func `white space is the same wherever it is`() {
        let tokens = [
            "[", "{", "\"a\"", ":", "0", "}", ",", "{", "\"a\"", ":", "1", ",", "\"b\"", ":", "[", "2", ",", "3",
        ]
        for place in 0...tokens.count + 3 {
            for space in [" ", "  ", "\t", "\n", "\r\n", " \n ", "\u{0B}", "\u{A0}"] {
                var all = tokens + ["]", "}", "]"]
                all.insert(space, at: place)
                let bytes = Array(all.joined().utf8)
                expectSameReading(bytes, sizes: everyCut(bytes.count))
                expectSameReading(bytes, JSONOptions(layout: .lines), sizes: [[1], [3], [7]])
            }
        }
    }

    @Test func `values that lie at the end of the window are the same`() {
        let record = "{\"name\":\"é𝄞\",\"a key with 31 bytes, all of them\":-1.5e-3, \"on\":true,\"n\":1234567890123}"
        let document = Array("[\(record),\(record),[null,false,\"a\"]]".utf8)
        for before in 65_536 - document.count - 2...65_536 + 2 {
            let bytes = [UInt8](repeating: 0x20, count: before) + document
            let expected = PlainTrace(bytes, .events)
            let trace = PlainTrace(bytes, .plainFirst)
            #expect(trace.difference(from: expected) == nil, "\(before)")
        }
        // What an earlier, longer part of the input has left behind the window's end is not read.
        for size in 1...document.count {
            for next in [1, 5, document.count] {
                expectSameReading(document, sizes: [[document.count - size + 1, size, next]])
            }
        }
    }
}
