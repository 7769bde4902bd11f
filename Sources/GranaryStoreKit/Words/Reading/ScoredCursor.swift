/// The documents that fit a question, with their scores.
struct ScoredCursor<Key: DocumentKey> {
    private let root: DocumentCursor<Key>
    private let parts: [Part]
    /// The first part again, because most questions have only one, and a part in an array is counted as a reference
    /// each time.
    private let first: Part?
    private let weights: SlotWeights
    /// Nil if documents cannot be skipped.
    private let bounds: ScoreBounds<Key>?

    private struct Part {
        var documents: TermDocuments<Key>
        var formula: TermScore

        @inline(__always) func score(at key: Key, _ weights: SlotWeights) throws -> Double {
            guard try documents.isAt(key) else { return 0 }
            return formula.score(frequency: try documents.count(weights), length: documents.length)
        }
    }

    init(
        _ index: WordIndexReader, _ question: IndexQuestion, _ statistics: WordQuestion.Statistics, _ weights: [Double]?
    ) throws {
        var cursors = QuestionCursors<Key>(index.blocks, index.keys, question)
        root = try cursors.root()
        self.weights = SlotWeights(weights: weights)
        var parts: [Part] = []
        for term in question.positiveTerms {
            // A cursor of its own seeks each document; one of the question's own is there already.
            let documents = try cursors.synchronous[term] ?? cursors.documents(of: term)
            parts.append(
                Part(
                    documents: documents,
                    formula: TermScore(weight: statistics.weights[term], averageLength: statistics.averageLength)))
        }
        first = parts.first
        self.parts = Array(parts.dropFirst())
        bounds = ScoreBounds(
            parts.map { ($0.documents, $0.formula) }, weights,
            areSynchronous: question.positiveTerms.allSatisfy { cursors.synchronous[$0] != nil })
    }

    func best(_ limit: Int) throws -> [ScoredDocument] {
        guard limit > 0 else { return [] }
        var best = BestDocuments<Key>(limit: limit)
        // The key through which no documents can be skipped.
        var checked: Key?
        while !root.isAtEnd {
            let key = root.key
            if let bounds, best.isFull, checked.map({ key > $0 }) ?? true, let (most, end) = bounds.current(from: key) {
                if !best.accepts(most) {
                    try root.seek(atOrAfter: end.successor)
                    if !root.isAtEnd, root.key == end { break }
                    continue
                }
                checked = end
            }
            let score = try score(at: key)
            if best.accepts(score) { best.insert(key, score) }
            try root.next()
        }
        return best.sorted()
    }

    func score(_ document: [UInt8]) throws -> Double? {
        let key = try document.withUnsafeBytes { try Key(encoded: $0) }
        return try root.isAt(key) ? score(at: key) : nil
    }

    @inline(__always) private func score(at key: Key) throws -> Double {
        var sum = try first?.score(at: key, weights) ?? 0
        for index in parts.indices { sum += try parts[index].score(at: key, weights) }
        return sum
    }
}
