import GranaryPlatform
package import GranaryText

/// Reads JSON as a sequence of events, from any source and in constant memory.
///
/// ```swift
/// var reader = try JSONReader(.file("artists.json"))
/// while true {
///     switch try reader.next() {
///     case .key: print("key", reader.string)
///     case .string: print("text", reader.string)
///     case .number: print("number", reader.int64 ?? reader.double)
///     case .end: return
///     default: break
///     }
/// }
/// ```
///
/// The grammar is RFC 8259 and nothing more: no comments, no trailing commas, no NaN. UTF-8 is checked; a byte order
/// mark at the beginning is skipped. Numbers are given as they are written, so that every digit of an integer or a
/// decimal is there.
///
/// Errors are ``GranaryError/Code/invalidInput`` for what is not JSON, ``GranaryError/Code/limit`` for what is beyond
/// ``JSONOptions``, and what the source throws; ``GranaryError/position`` says where. After an error every call throws
/// the same error, until ``skipLine()`` goes on with the next line of JSON lines. If an object has a key twice,
/// ``skipRest(to:)`` goes on after it.
///
/// A ``KeyMatcher`` tells which of some known keys one is, without making a string of it.
///
/// Reading allocates nothing for each event. Memory: 64 KB, the longest text that is longer than that, and what open
/// objects need to notice a key that comes twice (16 bytes for each key after the first 64 of an object).
public struct JSONReader: ~Copyable {
    /// What may come next.
    enum Expectation {
        case start, value, firstKey, firstElement, memberEnd, elementEnd, documentEnd, ended, failed
    }

    /// An array or object that is open.
    struct Frame {
        /// The place of the current element; -1 in an object.
        var index: Int
        /// Where the current key lies in `keys`.
        var keyStart: Int
        var keyEnd: Int
    }

    let name: String
    let options: JSONOptions
    var window: InputWindow
    var expectation = Expectation.start
    package internal(set) var line = 1

    /// The open arrays and objects, outermost first.
    var frames: [Frame] = []
    /// The keys on the way to the current value, one after the other.
    var keys = ByteBuffer()
    /// What is known of the keys of objects at each depth.
    var seen: [SeenKeys] = []
    let hash = KeyHash()

    /// The members that were taken at once the last time.
    let plain = PlainMembers()

    /// A string that has escapes or does not lie in the window as a whole.
    var scratch = ByteBuffer()
    @usableFromInline var textStart: UnsafePointer<UInt8>
    @usableFromInline var textCount = 0
    /// The number of the last event; nil after other values.
    package internal(set) var number: JSONNumber?
    /// Where the last event begins.
    var eventOffset = 0
    var failure: (any Error)?
    /// Whether the line after one that failed can be read.
    var canGoOn = true
    /// Whether the failure is a key that an object has twice: what comes after the key can be read.
    var isAfterRepeatedKey = false

    /// A reader at the beginning of a source, which is opened.
    public init(_ source: ByteSource, _ options: JSONOptions = JSONOptions()) throws {
        self.init(try source.open(), name: source.name, options)
    }

    /// - Parameters:
    ///   - line: The number of the line that the stream begins with.
    ///   - offset: How many bytes of the input, all of them whole lines, lie before the stream.
    package init(
        _ stream: any ByteStream, name: String, _ options: JSONOptions = JSONOptions(), line: Int = 1, offset: Int = 0
    ) {
        self.name = name
        self.options = options
        self.line = line
        window = InputWindow(stream, offset: offset)
        // Only the input itself may have a byte order mark.
        if offset > 0 { expectation = .ended }
        textStart = UnsafePointer(keys.start)
    }
}

extension JSONReader {
    /// The key or the string of the last event without quotes and escapes, or its number as it is written. Meaningless after
    /// other events.
    ///
    /// The bytes are the reader's: they are valid until the next call of any of its functions.
    @inlinable public var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: textStart, count: textCount)
    }

    /// A copy of ``text``.
    public var string: String { String(decoding: text, as: UTF8.self) }

    /// The number of the last event, if it is a whole number within Int64, however it is written: `5`, `5.0` and `0.5e1` are 5.
    public var int64: Int64? { number?.integer }

    /// The number of the last event, if it is written as an integer within Int64 and is not `-0`.
    package var plainInteger: Int64? { number?.plainInteger }

    /// The number of the last event, if it is a whole number within UInt64.
    public var uint64: UInt64? { number?.unsignedInteger }

    /// The double nearest to the last number, half to even; infinity beyond the greatest double. There is no negative
    /// zero.
    public var double: Double? { number?.real }

    /// The number of arrays and objects that are open.
    public var depth: Int { frames.count }
}

extension JSONReader {
    /// Reads up to the next event.
    ///
    /// After the document's last event comes ``JSONEvent/end``, again and again until ``nextDocument()`` goes on.
    public mutating func next() throws -> JSONEvent {
        switch expectation {
        case .value: return try value(try skipWhiteSpace())
        case .memberEnd:
            let byte = try skipWhiteSpace()
            if byte == UInt8(ascii: ",") {
                window.cursor += 1
                return try key(try skipWhiteSpace())
            }
            guard byte == UInt8(ascii: "}") else { throw unexpected("a comma or the object's closing brace") }
            return close(.endObject)
        case .elementEnd:
            let byte = try skipWhiteSpace()
            if byte == UInt8(ascii: ",") {
                window.cursor += 1
                frames[frames.count - 1].index += 1
                return try value(try skipWhiteSpace())
            }
            guard byte == UInt8(ascii: "]") else { throw unexpected("a comma or the array's closing bracket") }
            return close(.endArray)
        case .firstKey:
            let byte = try skipWhiteSpace()
            return byte == UInt8(ascii: "}") ? close(.endObject) : try key(byte)
        case .firstElement:
            let byte = try skipWhiteSpace()
            if byte == UInt8(ascii: "]") { return close(.endArray) }
            frames[frames.count - 1].index = 0
            return try value(byte)
        case .documentEnd:
            try endDocument()
            return .end
        case .start: return try nextDocument() ? try next() : .end
        case .ended: return .end
        case .failed: throw failure ?? unexpected("nothing")
        }
    }

    /// Skips what the last event has begun: after a key its value, after the beginning of an array or object the rest
    /// of it with its end. After any other event nothing happens.
    ///
    /// What is skipped is checked as if it were read.
    public mutating func skip() throws {
        let outer: Int
        switch expectation {
        case .value: outer = frames.count
        case .firstKey, .firstElement: outer = frames.count - 1
        default: return
        }
        repeat { _ = try next() } while frames.count > outer
    }

    /// Reads the key that begins with a byte, and the colon after it.
    private mutating func key(_ byte: UInt8) throws -> JSONEvent {
        var byte = byte
        while true {
            guard byte == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            eventOffset = window.offset
            window.cursor += 1
            let isNew = try keyText()
            byte = try skipWhiteSpace()
            guard byte == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
            window.cursor += 1
            expectation = .value
            if isNew { return .key }

            // The policy is to keep the first: on with the member after this one.
            try skip()
            byte = try skipWhiteSpace()
            if byte == UInt8(ascii: "}") { return close(.endObject) }
            guard byte == UInt8(ascii: ",") else { throw unexpected("a comma or the object's closing brace") }
            window.cursor += 1
            byte = try skipWhiteSpace()
        }
    }

    /// Reads the value that begins with a byte, or the beginning of an array or object.
    @inline(__always)
    private mutating func value(_ byte: UInt8) throws -> JSONEvent {
        eventOffset = window.offset
        number = nil
        switch byte {
        case UInt8(ascii: "\""):
            window.cursor += 1
            try readText(limit: options.maximumTextLength)
            endValue()
            return .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            try readNumber()
            endValue()
            return .number
        case UInt8(ascii: "{"):
            try open(isObject: true)
            return .beginObject
        case UInt8(ascii: "["):
            try open(isObject: false)
            return .beginArray
        case UInt8(ascii: "t"):
            try readWord("true")
            return .true
        case UInt8(ascii: "f"):
            try readWord("false")
            return .false
        case UInt8(ascii: "n"):
            try readWord("null")
            return .null
        default: throw unexpected("a value")
        }
    }

    private mutating func open(isObject: Bool) throws {
        guard frames.count < options.maximumDepth else {
            throw fail(
                .limit,
                "Arrays and objects lie more than \(options.maximumDepth) deep. Set a greater maximumDepth if this is right."
            )
        }
        window.cursor += 1
        let keyEnd = frames.last?.keyEnd ?? 0
        frames.append(Frame(index: -1, keyStart: keyEnd, keyEnd: keyEnd))
        expectation = isObject ? .firstKey : .firstElement
        guard isObject else { return }
        while seen.count < frames.count { seen.append(SeenKeys()) }
        seen[frames.count - 1].begin()
    }

    @inline(__always)
    private mutating func close(_ event: JSONEvent) -> JSONEvent {
        eventOffset = window.offset
        window.cursor += 1
        frames.removeLast()
        endValue()
        return event
    }

    @inline(__always)
    mutating func endValue() {
        guard let frame = frames.last else {
            expectation = .documentEnd
            return
        }
        expectation = frame.index < 0 ? .memberEnd : .elementEnd
    }

    private mutating func readWord(_ word: StaticString) throws {
        try fill(word.utf8CodeUnitCount)
        let isThere =
            window.available >= word.utf8CodeUnitCount
            && memcmp(window.cursor, word.utf8Start, word.utf8CodeUnitCount) == 0
        guard isThere else { throw unexpected("true, false or null") }
        window.cursor += word.utf8CodeUnitCount
        endValue()
    }
}
