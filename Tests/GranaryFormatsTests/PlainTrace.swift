import GranaryFormats
import Testing

/// Bytes that come in pieces of given sizes, again and again.
final class CutStream: ByteStream {
    private let bytes: [UInt8]
    private let sizes: [Int]
    private var position = 0
    private var reads = 0

    init(_ bytes: [UInt8], sizes: [Int]) {
        self.bytes = bytes
        self.sizes = sizes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let size = max(1, sizes[reads % sizes.count])
        reads += 1
        let count = min(buffer.count, bytes.count - position, size)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        return count
    }
}

/// The two ways of reading JSON, which must give the same: by events alone, or with the plain values taken at once, as imports
/// read.
enum Reading {
    case events
    /// All plain values are taken before each event.
    case plainFirst
    /// Plain values are taken before every second event, once.
    case sometimesPlain
}

/// What a reader gives, with the place of each value, and the error at the end.
struct PlainTrace {
    /// What is compared: keys, values and errors as text.
    private(set) var items: [String] = []
    /// The place of each item; nil where a reader does not tell it.
    private var places: [InputPosition?] = []
    /// How many values were taken at once.
    private(set) var plainCount = 0

    private var chances = 0
    /// The key of each depth and number, which never changes.
    private var known: [[Int]: String] = [:]

    init(_ bytes: [UInt8], _ reading: Reading, _ options: JSONOptions = JSONOptions(), sizes: [Int] = [.max]) {
        var reader = JSONReader(CutStream(bytes, sizes: sizes), name: "test", options)
        while true {
            do {
                guard try reader.nextDocument() else { return }
                try readDocument(&reader, reading)
            } catch {
                add("\(error)", nil)
                // After an error nothing is plain.
                if !reader.takePlain().isEmpty { add("values after an error", nil) }
                guard options.layout == .lines else { return }
                do {
                    try reader.skipLine()
                } catch {
                    add("\(error)", nil)
                    return
                }
            }
        }
    }

    private mutating func add(_ item: String, _ place: InputPosition?) {
        items.append(item)
        places.append(place)
    }

    /// Where a reader is; nil so deep that a path takes long to make.
    private static func place(of reader: borrowing JSONReader) -> InputPosition? {
        reader.depth > 16 ? nil : reader.position
    }

    private mutating func readDocument(_ reader: inout JSONReader, _ reading: Reading) throws {
        if !reader.takePlain().isEmpty { add("values before a document", nil) }
        while true {
            let event = try reader.next()
            switch event {
            case .key: add("\(reader.string):", PlainTrace.place(of: reader))
            case .string: add("'\(reader.string)'", PlainTrace.place(of: reader))
            case .number:
                // As imports tell integers from other numbers.
                let integer = reader.plainInteger
                let content = integer ?? Int64(bitPattern: (reader.double ?? .nan).bitPattern)
                add("\(reader.string) \(integer != nil) \(content)", PlainTrace.place(of: reader))
            case .end: return add("end", nil)
            default: add("\(event)", PlainTrace.place(of: reader))
            }
            if event == .key {
                if reading != .events, !reader.takePlain().isEmpty { add("values after a key", nil) }
                continue
            }
            switch reading {
            case .events: break
            case .plainFirst: while takePlain(&reader) {}
            case .sometimesPlain:
                chances += 1
                if chances.isMultiple(of: 2) { _ = takePlain(&reader) }
            }
        }
    }

    /// Takes the plain values that come next. Returns false if the next value is not plain.
    private mutating func takePlain(_ reader: inout JSONReader) -> Bool {
        let depth = reader.depth
        let members = reader.takePlain()
        for (number, member) in members.enumerated() {
            // Where the reader is after them is where the last of them is.
            let place = number == members.count - 1 ? PlainTrace.place(of: reader) : nil
            if member.keyNumber >= 0 {
                let key = String(decoding: member.key, as: UTF8.self)
                if known.updateValue(key, forKey: [depth, member.keyNumber]) ?? key != key {
                    add("another key of number \(member.keyNumber)", nil)
                }
                add("\(key):", nil)
            }
            let text = String(decoding: member.text, as: UTF8.self)
            switch member.kind {
            case .string: add("'\(text)'", place)
            case .integer, .number: add("\(text) \(member.kind == .integer) \(member.content)", place)
            case .true: add("\(JSONEvent.true)", place)
            case .false: add("\(JSONEvent.false)", place)
            case .null: add("\(JSONEvent.null)", place)
            }
        }
        plainCount += members.count
        // Nothing is left of the event before.
        if !members.isEmpty, !reader.text.isEmpty || reader.double != nil { add("a text of no event", nil) }
        return !members.isEmpty
    }

    /// Where this trace first differs from another; nil if they tell the same.
    func difference(from other: PlainTrace) -> String? {
        for (number, (item, place)) in zip(items, places).enumerated() {
            guard number < other.items.count else { return "\(item) is too much" }
            if item != other.items[number] { return "\(item) instead of \(other.items[number])" }
            if let place, let expected = other.places[number], place != expected {
                return "\(item) is at \(place) instead of \(expected)"
            }
        }
        return items.count < other.items.count ? "\(other.items[items.count]) is missing" : nil
    }
}

/// Expects that bytes read the same by events and with plain values taken at once, whole and in pieces of all these sizes.
///
/// - Returns: How many values were taken at once.
@discardableResult
func expectSameReading(
    _ bytes: [UInt8], _ options: JSONOptions = JSONOptions(), sizes: [[Int]] = [],
    _ place: @autoclosure () -> String = ""
) -> Int {
    let expected = PlainTrace(bytes, .events, options)
    var plainCount = 0
    for reading in [Reading.plainFirst, .sometimesPlain] {
        for sizes in [[.max]] + (reading == .plainFirst ? sizes : []) {
            let trace = PlainTrace(bytes, reading, options, sizes: sizes)
            plainCount += trace.plainCount
            guard let difference = trace.difference(from: expected) else { continue }
            let text = String(decoding: bytes.prefix(2_000), as: UTF8.self)
            Issue.record("\(difference); \(reading), pieces of \(sizes), \(options), \(place()): \(text)")
        }
    }
    return plainCount
}

/// The sizes of pieces that cut bytes in two, once at each byte from one on.
func everyCut(_ count: Int, from first: Int = 1) -> [[Int]] {
    (first..<max(count, first)).map { [$0, .max] }
}
