/// Turns a search into the form for stores.
package struct WordQuestionBuilder {
    /// The numbers of the texts of an attribute, or of a group of attributes, by its name.
    private let texts: (String) throws -> [Int]
    private var reader: WordReader
    package private(set) var terms: [WordQuestion.Term] = []
    private var numbers: [WordQuestion.Term: Int] = [:]

    package init(_ rules: WordRules, texts: @escaping (String) throws -> [Int]) {
        (reader, self.texts) = (WordReader(rules), texts)
    }

    /// The tree of a search.
    ///
    /// - Throws: `invalidQuery`, `missingTokenizer`, `tokenizerFailed`.
    package mutating func question(_ search: SearchText) throws -> WordQuestion.Node {
        try node(search.root, in: nil) ?? .any([])
    }

    /// Nil for a part that asks for stop words only, which is as if it were not there.
    ///
    /// The depth is bounded by SearchText.maximumDepth.
    private mutating func node(_ node: SearchText.Node, in texts: [Int]?) throws -> WordQuestion.Node? {
        switch node {
        case .words(let words, let isBeginning): return try term(words, isBeginning, nil, in: texts)
        case .near(let words, let distance): return try term(words, false, distance, in: texts)
        case .all(let parts):
            let asking = try parts.compactMap { try self.node($0, in: texts) }
            return asking.isEmpty && !parts.isEmpty ? nil : .all(asking)
        case .any(let parts):
            let asking = try parts.compactMap { try self.node($0, in: texts) }
            return asking.isEmpty && !parts.isEmpty ? nil : .any(asking)
        case .not(let inner): return try self.node(inner, in: texts).map { .not($0) }
        case .attribute(let name, let inner): return try self.node(inner, in: try self.texts(name))
        case .invalid(let reason): throw GranaryError(.invalidQuery, reason)
        }
    }

    private mutating func term(
        _ text: String, _ isBeginning: Bool, _ distance: Int?, in texts: [Int]?
    ) throws -> WordQuestion.Node? {
        var searched = try searched(text, isBeginning && distance == nil)
        if searched.words.isEmpty { return searched.hasStopWords ? nil : .any([]) }
        if distance != nil { searched.isBeginning = false }
        let term = WordQuestion.Term(
            searched.words, isPrefix: searched.isBeginning, texts: texts, distance: distance)
        if let known = numbers[term] { return .term(known) }
        numbers[term] = terms.count
        terms.append(term)
        return .term(terms.count - 1)
    }

    /// The words of a text in the form in which they are searched, without stop words. One character of a script
    /// without spaces is the beginning of a pair.
    private mutating func searched(
        _ text: String, _ isBeginning: Bool
    ) throws -> (words: [[UInt8]], isBeginning: Bool, hasStopWords: Bool) {
        var words: [(word: [UInt8], isStopWord: Bool)] = []
        var isBeginning = isBeginning
        var (count, last) = (0, -1)
        try Array(text.utf8).withUnsafeBytes { utf8 in
            try reader.forEachWord(in: utf8, after: &count, hasStopWords: true) { word in
                // The pair before already has this character; or the words stand for each other.
                guard word.position != last else { return }
                last = word.position
                words.append((Array(word.folded), word.isStopWord))
                if word.isUnspaced { isBeginning = true }
            }
        }
        if words.last?.isStopWord ?? false { isBeginning = false }
        let wanted = words.filter { !$0.isStopWord }.map(\.word)
        return (wanted, isBeginning, wanted.count < words.count)
    }
}
