import GranaryCore
import Testing

@testable import GranaryKeyValue

/// The entries of an engine's keyspace as hexadecimal text.
func entries(_ engine: SortedArrayEngine, _ keyspace: UInt32) throws -> [(key: String, value: String)] {
    let reader = engine.beginRead()
    defer { reader.end() }
    let cursor = try reader.cursor(in: Keyspace(keyspace))
    var result: [(String, String)] = []
    var entry = try cursor.first()
    while let found = entry {
        result.append((hex(Array(found.key)), hex(Array(found.value))))
        entry = try cursor.next()
    }
    return result
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

@Suite struct KeyBytesTests {
    private func encoded(_ value: Value, _ kind: ValueKind, limit: Int = 1000) -> String {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1100, alignment: 8)
        defer { buffer.deallocate() }
        var encoder = KeyEncoder(buffer, limit: limit)
        value.withCell { encoder.putTagged($0, as: kind) }
        return hex(Array(UnsafeRawBufferPointer(start: buffer, count: encoder.count))) + (encoder.isCut ? " cut" : "")
    }

    @Test func `values in a key have these bytes`() {
        #expect(encoded(nil, .int64) == "00")
        #expect(encoded(0, .int64) == "018000000000000000")
        #expect(encoded(-1, .int8) == "017fffffffffffffff")
        #expect(encoded(1, .bool) == "0101")
        #expect(encoded(1.0, .double) == "01bff0000000000000")
        #expect(encoded(-1.0, .double) == "01400fffffffffffff")
        #expect(encoded(.real(-0.0), .double) == "018000000000000000")
        #expect(encoded("ab", .text) == "0161620000")
        #expect(encoded("a\0b\0", .text) == "016100ff6200ff0000")
        #expect(encoded("", .text) == "010000")
        #expect(encoded(.bytes(Array(1...16)), .uuid) == "010102030405060708090a0b0c0d0e0f10")
    }

    @Test func `a value that does not fit is cut at the limit`() {
        #expect(encoded("abcdef", .text, limit: 4) == "01616263 cut")
        #expect(encoded("abc", .text, limit: 4) == "01616263 cut")
        #expect(encoded("ab", .text, limit: 5) == "0161620000")
        #expect(encoded("a\0", .text, limit: 3) == "016100 cut")
        #expect(encoded(1, .int64, limit: 4) == "01800000 cut")
    }

    @Test func `the order of the bytes is the order of the values`() {
        let texts: [Value] = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "ab", "b", "\u{7F}", "é", "\u{10FFFF}"]
        let numbers: [Value] = [
            -.infinity, -1e300, -1.5, -1.0, -.leastNonzeroMagnitude, 0.0, .leastNonzeroMagnitude, 1.0, 1.5, .infinity,
        ].map { .real($0) }
        let integers: [Value] = [.integer(.min), -256, -1, 0, 1, 255, 256, .integer(.max)]
        for (values, kind) in [(texts, ValueKind.text), (numbers, .double), (integers, .int64)] {
            for left in [.null] + values {
                for right in [.null] + values {
                    #expect((left < right) == (encoded(left, kind) < encoded(right, kind)), "\(left) \(right)")
                }
            }
        }
    }

    @Test func `an index's entry is its values and the row's key`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        try store.write { try $0.insert([7, "Can", nil, 1]) }
        #expect(try entries(engine, 1).map(\.key) == ["8000000000000007"])
        #expect(try entries(engine, 2).map(\.key) == ["0143616e0000" + "8000000000000007"])
        #expect(try entries(engine, 3).map(\.key) == ["00" + "0143616e0000" + "8000000000000007"])
        #expect(try entries(engine, 2).map(\.value) == [""])
    }

    @Test func `the successor of a prefix is after all that begins with it`() {
        #expect(successorOfPrefix([1, 2]) == [1, 3])
        #expect(successorOfPrefix([1, 0xFF]) == [2])
        #expect(successorOfPrefix([0xFF, 0xFF]) == nil)
    }

    @Test func `keys stay within what the smallest engine takes`() throws {
        let engine = SortedArrayEngine()
        let entity = Entity(
            "Word", key: "text", attributes: [Attribute("text", .string), Attribute("other", .string)],
            indexes: [.unique("other", "text")])
        let store = try newStore(entity, engine: engine)
        try store.write { writer in
            for length in [0, 1, 160, 161, 162, 163, 164, 200, 270, 271, 272, 273, 274, 10_000] {
                for letter in ["a", "\0", "é"] {
                    let text = String(repeating: letter, count: length)
                    try writer.upsert([.string(text + letter), .string(text)])
                }
            }
        }
        for keyspace: UInt32 in [1, 2] {
            #expect(try entries(engine, keyspace).allSatisfy { $0.key.count <= 2 * KeyFormat.longest })
        }
        #expect(try store.verify() == [])
    }
}
