import GranaryText

/// Writes JSON to a sink, piece by piece and in constant memory.
///
/// ```swift
/// var writer = JSONWriter(try FileSink("artists.jsonl"), layout: .lines)
/// try writer.beginObject()
/// try writer.key("name")
/// try writer.string("Nina Simone")
/// try writer.endObject()
/// try writer.finish()
/// ```
///
/// All written values read back the same: integers and decimals digit by digit, doubles in the shortest form that gives
/// the same double. Strings are escaped only where JSON demands it.
///
/// Calls in an order that does not give valid JSON (a value without a key in an object, an end without a beginning)
/// throw ``GranaryError/Code/invalidInput`` and write nothing.
public struct JSONWriter: ~Copyable {
    /// What the grammar allows next.
    private enum Place { case document, firstElement, element, firstKey, key, memberValue, ended }

    private var output: OutputBuffer
    private let layout: JSONOptions.Layout
    private let isPretty: Bool
    private var place = Place.document
    /// Whether each open container is an object, outermost first.
    private var containers: [Bool] = []

    /// A writer to a sink.
    ///
    /// - Parameters:
    ///   - sink: The target of the bytes.
    ///   - layout: One value, or JSON lines: one value per line.
    ///   - isPretty: Whether members and elements get lines of their own, indented by two blanks. Ignored for JSON
    ///     lines.
    public init(_ sink: any ByteSink, layout: JSONOptions.Layout = .document, isPretty: Bool = false) {
        output = OutputBuffer(sink)
        self.layout = layout
        self.isPretty = isPretty && layout == .document
    }

    /// The number of open arrays and objects.
    package var depth: Int { containers.count }

    public mutating func beginObject() throws { try begin(isObject: true) }
    public mutating func endObject() throws { try end(isObject: true) }
    public mutating func beginArray() throws { try begin(isObject: false) }
    public mutating func endArray() throws { try end(isObject: false) }

    /// Writes the key of a member. Its value comes next.
    public mutating func key(_ key: String) throws {
        var key = key
        let result = key.withUTF8 { utf8 in Result { try self.key(utf8: UnsafeRawBufferPointer(utf8)) } }
        try result.get()
    }

    /// Writes the key of a member, given as UTF-8.
    public mutating func key(utf8: UnsafeRawBufferPointer) throws {
        guard place == .firstKey || place == .key else { throw misplaced("A key") }
        try requireUTF8(utf8)
        if place == .key { try output.append(UInt8(ascii: ",")) }
        try beginLine()
        try quoted(utf8)
        try output.append(UInt8(ascii: ":"))
        if isPretty { try output.append(UInt8(ascii: " ")) }
        place = .memberValue
    }

    public mutating func string(_ text: String) throws {
        var text = text
        let result = text.withUTF8 { utf8 in Result { try string(utf8: UnsafeRawBufferPointer(utf8)) } }
        try result.get()
    }

    /// Writes a string, given as UTF-8.
    public mutating func string(utf8: UnsafeRawBufferPointer) throws {
        try requireUTF8(utf8)
        try beginValue()
        try quoted(utf8)
        try endValue()
    }

    public mutating func integer(_ value: Int64) throws { try scalar(String(value)) }
    public mutating func integer(_ value: UInt64) throws { try scalar(String(value)) }
    public mutating func bool(_ value: Bool) throws { try scalar(value ? "true" : "false") }
    public mutating func null() throws { try scalar("null") }

    /// Writes a double in the shortest form that reads back as the same.
    ///
    /// - Throws: ``GranaryError/Code/range`` for NaN and infinities, which JSON does not have.
    public mutating func double(_ value: Double) throws {
        guard value.isFinite else {
            throw GranaryError(.range, "JSON has no NaN and no infinity. Leave the value out, or write it as a string.")
        }
        try scalar(value.description)
    }

    /// Writes a number exactly as its text: a decimal with all its digits.
    ///
    /// - Throws: ``GranaryError/Code/invalidInput`` if the text is not a number by JSON's grammar.
    public mutating func number(_ text: String) throws {
        guard text.isJSONNumber else {
            throw GranaryError(
                .invalidInput, "A text that should be written as a number is not one by the grammar of JSON.")
        }
        try scalar(text)
    }

    /// Writes the next value of a reader, of any kind, with every digit and in this writer's layout.
    public mutating func value(from reader: inout JSONReader) throws {
        var depth = 0
        repeat {
            switch try reader.next() {
            case .beginObject:
                try beginObject()
                depth += 1
            case .beginArray:
                try beginArray()
                depth += 1
            case .endObject:
                try endObject()
                depth -= 1
            case .endArray:
                try endArray()
                depth -= 1
            case .key: try key(utf8: reader.text)
            case .string: try string(utf8: reader.text)
            case .number: try scalar(reader.string)
            case .true: try bool(true)
            case .false: try bool(false)
            case .null: try null()
            case .end: throw misplaced("Another value")
            }
        } while depth > 0 || place == .memberValue
    }

    /// Writes the buffered bytes, and finishes the sink.
    ///
    /// - Throws: ``GranaryError/Code/invalidInput`` if the document is not complete; then the sink is not finished.
    public mutating func finish() throws {
        let isComplete = containers.isEmpty && (place == .ended || layout == .lines)
        guard isComplete else { throw misplaced("The end") }
        if layout == .document && !output.isFinished { try output.append(UInt8(ascii: "\n")) }
        try output.finish()
    }
}

extension JSONWriter {
    private mutating func begin(isObject: Bool) throws {
        try beginValue()
        try output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        containers.append(isObject)
        place = isObject ? .firstKey : .firstElement
    }

    private mutating func end(isObject: Bool) throws {
        let isFirst = place == .firstKey || place == .firstElement
        guard containers.last == isObject, place != .memberValue else { throw misplaced("An end") }
        containers.removeLast()
        if !isFirst { try beginLine() }
        try output.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        try endValue()
    }

    private mutating func scalar(_ text: String) throws {
        try beginValue()
        try output.append(ascii: text)
        try endValue()
    }

    private mutating func beginValue() throws {
        try output.requireOpen()
        switch place {
        case .document, .memberValue: break
        case .firstElement: try beginLine()
        case .element:
            try output.append(UInt8(ascii: ","))
            try beginLine()
        case .firstKey, .key: throw misplaced("A value without a key")
        case .ended: throw misplaced("Another value")
        }
    }

    private mutating func endValue() throws {
        switch containers.last {
        case true?: place = .key
        case false?: place = .element
        case nil where layout == .lines:
            try output.append(UInt8(ascii: "\n"))
            place = .document
        case nil: place = .ended
        }
    }

    private mutating func beginLine() throws {
        guard isPretty else { return }
        try output.append(UInt8(ascii: "\n"))
        for _ in containers { try output.append("  ") }
    }

    private mutating func quoted(_ utf8: UnsafeRawBufferPointer) throws {
        try output.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = TextScan.endOfUnescaped(utf8, from: start)
            try output.append(UnsafeRawBufferPointer(rebasing: utf8[start..<end]))
            if end == utf8.count { break }
            try escape(utf8[end])
            start = end + 1
        }
        try output.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) throws {
        switch byte {
        case UInt8(ascii: "\""): try output.append("\\\"")
        case UInt8(ascii: "\\"): try output.append("\\\\")
        case 0x08: try output.append("\\b")
        case 0x0C: try output.append("\\f")
        case 0x0A: try output.append("\\n")
        case 0x0D: try output.append("\\r")
        case 0x09: try output.append("\\t")
        default: try output.append(ascii: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
        }
    }

    private func requireUTF8(_ utf8: UnsafeRawBufferPointer) throws {
        guard UTF8Scan.endOfValid(utf8) == utf8.count else { throw GranaryError.invalidText() }
    }

    private func misplaced(_ what: String) -> GranaryError {
        GranaryError(.invalidInput, "\(what) cannot be written here: the result would not be JSON.")
    }
}

extension String {
    /// Whether the text is a number by the grammar of JSON.
    package var isJSONNumber: Bool {
        var copy = self
        return copy.withUTF8 { utf8 in
            var position = 0
            return JSONNumber(UnsafeRawBufferPointer(utf8), at: &position) != nil && position == utf8.count
        }
    }
}
