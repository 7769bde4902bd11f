import Foundation
import GranaryFormats
import TestSupport
import Testing

/// Random documents, and mutations of them for a bounded time. Inputs that once failed are tried first: ``ReadInput/kept``.
///
/// `GRANARY_SEED` says where the seeds begin. `GRANARY_FUZZ_SECONDS` lets each mutator run longer than in a usual run of the tests;
/// then the seeds begin at random if `GRANARY_SEED` is not set, and the number of inputs is printed.
struct RandomReadingTests {
    private static let longer = ProcessInfo.processInfo.environment["GRANARY_FUZZ_SECONDS"].flatMap(Int.init)
    /// How long each mutator runs.
    private static let duration = longer.map { Duration.seconds($0) } ?? .milliseconds(800)
    private static let firstSeed =
        longer != nil && TestSeed.ofEnvironment == nil ? .random(in: 1..<1 << 40) : TestSeed.of(0)

    /// Checks the inputs that were kept, then those that `make` returns for one seed after the other.
    private func forEachInput(
        _ reader: TriedReader, make: (UInt64, inout SeededNumbers) throws -> [UInt8], check: (ReadInput) throws -> Void
    ) throws {
        func tried(_ input: ReadInput) {
            do { try check(input) } catch { Issue.record("\(error)\n\(input.advice)") }
        }
        for input in ReadInput.kept(for: reader) { tried(try #require(input, "a kept line is not base64")) }
        let start = ContinuousClock.now
        let first = RandomReadingTests.firstSeed
        var seed = first
        // A crash names no seed: with this one it comes again.
        if RandomReadingTests.longer != nil {
            print("\(reader): from GRANARY_SEED=\(first) on")
            fflush(nil)
        }
        while start.duration(to: .now) < RandomReadingTests.duration {
            var numbers = SeededNumbers(seed: seed)
            tried(ReadInput(reader: reader, seed: seed, bytes: try make(seed, &numbers)))
            seed &+= 1
        }
        if RandomReadingTests.longer != nil { print("\(reader): \(seed &- first) inputs") }
    }

    @Test func `random documents read back as they were written`() throws {
        for seed in (1...300).map(TestSeed.of) {
            var numbers = SeededNumbers(seed: seed)
            let document = RandomJSON.value(&numbers, depth: 5)
            for (layout, isPretty) in [(JSONOptions.Layout.document, false), (.document, true), (.lines, false)] {
                let sink = MemorySink()
                var writer = JSONWriter(sink, layout: layout, isPretty: isPretty)
                try document.write(to: &writer)
                try writer.finish()
                let chunk = chunkSizes.randomElement(using: &numbers) ?? 1
                #expect(
                    trace(sink.bytes, JSONOptions(layout: layout), chunk: chunk) == document.trace + "; ",
                    "seed \(seed)")
            }
        }
    }

    @Test func `mutated JSON never crashes, reads the same in any chunks, and agrees with Foundation`() throws {
        try forEachInput(.json) { _, numbers in
            let sink = MemorySink()
            var writer = JSONWriter(sink)
            try RandomJSON.value(&numbers, depth: 3).write(to: &writer)
            try writer.finish()
            return mutated(sink.bytes, with: Array("{}[],:\"\\u0d8eE+-.1\0\n\u{FEFF}é".utf8), &numbers)
        } check: { input in
            let bytes = input.bytes
            for options in [
                JSONOptions(duplicateKeys: .last), JSONOptions(layout: .lines), JSONOptions(duplicateKeys: .first),
            ] {
                let whole = trace(bytes, options)
                for chunk in chunkSizes.dropLast() {
                    #expect(trace(bytes, options, chunk: chunk) == whole, "chunks of \(chunk), \(input.advice)")
                }
            }
            let isAccepted = failure(bytes, JSONOptions(duplicateKeys: .last)) == nil
            guard let byFoundation = acceptedByFoundation(bytes) else { return }
            #expect(isAccepted == byFoundation, "\(input.advice)")
        }
    }

    /// How the records of a seed are written and read.
    private static func recordOptions(_ numbers: inout SeededNumbers) -> JSONOptions {
        JSONOptions(
            layout: Bool.random(using: &numbers) ? .document : .lines,
            duplicateKeys: [.error, .error, .first, .first, .last].randomElement(using: &numbers) ?? .error,
            maximumDepth: [3, 512, 512].randomElement(using: &numbers) ?? 512,
            maximumTextLength: [8, 1 << 20, 1 << 20].randomElement(using: &numbers) ?? 8)
    }

    @Test func `mutated records read the same whether their plain values are taken at once or not`() throws {
        var plainCount = 0
        var inputs = 0
        try forEachInput(.records) { _, numbers in
            let options = Self.recordOptions(&numbers)
            return mutated(
                RandomRecords(&numbers).bytes(options.layout, &numbers),
                with: Array("{}[],:\"\\u0d8eE+-.1 \0\n\u{FEFF}é".utf8), &numbers)
        } check: { input in
            var numbers = SeededNumbers(seed: input.seed)
            let options = Self.recordOptions(&numbers)
            let sizes = (0..<4).map { count in
                (0...count).map { _ in
                    Int.random(in: 1...(Bool.random(using: &numbers) ? 12 : input.bytes.count + 1), using: &numbers)
                }
            }
            plainCount += expectSameReading(input.bytes, options, sizes: sizes + [[1]], input.advice)
            inputs += 1
        }
        // Many values are taken at once, or this test compares a way of reading with itself.
        #expect(plainCount > inputs * 5)
        if RandomReadingTests.longer != nil { print("\(plainCount) plain values in \(inputs) inputs") }
    }

    /// Whether Foundation reads the bytes as JSON; nil where it is known to differ from RFC 8259.
    private func acceptedByFoundation(_ bytes: [UInt8]) -> Bool? {
        // Foundation guesses at UTF-16 and UTF-32, by NUL bytes and byte order marks.
        if bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB]) || bytes.starts(with: [0xFF])
            || bytes.starts(with: [0xFE])
        {
            return nil
        }
        // Numbers beyond the range of doubles are an error there, and long ones pass through other parsers.
        if bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
            && bytes.contains(where: { (0x30...0x39).contains($0) })
        {
            return nil
        }
        // It accepts a comma after the last element or member.
        let dense = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if zip(dense, dense.dropFirst()).contains(where: { $0 == UInt8(ascii: ",") && ($1 == 0x5D || $1 == 0x7D) }) {
            return nil
        }
        // It does not check UTF-8 within strings that are not made.
        if String(validating: bytes, as: UTF8.self) == nil { return nil }
        return (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    @Test func `mutated JSON lines go on after each bad line`() throws {
        try forEachInput(.jsonLines) { _, numbers in
            var bytes: [UInt8] = []
            for _ in 0..<4 {
                let sink = MemorySink()
                var writer = JSONWriter(sink, layout: .lines)
                try RandomJSON.value(&numbers, depth: 2).write(to: &writer)
                try writer.finish()
                bytes += mutated(sink.bytes, with: Array("{}[],:\"\\\n".utf8), &numbers)
            }
            return bytes
        } check: { input in
            let whole = lines(input.bytes, chunk: .max)
            for chunk in chunkSizes {
                #expect(lines(input.bytes, chunk: chunk) == whole, "chunks of \(chunk), \(input.advice)")
            }
        }
    }

    private func lines(_ bytes: [UInt8], chunk: Int) -> [String] {
        var reader = JSONReader(ArrayStream(bytes, chunk: chunk), name: "test", JSONOptions(layout: .lines))
        var all: [String] = []
        while true {
            var text = ""
            do {
                guard try reader.nextDocument() else { return all }
                try traceDocument(&reader, &text)
            } catch {
                text += "\(error)"
                do { try reader.skipLine() } catch { return all + ["\(error)"] }
            }
            all.append(text)
        }
    }

    @Test func `mutated CSV never crashes, and reads the same in any chunks`() throws {
        try forEachInput(.csv) { _, numbers in
            let sink = MemorySink()
            var writer = CSVWriter(sink)
            let columns = Int.random(in: 1...4, using: &numbers)
            for _ in 0..<Int.random(in: 1...5, using: &numbers) {
                try writer.row(
                    (0..<columns).map { _ in
                        Bool.random(using: &numbers) ? RandomJSON.text(&numbers).replacing("\0", with: "") : nil
                    })
            }
            try writer.finish()
            return mutated(sink.bytes, with: Array(",\"\r\n;\0é".utf8), &numbers)
        } check: { input in
            for options in [CSVOptions(), CSVOptions(hasHeader: false, unevenRows: .accept, maximumRowLength: 40)] {
                let whole = rows(input.bytes, options)
                for chunk in chunkSizes.dropLast() {
                    #expect(rows(input.bytes, options, chunk: chunk) == whole, "chunks of \(chunk), \(input.advice)")
                }
            }
        }
    }

    @Test func `mutated archives give their bytes or a typed error`() throws {
        try forEachInput(.archives) { seed, numbers in
            let plain = (0..<Int.random(in: 0...300, using: &numbers)).map { _ in
                UInt8.random(in: 0...7, using: &numbers)
            }
            let archive = try gzip(plain)
            return mutated(
                archive + (seed.isMultiple(of: 2) ? archive : []), with: [0, 0x1F, 0x8B, 0xFF], &numbers)
        } check: { input in
            func outcome(_ chunk: Int) -> String {
                do {
                    return "\(try readAll(ByteSource("test") { ArrayStream(input.bytes, chunk: chunk) }))"
                } catch {
                    return (error as? GranaryError)?.code.rawValue ?? "\(error)"
                }
            }
            let whole = outcome(.max)
            for chunk in chunkSizes {
                #expect(outcome(chunk) == whole, "chunks of \(chunk), \(input.advice)")
            }
        }
    }
}

/// Bytes with some of them replaced, removed, added, repeated or swapped.
private func mutated(_ bytes: [UInt8], with special: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...3, using: &numbers) {
        guard !bytes.isEmpty else { return bytes }
        let index = Int.random(in: bytes.indices, using: &numbers)
        let byte =
            Bool.random(using: &numbers)
            ? special.randomElement(using: &numbers) ?? 0 : UInt8.random(in: 0...255, using: &numbers)
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: bytes[index] = byte
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(byte, at: index)
        case 3: bytes.removeLast(bytes.count - index)
        case 4: bytes.insert(contentsOf: bytes[index...].prefix(Int.random(in: 1...8, using: &numbers)), at: index)
        default: bytes.swapAt(index, Int.random(in: bytes.indices, using: &numbers))
        }
    }
    return bytes
}

/// A random value of JSON.
private indirect enum RandomJSON {
    case object([(String, RandomJSON)])
    case array([RandomJSON])
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case null

    static func value(_ numbers: inout SeededNumbers, depth: Int) -> RandomJSON {
        switch Int.random(in: depth > 0 ? 0..<9 : 4..<9, using: &numbers) {
        case 0, 1:
            var keys: Set<String> = []
            let members = (0..<Int.random(in: 0...6, using: &numbers)).compactMap { _ -> (String, RandomJSON)? in
                let key =
                    Bool.random(using: &numbers)
                    ? text(&numbers) : ["id", "name", "born"].randomElement(using: &numbers) ?? ""
                return keys.insert(key).inserted ? (key, value(&numbers, depth: depth - 1)) : nil
            }
            return .object(members)
        case 2, 3:
            return .array((0..<Int.random(in: 0...6, using: &numbers)).map { _ in value(&numbers, depth: depth - 1) })
        case 4: return .string(text(&numbers))
        case 5: return .integer(Int64(bitPattern: numbers.next()) >> Int64.random(in: 0..<64, using: &numbers))
        case 6: return .double(Double.random(in: -1e6...1e6, using: &numbers))
        case 7: return .bool(Bool.random(using: &numbers))
        default: return .null
        }
    }

    static func text(_ numbers: inout SeededNumbers) -> String {
        let letters = Array("abc \"\\/\u{8}\n\r\t\0\u{1F}\u{7F}éß€漢𝄞😀\u{2028}".unicodeScalars)
        let count = Int.random(in: 0...(Int.random(in: 0..<20, using: &numbers) == 0 ? 300 : 12), using: &numbers)
        var text = String.UnicodeScalarView()
        for _ in 0..<count { text.append(letters.randomElement(using: &numbers) ?? "a") }
        return String(text)
    }

    func write(to writer: inout JSONWriter) throws {
        switch self {
        case .object(let members):
            try writer.beginObject()
            for (key, value) in members {
                try writer.key(key)
                try value.write(to: &writer)
            }
            try writer.endObject()
        case .array(let elements):
            try writer.beginArray()
            for element in elements { try element.write(to: &writer) }
            try writer.endArray()
        case .string(let text): try writer.string(text)
        case .integer(let value): try writer.integer(value)
        case .double(let value): try writer.double(value)
        case .bool(let value): try writer.bool(value)
        case .null: try writer.null()
        }
    }

    /// What ``trace(_:_:chunk:)`` shows for it.
    var trace: String {
        switch self {
        case .object(let members): "{ " + members.map { "\($0.0): \($0.1.trace)" }.joined() + "} "
        case .array(let elements): "[ " + elements.map(\.trace).joined() + "] "
        case .string(let text): "'\(text)' "
        case .integer(let value): "\(value) "
        case .double(let value): "\(value) "
        case .bool(let value): "\(value) "
        case .null: "null "
        }
    }
}
