// Stored text, names and messages may contain any character. A character that a terminal obeys (an escape sequence can
// clear the screen or overwrite text) is never printed as it is, but as `\n`, `\u{1B}`.

extension String {
    /// The text in one line, without characters that a terminal obeys.
    package var inOneLine: String { escapingControls(butFor: [], as: String.shown) }

    /// The same for a text with several lines.
    package var inLines: String { escapingControls(butFor: ["\n"], as: String.shown) }

    /// The beginning of the text in one line, for an error's ``GranaryError/value``: at most 60 characters. If the text
    /// is longer, the last one is `…`.
    package var shortened: String {
        let most = 60
        guard let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else {
            return inOneLine
        }
        return String(self[..<unicodeScalars.index(before: end)]).inOneLine + "…"
    }

    /// The text with its control characters, except `kept`, replaced by `shown`.
    package func escapingControls(butFor kept: Set<Unicode.Scalar>, as shown: (Unicode.Scalar) -> String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .control && !kept.contains(scalar)
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return unicodeScalars.map { isControl($0) ? shown($0) : String($0) }.joined()
    }

    private static func shown(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}
