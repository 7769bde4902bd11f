/// Reads the words of texts in the form in which they are searched: folded, and not longer than ``longestWord``.
///
/// The form is a part of the store's format. Whoever changes which words a text has, or their form, raises
/// ``formatVersion``.
package struct WordReader: Sendable {
    /// The number of the rules by which texts are divided into words.
    package static let formatVersion = 1
    /// The longest word in bytes. The rest of a longer word is ignored.
    package static let longestWord = 128
    /// More bytes of a word are not folded.
    private static let longestSource = 1024

    private var folder = TextFolder([.caseInsensitive, .diacriticInsensitive])
    private var folded: [UInt8] = []

    /// A word, lent for one call.
    package struct Word {
        /// The form in which it is searched.
        package var folded: UnsafeRawBufferPointer
        /// Where it stands in the text, in bytes.
        package var place: Range<Int>
        /// The number of words before it. The last character of a run without spaces has the number of the pair that it
        /// ends.
        package var position: Int
        /// Whether it is of a script without spaces.
        package var isUnspaced: Bool
    }

    package init() {}

    /// The typographic apostrophe is the same letter as the plain one.
    private mutating func replaceApostrophes() {
        let typographic: [UInt8] = [0xE2, 0x80, 0x99]
        var start = 0
        while let place = folded[start...].firstIndex(of: 0xE2) {
            start = place + 1
            guard folded[place...].starts(with: typographic) else { continue }
            folded.replaceSubrange(place..<place + 3, with: CollectionOfOne(UInt8(ascii: "'")))
        }
    }

    /// Calls a closure with each word of a text.
    ///
    /// - Parameter count: The number of words before the text, to which those of the text are added.
    package mutating func forEachWord(
        in utf8: UnsafeRawBufferPointer, after count: inout Int, _ body: (Word) throws -> Void
    ) throws {
        var scanner = WordScanner(utf8)
        var end = 0
        while let place = scanner.next() {
            if place.upperBound > end { count += 1 }
            end = place.upperBound
            let source = UnsafeRawBufferPointer(rebasing: utf8[place])
            try folder.fold(source.cut(to: WordReader.longestSource), into: &folded)
            replaceApostrophes()
            try folded.withUnsafeBytes { folded in
                let folded = folded.cut(to: WordReader.longestWord)
                try body(
                    Word(folded: folded, place: place, position: count - 1, isUnspaced: scanner.isUnspaced))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The whole scalars among the first bytes of valid UTF-8.
    fileprivate func cut(to limit: Int) -> UnsafeRawBufferPointer {
        guard count > limit else { return self }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }
}
