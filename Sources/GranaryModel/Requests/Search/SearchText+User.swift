extension SearchText: ExpressibleByStringLiteral {
    /// The search that a person means who types a text into a search field. It takes any text and never fails.
    ///
    /// Every word must occur. Words in quotation marks follow each other, a word with `-` in front must not occur, and a
    /// word with `*` behind it may go on: `"purple haze" -live hend*`. Anything else than words is ignored; so is what
    /// is beyond ``maximumWords``.
    public init(fromUser text: String) {
        var parts: [SearchText] = []
        var rest = text[...]
        while parts.count < SearchText.maximumWords, let part = SearchText.nextPart(&rest) { parts.append(part) }
        self = .all(parts)
    }

    /// The same as ``init(fromUser:)``.
    public init(stringLiteral text: String) { self.init(fromUser: text) }

    private static func nextPart(_ rest: inout Substring) -> SearchText? {
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard let first = rest.first else { return nil }
            let isExcluded = first == "-"
            if isExcluded { rest.removeFirst() }
            let words: Substring
            if rest.first == "\"" {
                rest.removeFirst()
                words = rest.prefix { $0 != "\"" }
                rest = rest[words.endIndex...].dropFirst()
            } else {
                words = rest.prefix { !$0.isWhitespace && $0 != "\"" }
                rest = rest[words.endIndex...]
            }
            let isBeginning = rest.first == "*" || words.last == "*"
            guard String(words).hasSearchedWord else { continue }
            let part = SearchText.words(
                String(words.last == "*" ? words.dropLast() : words), isBeginning: isBeginning)
            return isExcluded ? !part : part
        }
    }
}
