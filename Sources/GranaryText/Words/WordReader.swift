/// Reads the words of texts in the form in which they are searched: folded, and not longer than ``longestWord``.
///
/// The form is a part of the store's format. Whoever changes which words a text has, or their form, raises
/// ``formatVersion``.
package struct WordReader {
    /// The number of the rules by which texts are divided into words.
    package static let formatVersion = 1
    /// The longest word in bytes. The rest of a longer word is ignored.
    package static let longestWord = 128
    /// More bytes of a word are not folded.
    private static let longestSource = 1024

    /// The most words that a tokenizer may give for one place.
    private static let mostWordsAtPlace = 64
    private let rules: WordRules
    private let stopWords: Set<[UInt8]>?
    /// Nil for the default rules, and until the first text is read.
    private var tokenizer: (any WordTokenizer)?
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
        /// Whether it is a stop word.
        package var isStopWord = false
    }

    package init(_ rules: WordRules = WordRules()) {
        self.rules = rules
        stopWords = rules.stopWords?.folded
    }

    /// A word in the form in which it is searched.
    static func folded(_ word: String) -> [UInt8] {
        var reader = WordReader()
        return Array(word.utf8).withUnsafeBytes { utf8 in
            (try? reader.fold(utf8)) == nil ? [] : reader.folded
        }
    }

    /// Makes ``folded`` the form of a word in which it is searched, before it is cut.
    private mutating func fold(_ source: UnsafeRawBufferPointer) throws {
        try folder.fold(source.cut(to: WordReader.longestSource), into: &folded)
        replaceApostrophes()
    }

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
    /// - Parameters:
    ///   - count: The number of words before the text, to which those of the text are added.
    ///   - hasStopWords: Whether stop words are given, and counted, like other words.
    /// - Throws: `missingTokenizer`, `tokenizerFailed`; what the closure throws.
    package mutating func forEachWord(
        in utf8: UnsafeRawBufferPointer, after count: inout Int, hasStopWords: Bool = false,
        _ body: (Word) throws -> Void
    ) throws {
        if tokenizer == nil { tokenizer = try rules.makeTokenizer() }
        guard tokenizer == nil else {
            return try forEachTokenizedWord(in: utf8, after: &count, hasStopWords: hasStopWords, body)
        }
        var scanner = WordScanner(utf8)
        var end = 0
        while let place = scanner.next() {
            try fold(UnsafeRawBufferPointer(rebasing: utf8[place]))
            let isStopWord = stopWords?.contains(folded) ?? false
            if isStopWord, !hasStopWords { continue }
            if place.upperBound > end { count += 1 }
            end = place.upperBound
            let isUnspaced = scanner.isUnspaced
            try folded.withUnsafeBytes { folded in
                try body(
                    Word(
                        folded: folded.cut(to: WordReader.longestWord), place: place, position: count - 1,
                        isUnspaced: isUnspaced, isStopWord: isStopWord))
            }
        }
    }

    /// The same by the tokenizer, whose words are checked.
    private mutating func forEachTokenizedWord(
        in utf8: UnsafeRawBufferPointer, after count: inout Int, hasStopWords: Bool, _ body: (Word) throws -> Void
    ) throws {
        guard var tokenizer else { return }
        let name = rules.tokenizer ?? ""
        let text = String(decoding: utf8, as: UTF8.self)
        // The first error of a word: the tokenizer might not pass it on.
        var failure: (any Error)?
        var (start, number, isCounted) = (-1, 0, false)
        var known: [[UInt8]] = []
        func take(_ word: String, _ place: Range<String.Index>) throws {
            guard !place.isEmpty, place.lowerBound >= text.startIndex, place.upperBound <= text.endIndex else {
                throw GranaryError.tokenizer(name, "gives a word whose place is empty, or outside of the text")
            }
            let lower = text.utf8.distance(from: text.startIndex, to: place.lowerBound)
            let upper = text.utf8.distance(from: text.startIndex, to: place.upperBound)
            guard lower >= start else {
                throw GranaryError.tokenizer(
                    name, "gives a word at the byte \(lower) after one at \(start); words are given in their order")
            }
            if lower > start { (start, number, isCounted) = (lower, 0, false) }
            number += 1
            guard number <= WordReader.mostWordsAtPlace else {
                throw GranaryError.tokenizer(
                    name, "gives more than \(WordReader.mostWordsAtPlace) words for the byte \(lower) of a text")
            }
            var isStopWord = false
            if let stopWords {
                try Array(text.utf8[place]).withUnsafeBytes { try fold($0) }
                isStopWord = stopWords.contains(folded)
                if isStopWord, !hasStopWords { return }
            }
            var word = word
            try word.withUTF8 { try fold(UnsafeRawBufferPointer($0)) }
            guard !folded.contains(0) else { throw GranaryError.tokenizer(name, "gives a word with the character NUL") }
            if folded.isEmpty { return }
            if number == 1 { known.removeAll(keepingCapacity: true) }
            guard !known.contains(folded) else { return }
            known.append(folded)
            if !isCounted { (count, isCounted) = (count + 1, true) }
            try folded.withUnsafeBytes { folded in
                try body(
                    Word(
                        folded: folded.cut(to: WordReader.longestWord), place: lower..<upper, position: count - 1,
                        isUnspaced: false, isStopWord: isStopWord))
            }
        }
        defer { self.tokenizer = tokenizer }
        do {
            try tokenizer.findWords(in: text) { word, place in
                if let failure { throw failure }
                do {
                    try take(word, place)
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? GranaryError.tokenizer(name, "failed with \(type(of: error))").with(value: "\(error)")
        }
        if let failure { throw failure }
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
