/// Turns a search into the form for stores.
package struct WordQuestionBuilder {
    /// The number of an attribute's text, by its name.
    private let number: (String) throws -> Int
    private var reader = WordReader()
    package private(set) var terms: [WordQuestion.Term] = []
    private var numbers: [WordQuestion.Term: Int] = [:]

    package init(number: @escaping (String) throws -> Int) { self.number = number }

    // The depth is bounded by SearchText.maximumDepth.
    package mutating func node(_ node: SearchText.Node, in text: Int?) throws -> WordQuestion.Node {
        switch node {
        case .words(let words, let isBeginning): return try term(words, isBeginning, nil, in: text)
        case .near(let words, let distance): return try term(words, false, distance, in: text)
        case .all(let parts): return .all(try parts.map { try self.node($0, in: text) })
        case .any(let parts): return .any(try parts.map { try self.node($0, in: text) })
        case .not(let inner): return .not(try self.node(inner, in: text))
        case .attribute(let name, let inner): return try self.node(inner, in: try number(name))
        case .invalid(let reason): throw GranaryError(.invalidQuery, reason)
        }
    }

    private mutating func term(
        _ text: String, _ isBeginning: Bool, _ distance: Int?, in number: Int?
    ) throws -> WordQuestion.Node {
        var (words, isBeginning) = try searched(text, isBeginning)
        if words.isEmpty { return .any([]) }
        if distance != nil { isBeginning = false }
        let term = WordQuestion.Term(words, isPrefix: isBeginning, text: number, distance: distance)
        if let known = numbers[term] { return .term(known) }
        numbers[term] = terms.count
        terms.append(term)
        return .term(terms.count - 1)
    }

    /// The words of a text in the form in which they are searched. One character of a script without spaces is the
    /// beginning of a pair.
    private mutating func searched(_ text: String, _ isBeginning: Bool) throws -> ([[UInt8]], Bool) {
        var words: [[UInt8]] = []
        var isBeginning = isBeginning
        var (count, last) = (0, -1)
        var utf8 = Array(text.utf8)
        try utf8.withUnsafeMutableBytes { utf8 in
            try reader.forEachWord(in: UnsafeRawBufferPointer(utf8), after: &count) { word in
                // The pair before already has this character.
                guard word.position != last else { return }
                last = word.position
                words.append(Array(word.folded))
                if word.isUnspaced { isBeginning = true }
            }
        }
        return (words, isBeginning)
    }
}
