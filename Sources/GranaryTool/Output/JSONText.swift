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
    var compact: String {
        var text = ""
        append(to: &text, indent: nil)
        return text
    }

    /// A line a member.
    var pretty: String {
        var text = ""
        append(to: &text, indent: 0)
        return text
    }

    private func append(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let number): text += number
        case .raw(let json): text += json
        case .string(let string): JSONText.quote(string, into: &text)
        case .array(let elements):
            JSONText.list("[", "]", elements, indent, &text) { element, inner, text in
                element.append(to: &text, indent: inner)
            }
        case .object(let members):
            JSONText.list("{", "}", members, indent, &text) { member, inner, text in
                JSONText.quote(member.0, into: &text)
                text += inner == nil ? ":" : ": "
                member.1.append(to: &text, indent: inner)
            }
        }
    }

    private static func list<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ indent: Int?, _ text: inout String,
        _ append: (Element, Int?, inout String) -> Void
    ) {
        text += open
        for (number, element) in elements.enumerated() {
            if number > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: "  ", count: indent + 1) }
            append(element, indent.map { $0 + 1 }, &text)
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    private static func quote(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
