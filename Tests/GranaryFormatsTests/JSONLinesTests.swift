import GranaryFormats
import Testing

struct JSONLinesTests {
    private let lines = JSONOptions(layout: .lines)

    @Test(arguments: chunkSizes) func `each line is a document`(_ chunk: Int) {
        #expect(trace("{\"a\":1}\n\n  \r\n[2]\r\n\"x\" \n3", lines, chunk: chunk) == "{ a: 1 } ; [ 2 ] ; 'x' ; 3 ; ")
        #expect(trace("", lines, chunk: chunk) == "")
        #expect(trace("\u{FEFF}\n \n", lines, chunk: chunk) == "")
        #expect(trace("1\n", lines, chunk: chunk) == "1 ; ")
    }

    @Test(arguments: chunkSizes) func `reading goes on after a line that cannot be read`(_ chunk: Int) throws {
        let text = "{\"a\":1}\n{\"a\":\n[1,2\n\"open\n1 2\n{\"b\":\"\\ud800\"}\n[true]\n"
        var reader = JSONReader(ArrayStream(Array(text.utf8), chunk: chunk), name: "test", lines)
        var read = ""
        var failed: [Int] = []
        while true {
            do {
                guard try reader.nextDocument() else { break }
                try traceDocument(&reader, &read)
            } catch let error as GranaryError {
                failed.append(try #require(error.position?.line))
                try reader.skipLine()
            }
        }
        #expect(failed == [2, 3, 4, 5, 6])
        #expect(read == "{ a: 1 } ; { a: [ 1 2 1 { b: [ true ] ; ")
        #expect(reader.position.line == 8)
    }

    @Test func `the rest of a document that is not wanted is skipped`() throws {
        var reader = try JSONReader(.text("{\"a\":[1,2]}\n{\"b\":2}\n"), lines)
        #expect(try reader.nextDocument())
        #expect(try reader.next() == .beginObject)
        #expect(try reader.nextDocument())
        #expect(try reader.next() == .beginObject)
        #expect(try reader.next() == .key)
        #expect(reader.string == "b")
        try reader.skipLine()
        #expect(try reader.nextDocument() == false)
    }

    @Test func `an error of a document cannot be skipped`() throws {
        var reader = try JSONReader(.text("[1,\n2,,\n3]"))
        #expect(throws: GranaryError.self) { while try reader.next() != .end {} }
        #expect(throws: GranaryError.self) { try reader.skipLine() }
    }
}
