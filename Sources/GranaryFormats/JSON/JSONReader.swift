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
/// The grammar is exactly RFC 8259: no comments, no trailing commas, no NaN. UTF-8 is checked; a byte order mark at the
/// beginning is skipped. Numbers are given as they are written, with every digit of an integer or a decimal.
///
/// Errors are ``GranaryError/Code/invalidInput`` for input that is not JSON, ``GranaryError/Code/limit`` for input
/// beyond ``JSONOptions``, and the errors of the source; ``GranaryError/position`` gives the place. After an error
/// every call throws the same error, until ``skipLine()`` goes on with the next line of JSON lines. If an object has a
/// key twice, ``skipRest(to:)`` goes on after it.
///
/// A ``KeyMatcher`` finds a key in a list of known keys, without making a string.
///
/// Reading allocates nothing for each event. It takes 64 KB of memory, plus the longest text above 64 KB, plus the
/// memory that finds repeated keys (16 bytes for each key after the first 64 of an open object).
public struct JSONReader: ~Copyable {
    /// What the grammar allows next.
    enum Expectation {
        case start, value, firstKey, firstElement, memberEnd, elementEnd, documentEnd, ended, failed
    }

    /// An array or object that is open.
    struct Frame {
        /// The place of the current element; -1 in an object.
        var index: Int
        /// The beginning of the current key in `keys`.
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
    /// The keys on the path to the current value, one after the other.
    var keys = ByteBuffer()
    /// The known keys of objects at each depth.
    var seen: [SeenKeys] = []
    let hash = KeyHash()

    /// The members that `takePlain` returned last.
    let plain = PlainMembers()

    /// The text of a string that has escapes or does not lie in the window as a whole.
    var scratch = ByteBuffer()
    @usableFromInline var textStart: UnsafePointer<UInt8>
    @usableFromInline var textCount = 0
    /// The number of the last event; nil if that was no number.
    package internal(set) var number: JSONNumber?
    /// Where the last event begins.
    var eventOffset = 0
    var failure: (any Error)?
    /// Whether the line after a failed line can be read.
    var canGoOn = true
    /// Whether the failure is a repeated key: the input after the key can be read.
    var isAfterRepeatedKey = false

    /// A reader at the beginning of a source. This opens the source.
    public init(_ source: ByteSource, _ options: JSONOptions = JSONOptions()) throws {
        self.init(try source.open(), name: source.name, options)
    }

    /// - Parameters:
    ///   - line: The number of the line that the stream begins with.
    ///   - offset: The number of input bytes before the stream, all of them whole lines.
    package init(
        _ stream: any ByteStream, name: String, _ options: JSONOptions = JSONOptions(), line: Int = 1, offset: Int = 0
    ) {
        self.name = name
        self.options = options
        self.line = line
        window = InputWindow(stream, offset: offset)
        // A byte order mark is allowed only at the beginning of the input.
        if offset > 0 { expectation = .ended }
        textStart = UnsafePointer(keys.start)
    }
}

extension JSONReader {
    /// The key or the string of the last event without quotes and escapes, or its number as it is written. Meaningless
    /// after other events.
    ///
    /// The bytes belong to the reader and are valid until the next call of any of its functions.
    @inlinable public var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: textStart, count: textCount)
    }

    /// A copy of ``text``.
    public var string: String { String(decoding: text, as: UTF8.self) }

    /// The number of the last event, if it is a whole number within Int64, in any notation: `5`, `5.0` and `0.5e1` are
    /// 5.
    public var int64: Int64? { number?.integer }

    /// The number of the last event, if it is written as an integer within Int64 and is not `-0`.
    package var plainInteger: Int64? { number?.plainInteger }

    /// The number of the last event, if it is a whole number within UInt64.
    public var uint64: UInt64? { number?.unsignedInteger }

    /// The double nearest to the last number, half to even; infinity beyond the greatest double. `-0` gives 0.
    public var double: Double? { number?.real }

    /// The number of arrays and objects that are open.
    public var depth: Int { frames.count }
}

extension JSONReader {
    /// Reads up to the next event.
    ///
    /// After the document's last event every call gives ``JSONEvent/end``, until ``nextDocument()`` goes on.
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

    /// Skips the value that the last event has begun: after a key its value; after the beginning of an array or object
    /// the rest of it with its end. Does nothing after any other event.
    ///
    /// The skipped part is checked as if it were read.
    public mutating func skip() throws {
        let outer: Int
        switch expectation {
        case .value: outer = frames.count
        case .firstKey, .firstElement: outer = frames.count - 1
        default: return
        }
        repeat { _ = try next() } while frames.count > outer
    }

    /// Reads the key that begins with `byte`, and the colon after it.
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

            // The policy keeps the first member: go on after this one.
            try skip()
            byte = try skipWhiteSpace()
            if byte == UInt8(ascii: "}") { return close(.endObject) }
            guard byte == UInt8(ascii: ",") else { throw unexpected("a comma or the object's closing brace") }
            window.cursor += 1
            byte = try skipWhiteSpace()
        }
    }

    /// Reads the value that begins with `byte`, or the beginning of an array or object.
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
