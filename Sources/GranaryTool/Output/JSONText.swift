import GranaryCore
import GranaryFormats
import GranaryPlatform

/// JSON to be printed. Members keep their order.
indirect enum JSONText {
    case null
    case bool(Bool)
    /// As written: `4.50`.
    case number(String)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])
    /// JSON text as it is stored.
    case raw(String)

    static func count(_ number: some BinaryInteger) -> JSONText { .number("\(number)") }

    /// Nil is null.
    static func text(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }

    /// In one line.
    var compact: String {
        get throws {
            var bytes: [UInt8] = []
            try append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Each member on its own line.
    var pretty: String { get throws { try written() } }

    private func written() throws -> String {
        let sink = MemorySink()
        var writer = JSONWriter(sink, isPretty: true)
        try write(to: &writer)
        try writer.finish()
        // Without the line end of a document. Control characters occur only in strings, where JSON has escapes for
        // them.
        return String(decoding: sink.bytes.dropLast(), as: UTF8.self).escapingControls(
            butFor: ["\n"], as: JSONText.escape)
    }

    /// - Throws: `invalidInput` if stored JSON is damaged.
    private func write(to writer: inout JSONWriter) throws {
        switch self {
        case .null: try writer.null()
        case .bool(let value): try writer.bool(value)
        case .number(let number): try writer.number(number)
        case .string(let string): try writer.string(string)
        case .raw(let json):
            var reader = try JSONReader(.bytes(Array(json.utf8)))
            try writer.value(from: &reader)
        case .array(let elements):
            try writer.beginArray()
            for element in elements { try element.write(to: &writer) }
            try writer.endArray()
        case .object(let members):
            try writer.beginObject()
            for (key, value) in members {
                try writer.key(key)
                try value.write(to: &writer)
            }
            try writer.endObject()
        }
    }
}

// In one line, without a separate writer for each value: a query prints millions of rows.
extension JSONText {
    /// Appends the value in one line. Control characters occur only in strings, where JSON has escapes for them.
    ///
    /// - Throws: `invalidInput` if stored JSON is damaged.
    func append(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): bytes += number.utf8
        case .string(let string): JSONText.append(string, to: &bytes)
        case .raw(let json):
            let sink = MemorySink()
            var writer = JSONWriter(sink)
            var reader = try JSONReader(.bytes(Array(json.utf8)))
            try writer.value(from: &reader)
            try writer.finish()
            JSONText.append(controlsOf: sink.bytes.dropLast(), to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.1.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices {
                let byte = utf8[index]
                // 0xC2 begins the control characters from U+0080 to U+009F, but also other characters.
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 else { continue }
                if byte == 0xC2, utf8[index + 1] >= 0xA0 { continue }
                bytes += utf8[start..<index]
                start = index + (byte == 0xC2 ? 2 : 1)
                switch byte {
                case 0x22, 0x5C: bytes += [0x5C, byte]
                case 0x0A: bytes += "\\n".utf8
                case 0x0D: bytes += "\\r".utf8
                case 0x09: bytes += "\\t".utf8
                case 0x08: bytes += "\\b".utf8
                case 0x0C: bytes += "\\f".utf8
                default:
                    let digits = String(byte == 0xC2 ? utf8[index + 1] : byte, radix: 16)
                    bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
                }
            }
            bytes += utf8[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends JSON, and escapes control characters that JSON itself allows in strings.
    private static func append(controlsOf json: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        bytes += String(decoding: json, as: UTF8.self).escapingControls(butFor: [], as: JSONText.escape).utf8
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// An array whose elements are printed as they come, one per line.
final class JSONLines {
    private let output: Output
    private var count = 0
    // The line in progress. Its memory is used again for the next line.
    private var line: [UInt8] = []

    init(_ output: Output) {
        self.output = output
        output.write("[")
    }

    func add(_ value: JSONText) throws {
        count += 1
        line.removeAll(keepingCapacity: true)
        line += (count == 1 ? "\n  " : ",\n  ").utf8
        try value.append(to: &line)
        output.write(line)
    }

    func finish() { output.write(count == 0 ? "]\n" : "\n]\n") }
}
