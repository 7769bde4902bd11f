/// The path to a value inside JSON: keys with points between them, and positions in brackets.
///
/// ```swift
/// let path = try JSONPath("theme.colours[0].name")
/// let odd = try JSONPath("\"odd key\".x")
/// ```
///
/// A key needs no quotes if it has no white space and none of `.`, `[`, `]`, `"` and `\`. Otherwise it is written in
/// double quotes, where `\"` and `\\` mean a quote and a backslash. Positions count from 0. Keys are compared by their
/// UTF-8 bytes.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    /// One step down.
    package enum Step: Sendable, Hashable {
        /// Into an object, by a key in UTF-8.
        case key([UInt8])
        /// Into an array.
        case position(Int)
    }

    package let steps: [Step]
    /// The path as text that reads back as the same path, with quotes only where they are needed.
    public let description: String

    /// - Throws: ``GranaryError/Code/invalidQuery``, with the column of the first mistake in the text.
    public init(_ text: String) throws {
        var parser = JSONPathParser(text)
        try self.init(steps: parser.parse())
    }

    private init(steps: [Step]) {
        self.steps = steps
        description = JSONPath.describe(steps)
    }

    public static func == (left: JSONPath, right: JSONPath) -> Bool { left.steps == right.steps }
    public func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

extension JSONPath: Codable {
    /// Decodes the text of the path.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension JSONPath {
    private static func describe(_ steps: [Step]) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .position(let position): text += "[\(position)]"
            case .key(let utf8):
                if !text.isEmpty { text += "." }
                // The bytes come from a `String`, so they are valid UTF-8.
                let key = String(decoding: utf8, as: UTF8.self)
                text += !key.isEmpty && key.unicodeScalars.allSatisfy(JSONPathParser.isBare) ? key : quoted(key)
            }
        }
        return text
    }

    private static func quoted(_ key: String) -> String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in key.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }
}
