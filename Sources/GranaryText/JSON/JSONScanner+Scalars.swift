extension JSONScanner {
    /// Reads `true` or `false`.
    package mutating func bool() -> Bool? {
        skipWhiteSpace()
        if takeWord("true") { return true }
        if takeWord("false") { return false }
        return nil
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let start = position
        let isTaken = word.withUTF8Buffer { letters in letters.allSatisfy { take($0) } } && isAtEndOfWord
        if !isTaken { position = start }
        return isTaken
    }

    /// Reads a string and resolves its escapes; nil if it is not valid JSON text in UTF-8.
    package mutating func text() -> [UInt8]? {
        skipWhiteSpace()
        guard take(UInt8(ascii: "\"")) else { return nil }
        var reader = JSONTextReader(bytes, from: position)
        guard skipTextAfterQuote() else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(position - 1 - reader.position)
        while let byte = reader.next() { text.append(byte) }
        guard reader.isComplete, (try? UTF8Span(validating: text.span)) != nil else { return nil }
        return text
    }

    /// Reads a number; nil if the text is not a number by JSON's grammar.
    package mutating func number() -> JSONNumber? {
        skipWhiteSpace()
        guard let number = JSONNumber(bytes, at: &position), isAtEndOfWord else { return nil }
        return number
    }
}
