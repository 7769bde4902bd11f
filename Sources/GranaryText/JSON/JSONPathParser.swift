/// Reads the text of a ``JSONPath``, scalar by scalar.
struct JSONPathParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Whether a key with this scalar needs no quotes.
    static func isBare(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "[", "]", "\"", "\\": false
        default: !scalar.properties.isWhitespace && scalar.value >= 0x20
        }
    }

    mutating func parse() throws -> [JSONPath.Step] {
        var steps: [JSONPath.Step] = []
        guard !scalars.isEmpty else { throw failure("The path is empty: write a key or a position.") }
        if current != "[" { steps.append(try key()) }
        while let scalar = current {
            switch scalar {
            case ".":
                position += 1
                steps.append(try key())
            case "[":
                position += 1
                steps.append(try index())
            default:
                throw failure(
                    "A point or a bracket is needed before \"\(scalar)\"; put keys with such letters in quotes.")
            }
        }
        return steps
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func key() throws -> JSONPath.Step {
        if current == "\"" { return try quotedKey() }
        let start = position
        while let scalar = current, JSONPathParser.isBare(scalar) { position += 1 }
        guard position > start else { throw failure("A key is missing.") }
        return .key(JSONPathParser.utf8(scalars[start..<position]))
    }

    private mutating func quotedKey() throws -> JSONPath.Step {
        let start = position
        position += 1
        var key: [Unicode.Scalar] = []
        while let scalar = current, scalar != "\"" {
            position += 1
            guard scalar == "\\" else {
                key.append(scalar)
                continue
            }
            guard let escaped = current, escaped == "\"" || escaped == "\\" else {
                throw failure("Only \\\" and \\\\ may follow a backslash.")
            }
            position += 1
            key.append(escaped)
        }
        guard current != nil else {
            position = start
            throw failure("The quote that opens here is never closed.")
        }
        position += 1
        return .key(JSONPathParser.utf8(key[...]))
    }

    private mutating func index() throws -> JSONPath.Step {
        let start = position
        var value = 0
        while let scalar = current, ("0"..."9").contains(scalar) {
            let (tens, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = tens.addingReportingOverflow(Int(scalar.value - 0x30))
            guard !first && !second else {
                position = start
                throw failure("The position is too large.")
            }
            value = sum
            position += 1
        }
        guard position > start else { throw failure("A position, 0 or greater, is missing after the bracket.") }
        guard current == "]" else { throw failure("A closing bracket is missing.") }
        position += 1
        return .position(value)
    }

    private static func utf8(_ scalars: ArraySlice<Unicode.Scalar>) -> [UInt8] {
        scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) }
    }

    private func failure(_ reason: String) -> GranaryError {
        GranaryError(.invalidQuery, "The JSON path is not valid at column \(position + 1). \(reason)")
    }
}
