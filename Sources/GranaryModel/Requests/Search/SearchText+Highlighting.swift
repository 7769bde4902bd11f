extension SearchText {
    /// The places of a text where the words of the search stand, in order: to show why a record was found.
    ///
    /// ```swift
    /// let search = SearchText(fromUser: field.text)
    /// for place in search.highlights(in: song.title) { attributed[place].font = .bold }
    /// ```
    ///
    /// Words are found by the default rules. Pass the field of a record that has ``WordRules`` or groups of attributes.
    ///
    /// Words that the search excludes have no places. Phrases have places only where they stand as a whole.
    ///
    /// - Parameters:
    ///   - text: A text as it is stored.
    ///   - attribute: The name of its attribute: parts of the search that look into another attribute find nothing.
    public func highlights(in text: String, of attribute: String? = nil) -> [Range<String.Index>] {
        let place = SearchPlace(attribute)
        return ((try? marked(text, place)) ?? ([], [])).places.map { text.range($0) }
    }

    /// The places of a text where the words of the search stand, by the ``WordRules`` of the record type and with its
    /// groups of attributes.
    ///
    /// ```swift
    /// let places = try search.highlights(in: page.text, as: Page.fields.text)
    /// ```
    ///
    /// - Throws: `unknownAttribute` or `invalidQuery` for a search, or a field, of another attribute than the searchable
    ///   ones of the record; `missingTokenizer`, `tokenizerFailed`.
    public func highlights<Root, Value>(
        in text: String, as field: Field<Root, Value>
    ) throws -> [Range<String.Index>] {
        try marked(text, SearchPlace(field)).places.map { text.range($0) }
    }

    /// A part of a text around the first words of the search.
    public struct Snippet: Sendable, Hashable {
        /// The part of the text.
        public var text: Substring
        /// The places of the words of the search in it.
        public var highlights: [Range<String.Index>]
        /// Whether the text goes on before and after the part.
        public var isCutBefore, isCutAfter: Bool
    }

    /// The part of a text that shows most of the words of the search; the beginning if it has none of them.
    ///
    /// ```swift
    /// let snippet = search.snippet(of: page.text, words: 12)
    /// print((snippet.isCutBefore ? "…" : "") + snippet.text)
    /// ```
    ///
    /// - Parameters:
    ///   - text: A text as it is stored.
    ///   - count: The number of words of the part, at least 1.
    ///   - attribute: The name of its attribute, as for ``highlights(in:of:)``.
    public func snippet(of text: String, words count: Int = 16, of attribute: String? = nil) -> Snippet {
        let place = SearchPlace(attribute)
        return snippet(of: text, count, (try? marked(text, place)) ?? ([], []))
    }

    /// The part of a text that shows most of the words of the search, by the ``WordRules`` of the record type and with
    /// its groups of attributes. Stop words do not count as words.
    ///
    /// - Throws: The errors of ``highlights(in:as:)``.
    public func snippet<Root, Value>(
        of text: String, words count: Int = 16, as field: Field<Root, Value>
    ) throws -> Snippet {
        snippet(of: text, count, try marked(text, SearchPlace(field)))
    }

    private func snippet(of text: String, _ count: Int, _ marked: Marked) -> Snippet {
        let (places, words) = marked
        let count = max(1, count)
        // The first window of words with the most places; a place begins where a word begins.
        let starts = Set(places.map(\.lowerBound))
        let isMarked = words.map { starts.contains($0.lowerBound) }
        var (best, mostMarked, marked) = (0, 0, 0)
        for index in words.indices {
            marked += isMarked[index] ? 1 : 0
            if index >= count, isMarked[index - count] { marked -= 1 }
            if marked > mostMarked { (mostMarked, best) = (marked, max(0, index - count + 1)) }
        }
        // A few words before the first one, so that it can be understood.
        if mostMarked > 0, let first = words.indices.first(where: { $0 >= best && isMarked[$0] }) {
            best = max(0, min(first - count / 4, words.count - count))
        }
        let last = min(words.count, best + count)
        let isCutBefore = best > 0
        let isCutAfter = last < words.count
        let start = isCutBefore ? words[best].lowerBound : 0
        let end = isCutAfter ? words[last - 1].upperBound : text.utf8.count
        let shown = places.filter { $0.lowerBound >= start && $0.upperBound <= end }
        return Snippet(
            text: text[text.range(start..<end)], highlights: shown.map { text.range($0) }, isCutBefore: isCutBefore,
            isCutAfter: isCutAfter)
    }

    private typealias Marked = (places: [Range<Int>], words: [Range<Int>])

    /// The places of the search's words and those of all words, in bytes. Words that overlap are one place.
    private func marked(_ text: String, _ place: SearchPlace) throws -> Marked {
        var text = text
        return try text.withUTF8 { utf8 in
            let utf8 = UnsafeRawBufferPointer(utf8)
            var builder = WordQuestionBuilder(place.rules) { try place.texts($0) }
            let root = try builder.question(self)
            let matcher = WordMatcher(WordQuestion(root, builder.terms, areJSON: [], rules: place.rules))
            try matcher.add(utf8, as: place.text)
            let positions = matcher.positions
            var (places, words): ([Range<Int>], [Range<Int>]) = ([], [])
            var (count, reader) = (0, WordReader(place.rules))
            try reader.forEachWord(in: utf8, after: &count) { word in
                words.add(word.place)
                if positions.contains(word.position) { places.add(word.place) }
            }
            return (places, words)
        }
    }
}

/// Which text is marked.
private struct SearchPlace {
    var rules = WordRules()
    /// The number of the text.
    var text = 0
    /// The numbers of the texts of an attribute or a group.
    var texts: (String) throws -> [Int]

    /// A text of an attribute; nil if it may be any.
    init(_ attribute: String?) { texts = { attribute == nil || $0 == attribute ? [0] : [1] } }

    init<Root, Value>(_ field: Field<Root, Value>) throws {
        let entity = Root.entity
        rules = entity.words
        text = try entity.searchedTexts(named: field.attributePath).first ?? 0
        texts = { try entity.searchedTexts(named: $0) }
    }
}

extension [Range<Int>] {
    /// Adds a range that does not begin before the last one; joins it with the last one if they overlap.
    fileprivate mutating func add(_ range: Range<Int>) {
        if let last, range.lowerBound < last.upperBound {
            self[count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
        } else {
            append(range)
        }
    }
}

extension String {
    fileprivate func range(_ bytes: Range<Int>) -> Range<String.Index> {
        utf8.index(startIndex, offsetBy: bytes.lowerBound)..<utf8.index(startIndex, offsetBy: bytes.upperBound)
    }
}
