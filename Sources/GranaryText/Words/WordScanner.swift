/// Finds the words of a text, one after the other: for an index of words, and for the questions to it.
///
/// Words are those of Unicode's default rules (UAX #29): letters and digits with what joins them (`can't`, `3.14`,
/// `a_b`), and marks. Anything else, such as spaces, punctuation and emoji, is between words. Scripts without spaces
/// (Han, kana, Thai and the like) would need a dictionary; there each two characters that follow each other are a word,
/// and so is the last character of a run: words overlap.
///
/// Bytes that are not valid UTF-8 are between words.
package struct WordScanner {
    private let utf8: UnsafeRawBufferPointer
    private let classes = WordClasses.shared
    /// Where the next word is looked for, in bytes.
    private(set) var position: Int
    /// Whether the last word is of a script without spaces.
    package private(set) var isUnspaced = false

    /// - Parameters:
    ///   - utf8: The text, which must stay valid while it is scanned.
    ///   - position: Where the scan goes on: the position of an earlier scanner of the text.
    package init(_ utf8: UnsafeRawBufferPointer, from position: Int = 0) {
        (self.utf8, self.position) = (utf8, position)
    }

    /// The bytes of the next word; nil at the end.
    package mutating func next() -> Range<Int>? {
        while let (kind, length) = read(position) {
            let start = position
            switch kind {
            case .letter, .hebrewLetter, .digit:
                position = endOfWord(after: kind, start + length)
                isUnspaced = false
                return start..<position
            case .connector:
                let end = endOfWord(after: kind, start + length)
                position = end
                isUnspaced = false
                if hasLetterOrDigit(start..<end) { return start..<end }
            case .unspaced:
                position = skipExtending(start + length)
                isUnspaced = true
                if let (second, length) = read(position), second == .unspaced {
                    return start..<skipExtending(position + length)
                }
                return start..<position
            default: position = start + length
            }
        }
        return nil
    }

    /// The class and the length of the scalar at an offset; nil at the end.
    @inline(__always) private func read(_ offset: Int) -> (kind: WordClass, length: Int)? {
        guard offset < utf8.count else { return nil }
        let (scalar, length) = UTF8Scan.scalar(utf8, at: offset)
        return length == 0 ? (.other, 1) : (classes[scalar], length)
    }

    private func skipExtending(_ start: Int) -> Int {
        var offset = start
        while let (kind, length) = read(offset), kind == .extending { offset += length }
        return offset
    }

    /// - Parameter kind: The class of the scalar before the offset.
    private func endOfWord(after kind: WordClass, _ start: Int) -> Int {
        var end = skipExtending(start)
        var last = kind
        while let (kind, length) = read(end) {
            let after = skipExtending(end + length)
            switch (last, kind) {
            case (_, .letter), (_, .hebrewLetter), (_, .digit), (_, .connector):
                (last, end) = (kind, after)
            case (.letter, .midLetter), (.letter, .midLetterOrNumber), (.letter, .singleQuote),
                (.hebrewLetter, .midLetter), (.hebrewLetter, .midLetterOrNumber), (.hebrewLetter, .singleQuote):
                if let (next, length) = read(after), next == .letter || next == .hebrewLetter {
                    (last, end) = (next, skipExtending(after + length))
                } else {
                    // A geresh ends a word.
                    return last == .hebrewLetter && kind == .singleQuote ? after : end
                }
            case (.hebrewLetter, .doubleQuote), (.digit, .midNumber), (.digit, .midLetterOrNumber),
                (.digit, .singleQuote):
                guard let (next, length) = read(after), next == last else { return end }
                end = skipExtending(after + length)
            default: return end
            }
        }
        return end
    }

    private func hasLetterOrDigit(_ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound, let (kind, length) = read(offset) {
            if kind == .letter || kind == .hebrewLetter || kind == .digit { return true }
            offset += length
        }
        return false
    }
}
