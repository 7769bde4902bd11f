// Stored text, names and messages may hold any character. One that a terminal obeys (an escape sequence clears the screen, or
// writes over what was there) is never printed as it is, but as `\n`, `\u{1B}`.

extension String {
    /// The text in one line, without a character that a terminal obeys.
    package var inOneLine: String { escapingControls(butFor: [], as: String.shown) }

    /// The same for a text that has lines.
    package var inLines: String { escapingControls(butFor: ["\n"], as: String.shown) }

    /// The beginning of the text in one line, as an error's ``GranaryError/value`` has it: at most 60 characters, the last one
    /// `…` if there are more.
    package var shortened: String {
        let most = 60
        guard let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else {
            return inOneLine
        }
        return String(self[..<unicodeScalars.index(before: end)]).inOneLine + "…"
    }

    /// The text with its control characters, but for some, written in another way.
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
