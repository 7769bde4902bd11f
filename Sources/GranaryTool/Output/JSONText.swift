import GranaryCore
import GranaryFormats

/// JSON to be printed: members stay in the order they were given.
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
    var compact: String { get throws { try written(isPretty: false) } }

    /// A line a member.
    var pretty: String { get throws { try written(isPretty: true) } }

    private func written(isPretty: Bool) throws -> String {
        let sink = MemorySink()
        var writer = JSONWriter(sink, isPretty: isPretty)
        try write(to: &writer)
        try writer.finish()
        // Without the line end of a document. What a terminal would obey is in strings, where JSON has an escape for it.
        return String(decoding: sink.bytes.dropLast(), as: UTF8.self).escapingControls(butFor: ["\n"]) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
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

/// An array that is printed as its elements come: a line each.
final class JSONLines {
    private let output: Output
    private var count = 0

    init(_ output: Output) {
        self.output = output
        output.write("[")
    }

    func add(_ value: JSONText) throws {
        count += 1
        output.write((count == 1 ? "\n  " : ",\n  ") + (try value.compact))
    }

    func finish() { output.write(count == 0 ? "]\n" : "\n]\n") }
}
