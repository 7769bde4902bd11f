extension JSONScanner {
    /// Moves past the next string that is a value, and not the name of a member, and returns it; nil at the end, and
    /// where the bytes are no JSON. A string that is not valid UTF-8 is left out.
    package mutating func nextString() -> [UInt8]? {
        while let byte = current {
            guard byte == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let start = position
            position += 1
            guard skipTextAfterQuote() else { return nil }
            let end = position
            skipWhiteSpace()
            if current == UInt8(ascii: ":") { continue }
            position = start
            if let text = text() { return text }
            position = end
        }
        return nil
    }
}
