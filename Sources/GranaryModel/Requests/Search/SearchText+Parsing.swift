extension SearchText {
    /// The search that a text says, in a strict form.
    ///
    /// | text | finds |
    /// |---|---|
    /// | `purple haze`, `purple AND haze` | both words |
    /// | `fire OR smoke` | at least one of the words |
    /// | `fire NOT live` | the first word without the second |
    /// | `"purple haze"` | the words following each other |
    /// | `hend*`, `"purple ha"*` | words that begin so |
    /// | `NEAR(purple haze, 5)` | the words, each at most 5 words away from the first |
    /// | `title:fire`, `title:(fire OR smoke)` | in one attribute |
    /// | `(fire OR smoke) NOT live` | parts in parentheses; `()` finds nothing |
    ///
    /// The operators are in capitals. `AND` binds more tightly than `OR`. In quotation marks, `""` is one `"`.
    ///
    /// - Throws: `invalidQuery`, with the place of the mistake.
    public init(parsing text: String) throws {
        var parser = SearchParser(text)
        self = try parser.search()
        if case .invalid(let reason) = root { throw GranaryError(.invalidQuery, reason) }
    }
}

private struct SearchParser {
    private let characters: [Character]
    private var position = 0
    private var depth = 0

    init(_ text: String) { characters = Array(text) }

    mutating func search() throws -> SearchText {
        let result = try disjunction()
        skipSpaces()
        guard position == characters.count else { throw failure("there is no \"(\" for this \")\"") }
        return result
    }

    private mutating func disjunction() throws -> SearchText {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SearchText.maximumDepth else {
            throw failure("it is nested more than \(SearchText.maximumDepth) deep")
        }
        var parts = [try conjunction()]
        while takeOperator("OR") { parts.append(try conjunction()) }
        return .any(parts)
    }

    private mutating func conjunction() throws -> SearchText {
        var parts = [try negation()]
        while true {
            if takeOperator("AND") {
                parts.append(try negation())
            } else if isAtPart, !isAt("OR") {
                parts.append(try negation())
            } else {
                return .all(parts)
            }
        }
    }

    private mutating func negation() throws -> SearchText {
        var isNegated = false
        while takeOperator("NOT") { isNegated.toggle() }
        let part = try part()
        return isNegated ? !part : part
    }

    private mutating func part() throws -> SearchText {
        skipSpaces()
        let start = position
        if take("(") {
            if skipSpaces(), take(")") { return .nothing }
            let inner = try disjunction()
            skipSpaces()
            guard take(")") else { throw failure("a \")\" is missing for this \"(\"", at: start) }
            return inner
        }
        if isAt("AND") || isAt("OR") || isAt("NOT") { throw failure("a word is expected before this operator") }
        if isAt("NEAR"), position + 4 < characters.count, characters[position + 4] == "(" {
            position += 5
            return try near(from: start)
        }
        guard let words = try quotedOrPlain() else {
            throw failure(position == characters.count ? "a word is expected at the end" : "a word is expected")
        }
        if current == ":" {
            position += 1
            depth += 1
            defer { depth -= 1 }
            guard depth <= SearchText.maximumDepth else {
                throw failure("it is nested more than \(SearchText.maximumDepth) deep")
            }
            return try part().in(words)
        }
        guard words.hasSearchedWord else { throw failure("\"\(words)\" has no letter and no digit", at: start) }
        return .phrase(words, beginning: take("*"))
    }

    private mutating func near(from start: Int) throws -> SearchText {
        var words: [String] = []
        var distance = 10
        while true {
            skipSpaces()
            if take(")") { break }
            if take(",") {
                skipSpaces()
                let from = position
                while let digit = current, digit.isASCII, digit.isNumber { position += 1 }
                guard let number = Int(String(characters[from..<position])),
                    (1...SearchText.maximumDistance).contains(number)
                else {
                    throw failure("a distance from 1 to \(SearchText.maximumDistance) is expected", at: from)
                }
                distance = number
                skipSpaces()
                guard take(")") else { throw failure("a \")\" is missing for this NEAR", at: start) }
                break
            }
            guard let word = try quotedOrPlain() else { throw failure("a \")\" is missing for this NEAR", at: start) }
            words.append(word)
        }
        let text = words.joined(separator: " ")
        guard text.hasSearchedWord else { throw failure("NEAR has no words", at: start) }
        return .near(text, within: distance)
    }

    /// Words in quotation marks, or characters up to a space or a sign; nil if neither follows.
    private mutating func quotedOrPlain() throws -> String? {
        let start = position
        guard take("\"") else {
            while let character = current, !character.isWhitespace, !"()\":*,".contains(character) { position += 1 }
            return start == position ? nil : String(characters[start..<position])
        }
        var text = ""
        while let character = current {
            position += 1
            if character != "\"" {
                text.append(character)
            } else if current == "\"" {
                position += 1
                text.append(character)
            } else {
                return text
            }
        }
        throw failure("the closing quotation mark is missing", at: start)
    }

    private var current: Character? { position < characters.count ? characters[position] : nil }

    @discardableResult private mutating func skipSpaces() -> Bool {
        while let character = current, character.isWhitespace { position += 1 }
        return true
    }

    private mutating func take(_ character: Character) -> Bool {
        guard current == character else { return false }
        position += 1
        return true
    }

    /// Whether an operator begins at the position.
    private func isAt(_ word: String) -> Bool {
        let end = position + word.count
        guard end <= characters.count, String(characters[position..<end]) == word else { return false }
        return end == characters.count || characters[end].isWhitespace || "()\"".contains(characters[end])
    }

    private mutating func takeOperator(_ word: String) -> Bool {
        skipSpaces()
        guard isAt(word) else { return false }
        position += word.count
        return true
    }

    private var isAtPart: Bool { current.map { $0 != ")" } ?? false }

    private func failure(_ message: String, at place: Int? = nil) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The search cannot be read at character \((place ?? position) + 1): \(message). The search is: \(String(characters))"
        )
    }
}

extension SearchText: CustomStringConvertible {
    /// The search as text that ``init(parsing:)`` reads as the same search.
    public var description: String { root.text(isOutermost: true) }
}

extension SearchText.Node {
    fileprivate func text(isOutermost: Bool) -> String {
        func group(_ parts: [SearchText.Node], _ separator: String) -> String {
            let joined = parts.map { $0.text(isOutermost: false) }.joined(separator: separator)
            return isOutermost ? joined : "(\(joined))"
        }
        return switch self {
        case .words(let text, let isBeginning): SearchText.Node.word(text) + (isBeginning ? "*" : "")
        case .near(let text, let distance): "NEAR(\(SearchText.Node.quoted(text)), \(distance))"
        case .all(let parts): group(parts, " ")
        case .any(let parts): parts.isEmpty ? "()" : group(parts, " OR ")
        case .not(let inner): "NOT \(inner.text(isOutermost: false))"
        case .attribute(let name, .not(let inner)):
            "\(SearchText.Node.word(name)):(NOT \(inner.text(isOutermost: false)))"
        case .attribute(let name, let inner): "\(SearchText.Node.word(name)):\(inner.text(isOutermost: false))"
        case .invalid(let reason): "<\(reason)>"
        }
    }

    private static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber }
        return isPlain && !["AND", "OR", "NOT", "NEAR"].contains(text) ? text : quoted(text)
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}

extension SearchText: Codable {
    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
