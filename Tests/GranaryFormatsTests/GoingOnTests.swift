import GranaryFormats
import Testing

/// What is read after a fault: only what is broken is lost.
struct GoingOnTests {
    @Test(arguments: [
        // A quote that is never closed, before the quote of a later row, a row without quotes, and the end.
        (
            "1,a\n2,\"b\n3,c\n4,d\n5,\"e\"x\n6,f\n",
            "[1][a] <invalidInput: test, line 2, byte 6, column 2: The field begins with a quote that is not closed in the right way up to line 5. Close it, or double quotes that belong to the field.> [3][c] [4][d] <invalidInput: test, line 5, byte 22, column 2: There is something between a closing quote and the delimiter. Double quotes that belong to the field.> [6][f] "
        ),
        (
            "1,a\n2,\"b \"\"x\"\"\n3,c\n4,d",
            "[1][a] <invalidInput: test, line 2, byte 6, column 2: The field begins with a quote that is not closed in the right way up to line 4. Close it, or double quotes that belong to the field.> [3][c] [4][d] "
        ),
        (
            "1,a\n2,\"b\n3,\"\"c\n4,d\n",
            "[1][a] <invalidInput: test, line 2, byte 6, column 2: The field begins with a quote that is not closed in the right way up to line 5. Close it, or double quotes that belong to the field.> <invalidInput: test, line 3, byte 13, column 2: There is something between a closing quote and the delimiter. Double quotes that belong to the field.> [4][d] "
        ),
        // A field over several lines that is as it should be.
        ("1,\"a\nb\"\n2,c\n", "[1]\"[a\nb] [2][c] "),
    ])
    func `the lines after a quote that is not closed are rows of their own, whatever the chunks`(
        _ text: String, _ expected: String
    ) {
        for chunk in chunkSizes { #expect(rows(text, chunk: chunk) == expected, "chunks of \(chunk)") }
    }

    @Test func `the rest of an object that has a key twice is passed over, and the next one is read`() throws {
        let text =
            #"[{"a": 1}, {"a": 2, "b": {"c": 1, "c": {"d": [1, 2], "d": 3}}, "b": 3}, {"a": 4}, {"a": 5, "a": 6, "x"]"#
        var reader = try JSONReader(.text(text))
        #expect(try reader.next() == .beginArray)
        #expect(throws: GranaryError.self) {
            while true { _ = try reader.next() }
        }
        try reader.skipRest(to: 1)
        #expect(reader.depth == 1)
        #expect(try reader.next() == .beginObject)
        #expect(try reader.next() == .key)
        #expect(try reader.next() == .number)
        #expect(reader.int64 == 4)
        #expect(try reader.next() == .endObject)
        #expect(throws: GranaryError.self) {
            while true { _ = try reader.next() }
        }
        // What is skipped is checked: after another fault nothing can be read.
        #expect(throws: GranaryError.self) { try reader.skipRest(to: 1) }
        #expect(throws: GranaryError.self) { try reader.skipRest(to: 1) }
        #expect(throws: GranaryError.self) { try reader.next() }
    }
}
