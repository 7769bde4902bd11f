import Foundation
import GranaryFormats
import TestSupport
import Testing

struct WriterTests {
    private func json(
        layout: JSONOptions.Layout = .document, isPretty: Bool = false, _ body: (inout JSONWriter) throws -> Void
    ) throws -> String {
        let sink = MemorySink()
        var writer = JSONWriter(sink, layout: layout, isPretty: isPretty)
        try body(&writer)
        try writer.finish()
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    private func sample(_ writer: inout JSONWriter) throws {
        try writer.beginObject()
        try writer.key("a")
        try writer.beginArray()
        try writer.integer(Int64.min)
        try writer.integer(UInt64.max)
        try writer.double(0.1)
        try writer.number("1.10")
        try writer.beginObject()
        try writer.endObject()
        try writer.beginArray()
        try writer.endArray()
        try writer.endArray()
        try writer.key("b\n")
        try writer.bool(true)
        try writer.key("")
        try writer.null()
        try writer.endObject()
    }

    @Test func `compact JSON`() throws {
        #expect(
            try json(sample)
                == #"{"a":[-9223372036854775808,18446744073709551615,0.1,1.10,{},[]],"b\n":true,"":null}"# + "\n")
    }

    @Test func `pretty JSON`() throws {
        #expect(
            try json(isPretty: true, sample) == """
                {
                  "a": [
                    -9223372036854775808,
                    18446744073709551615,
                    0.1,
                    1.10,
                    {},
                    []
                  ],
                  "b\\n": true,
                  "": null
                }

                """)
    }

    @Test func `JSON lines have a value a line`() throws {
        let lines = try json(layout: .lines, isPretty: true) { writer in
            try sample(&writer)
            try writer.string("x\ny")
            try writer.null()
        }
        #expect(lines.split(separator: "\n").count == 3)
        #expect(try json(layout: .lines) { _ in } == "")
    }

    @Test func `strings are escaped where they must be`() throws {
        let text = "\"\\/\u{8}\u{C}\n\r\t\0\u{1F} \u{7F}é€𝄞\u{2028}"
        #expect(try json { try $0.string(text) } == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f \u{7F}é€𝄞\u{2028}\"\n")
        for length in 0..<40 {
            let text = String(repeating: "a", count: length) + "\"" + String(repeating: "b", count: 40 - length)
            #expect(trace(try json { try $0.string(text) }) == "'\(text)' ; ")
        }
    }

    @Test func `what JSON cannot say is refused`() throws {
        var writer = JSONWriter(MemorySink())
        for value in [Double.nan, .infinity, -.infinity] { #expect(code { try writer.double(value) } == .range) }
        for text in ["", "01", "1.", "0x1", "1 ", " 1", "NaN", "1,2"] {
            #expect(code { try writer.number(text) } == .invalidInput)
        }
        #expect(code { try Array([0xFF]).withUnsafeBytes { try writer.string(utf8: $0) } } == .corrupt)
        #expect(code { try writer.finish() } == .invalidInput)
    }

    @Test func `calls in the wrong order are refused`() throws {
        func refused(_ body: (inout JSONWriter) throws -> Void) -> Bool {
            var writer = JSONWriter(MemorySink())
            return code { try body(&writer) } == .invalidInput
        }
        #expect(refused { try $0.key("a") })
        #expect(refused { try $0.endObject() })
        #expect(
            refused { writer in
                try writer.beginObject()
                try writer.null()
            })
        #expect(
            refused { writer in
                try writer.beginObject()
                try writer.endArray()
            })
        #expect(
            refused { writer in
                try writer.beginObject()
                try writer.key("a")
                try writer.endObject()
            })
        #expect(
            refused { writer in
                try writer.null()
                try writer.null()
            })
        #expect(
            refused { writer in
                try writer.beginArray()
                try writer.finish()
            })
        var finished = JSONWriter(MemorySink(), layout: .lines)
        try finished.finish()
        #expect(code { try finished.null() } == .closed)
        #expect(code { try finished.finish() } == .closed)
    }

    @Test func `doubles and integers read back as the same`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(14))
        for _ in 0..<10_000 {
            let double = Double(bitPattern: numbers.next())
            let integer = Int64(bitPattern: numbers.next()) >> Int64.random(in: 0..<64, using: &numbers)
            guard double.isFinite else { continue }
            let text = try json { writer in
                try writer.beginArray()
                try writer.double(double)
                try writer.integer(integer)
                try writer.endArray()
            }
            var reader = try JSONReader(.text(text))
            _ = try reader.next()
            _ = try reader.next()
            #expect(reader.double == double)
            _ = try reader.next()
            #expect(reader.int64 == integer)
        }
    }

    @Test func `values are copied from a reader`() throws {
        var reader = try JSONReader(.text(" { \"a\" : [ 1.50 , \"\\u00e9\" ] , \"b\" : { } } "))
        #expect(try json(layout: .lines) { try $0.value(from: &reader) } == "{\"a\":[1.50,\"é\"],\"b\":{}}\n")
    }

    @Test func `CSV is quoted where it must be`() throws {
        let sink = MemorySink()
        var writer = CSVWriter(sink)
        try writer.row(["a", "b,c", "d\"e\"", "f\ng", "h\r", " i ", "", nil])
        try writer.row((0..<8).map { "\($0)" })
        #expect(code { try writer.row(["1"]) } == .invalidInput)
        #expect(
            String(decoding: sink.bytes, as: UTF8.self) == "" && code { try writer.field("a\0") } == .range)
    }

    @Test func `TSV has no quotes, and refuses what would need them`() throws {
        let sink = MemorySink()
        var writer = CSVWriter(sink, .tsv)
        #expect(code { try writer.field("\u{FEFF}a") } == .range)
        try writer.row(["a\"", "\"b,c\"", "\u{FEFF}d", nil])
        for text in ["", "a\tb", "a\nb", "a\rb", "a\0"] { #expect(code { try writer.field(text) } == .range) }
        try writer.finish()
        #expect(String(decoding: sink.bytes, as: UTF8.self) == "a\"\t\"b,c\"\t\u{FEFF}d\t\r\n")
    }

    @Test func `CSV reads back as the same, nil and the empty text apart`() throws {
        let table: [[String?]] = [
            ["id", "name"], ["1", nil], ["", "a,\"b\"\r\n\"\""], [nil, "\u{FEFF}é"], ["\"", "\r"],
            [" ", "long enough for a word of eight"],
        ]
        let sink = MemorySink()
        var writer = CSVWriter(sink)
        for fields in table { try writer.row(fields) }
        try writer.finish()
        #expect(
            String(decoding: sink.bytes, as: UTF8.self).hasPrefix(
                "id,name\r\n1,\r\n\"\",\"a,\"\"b\"\"\r\n\"\"\"\"\"\r\n"))
        for chunk in chunkSizes {
            var reader = try CSVReader(
                ArrayStream(sink.bytes, chunk: chunk), name: "test", CSVOptions(hasHeader: false))
            for fields in table {
                #expect(try reader.nextRow())
                #expect(
                    (0..<reader.fieldCount).map {
                        reader.field($0).isEmpty && !reader.isQuoted($0) ? nil : reader.string($0)
                    } == fields)
            }
            #expect(try reader.nextRow() == false)
        }
    }

    @Test func `a file appears as a whole, or not at all`() throws {
        let folder = try TemporaryFolder()
        try write("old", to: folder("a.json"))
        do {
            let sink = try FileSink(folder("a.json"))
            try Array("new".utf8).withUnsafeBytes { try sink.write($0) }
            #expect(text(folder("a.json")) == "old")
        }
        #expect(names(folder.path) == ["a.json"])
        var writer = JSONWriter(try FileSink(folder("a.json")))
        try writer.string(String(repeating: "x", count: 200_000))
        try writer.finish()
        #expect(text(folder("a.json"))?.count == 200_003)
        #expect(names(folder.path) == ["a.json"])
        #expect(code { try FileSink(folder("none/a.json")) } == .invalidPath)
        #expect(code { try FileSink(folder.path) } == .invalidPath)
    }

    @Test func `a file keeps the permissions of the one that it replaces`() throws {
        let folder = try TemporaryFolder()
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder(name))[.posixPermissions] as? Int
        }
        for permissions in [0o600, 0o640, 0o666, 0o444] {
            let name = "\(permissions).json"
            try write("old", to: folder(name))
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder(name))
            var writer = JSONWriter(try FileSink(folder(name)))
            // Nobody else may read what is being written either.
            for unfinished in names(folder.path) where unfinished.hasPrefix(".granary-") {
                #expect(try mode(unfinished) == permissions)
            }
            try writer.null()
            try writer.finish()
            #expect(text(folder(name)) == "null\n")
            #expect(try mode(name) == permissions)
        }
    }

    @Test func `a link stays a link, whether what it leads to is there or not`() throws {
        let folder = try TemporaryFolder()
        let links = ["near": "target.json", "far": "near", "absolute": folder("other.json")]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: target)
        }
        for round in ["1", "2"] {
            for (name, target) in [("far", "target.json"), ("absolute", "other.json")] {
                var writer = JSONWriter(try FileSink(folder(name)))
                try writer.string(round)
                try writer.finish()
                #expect(text(folder(target)) == "\"\(round)\"\n")
            }
        }
        #expect(names(folder.path).sorted() == ["absolute", "far", "near", "other.json", "target.json"])
        for (name, target) in links {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder(name)) == target)
        }
    }

    @Test func `a file may have the longest name that there is`() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 250) + ".json"
        var writer = JSONWriter(try FileSink(folder(name)))
        try writer.bool(true)
        try writer.finish()
        #expect(names(folder.path) == [name])
    }

    @Test func `a pipe takes what is written`() throws {
        let pipe = Pipe()
        var writer = JSONWriter(DescriptorSink(pipe.fileHandleForWriting.fileDescriptor, name: "pipe"))
        try writer.bool(false)
        try writer.finish()
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data("false\n".utf8))
    }
}
