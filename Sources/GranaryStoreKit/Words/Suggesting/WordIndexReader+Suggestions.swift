extension WordIndexReader {
    /// The commonest terms that begin with a prefix, the commonest first; an empty prefix stands for all terms.
    ///
    /// All headers with the prefix are looked at, which `wordbench` measures. A caller with a large
    /// vocabulary asks from the second letter on, or keeps the answers for single letters.
    package func suggestions(prefix: [UInt8], limit: Int) throws -> [TermSuggestion] {
        var first = FirstSuggestions(limit: limit)
        try eachTerm(prefix) { term, documents in
            if first.accepts(distance: 0, documents: documents) {
                first.insert(TermSuggestion(term: [UInt8](term), documents: documents, distance: 0))
            }
            return true
        }
        return first.all
    }

    /// The terms that differ from a word by at most `distance` letters, the nearest first, then the commonest. The word
    /// itself is among them if the index has it.
    ///
    /// All terms with the same first letter are looked at, because most misspelt words have that letter right. Of the
    /// other terms at most `others` are looked at, in the order of their bytes.
    package func corrections(
        of word: [UInt8], distance: Int = 2, limit: Int, others: Int = 200_000
    ) throws -> [TermSuggestion] {
        guard limit > 0, distance >= 0, let lead = word.first else { return [] }
        let firstLetter = Array(word.prefix(WordIndexReader.letterLength(lead)))
        var search = CorrectionSearch(word, distance: distance, limit: limit)
        try eachTerm(firstLetter) { term, documents in
            search.look(at: term, documents)
            return true
        }
        var rest = others
        try eachTerm(without: firstLetter) { term, documents in
            guard rest > 0 else { return false }
            rest -= 1
            search.look(at: term, documents)
            return true
        }
        return search.first.all
    }

    /// Calls the closure with each term that begins with a prefix and its number of documents, while it returns true.
    private func eachTerm(
        _ prefix: [UInt8], _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws {
        try eachHeader(from: keys.allHeaders + prefix) { term, documents in
            guard hasPrefix(term, prefix) else { return false }
            return try body(term, documents)
        }
    }

    /// The same for all terms that do not begin with a letter.
    private func eachTerm(
        without letter: [UInt8], _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws {
        // The terms before those with the letter, and then the terms after them.
        var isAtLetter = false
        var hasEnded = false
        try eachHeader(from: keys.allHeaders) { term, documents in
            isAtLetter = hasPrefix(term, letter)
            if isAtLetter { return false }
            hasEnded = try !body(term, documents)
            return !hasEnded
        }
        guard isAtLetter, !hasEnded, let last = letter.last, last < 255 else { return }
        try eachHeader(from: keys.allHeaders + letter.dropLast() + [last + 1], body)
    }

    private func eachHeader(
        from key: [UInt8], _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws {
        try blocks.readEach(from: key) { header in
            guard let term = keys.term(ofHeader: header.key) else { return false }
            return try body(term, TermHeader(parsing: header.value).documents)
        }
    }

    /// The bytes of a letter in UTF-8, by its first byte.
    private static func letterLength(_ lead: UInt8) -> Int {
        switch lead {
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
    }
}

/// Compares terms with one word.
struct CorrectionSearch {
    private var edits: EditDistance
    private(set) var first: FirstSuggestions

    init(_ word: [UInt8], distance: Int, limit: Int) {
        edits = EditDistance(word, limit: distance)
        first = FirstSuggestions(limit: limit)
    }

    mutating func look(at term: UnsafeRawBufferPointer, _ documents: Int) {
        guard let distance = edits.distance(to: term) else { return }
        first.insert(TermSuggestion(term: [UInt8](term), documents: documents, distance: distance))
    }
}
