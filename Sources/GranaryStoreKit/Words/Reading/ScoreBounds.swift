/// Bounds for the scores of the next documents, from the bounds in the current blocks of the words of a question, so
/// that documents that cannot be among the best are passed without a look at them.
///
/// All cursors are at or after the question's current document. Up to the first of the ends of their blocks, a document
/// has a word only if its posting is in the word's current block. So the sum of the blocks' bounds is not exceeded. This
/// is the rule of block-max indexes (Ding and Suel, "Faster top-k document retrieval using block-max indexes", 2011).
struct ScoreBounds<Key: DocumentKey> {
    private let words: [(documents: TermCursor<Key>, formula: TermScore)]
    private let greatestWeight: Double

    /// Nil if a term is not a word, if a cursor is not moved together with the question, or if a weight is negative.
    init?(_ parts: [(TermDocuments<Key>, TermScore)], _ weights: [Double]?, areSynchronous: Bool) {
        guard areSynchronous, weights?.allSatisfy({ $0 >= 0 }) ?? true else { return nil }
        var words: [(documents: TermCursor<Key>, formula: TermScore)] = []
        for (documents, formula) in parts {
            switch documents {
            case .nothing: continue
            case .word(let cursor): words.append((cursor, formula))
            case .prefix, .chosen: return nil
            }
        }
        guard !words.isEmpty else { return nil }
        self.words = words
        greatestWeight = max(1, weights?.max() ?? 1)
    }

    /// A score that no document from the current one on exceeds up to a key, and that key. Nil if no bound is known.
    func current(from key: Key) -> (most: Double, end: Key)? {
        var most = 0.0
        var end: Key?
        for word in words where !word.documents.isAtEnd {
            let head = word.documents.head
            most += word.formula.score(
                frequency: Double(head.greatestCount) * greatestWeight, length: head.leastLength)
            if end.map({ head.last < $0 }) ?? true { end = head.last }
        }
        guard let end, end >= key else { return nil }
        // Scores are rounded, so a little is added.
        return (most * (1 + 1e-9), end)
    }
}
