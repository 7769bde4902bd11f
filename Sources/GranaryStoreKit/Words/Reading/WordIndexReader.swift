/// Answers questions from an index of words, in the state that the blocks have during each call.
///
/// ```swift
/// let reader = try WordIndexReader(blocks, index: 7)
/// try reader.matches(question) { key in
///     print(key)
///     return true
/// }
/// ```
package final class WordIndexReader {
    let blocks: any WordBlocks
    let keys: WordKeys
    /// Nil for an index without blocks.
    package let totals: WordTotals?

    package init(_ blocks: any WordBlocks, index: UInt32) throws {
        self.blocks = blocks
        keys = WordKeys(index: index)
        var totals: WordTotals?
        _ = try blocks.read(keys.totals) { totals = try WordTotals(parsing: $0) }
        self.totals = totals
    }

    /// The number of documents that have a word.
    package func frequency(of word: [UInt8]) throws -> Int {
        var documents = 0
        try word.withUnsafeBytes { word in
            _ = try blocks.read(keys.header(DocumentWords.term(of: word))) {
                documents = try TermHeader(parsing: $0).documents
            }
        }
        return documents
    }

    /// Calls the closure with the key of each document that fits the question, in the order of the keys, while it
    /// returns true.
    package func matches(_ question: IndexQuestion, _ body: (_ key: [UInt8]) throws -> Bool) throws {
        switch totals?.keys {
        case .integers: try matches(QuestionCursors<UInt64>(blocks, keys, question), body)
        case .bytes: try matches(QuestionCursors<ByteKey>(blocks, keys, question), body)
        case nil: return
        }
    }

    /// What scores need to know of the whole index: the numbers of documents and words, and for each of some terms of a
    /// question the number of documents that have it. A prefix, a phrase, words near each other and words in some slots
    /// are counted, which takes as long as finding them all; a word's number of documents is read.
    package func frequencies(
        _ question: IndexQuestion, of terms: Set<Int>
    ) throws -> (documents: Int, words: Int, ofTerms: [Int]) {
        var frequencies = Array(repeating: 0, count: question.terms.count)
        for term in terms {
            switch totals?.keys {
            case .integers: frequencies[term] = try QuestionCursors<UInt64>(blocks, keys, question).count(term)
            case .bytes: frequencies[term] = try QuestionCursors<ByteKey>(blocks, keys, question).count(term)
            case nil: break
            }
        }
        return (totals?.documents ?? 0, totals?.words ?? 0, frequencies)
    }

    /// The documents with the greatest scores, the greatest first; of documents with equal scores those with the least
    /// keys, the least first.
    /// - Parameter weights: How much a word counts, by slot; 1 for slots that are not in the list.
    package func best(
        _ question: IndexQuestion, limit: Int, _ statistics: WordQuestion.Statistics, weights: [Double]? = nil
    ) throws -> [ScoredDocument] {
        switch totals?.keys {
        case .integers: try ScoredCursor<UInt64>(self, question, statistics, weights).best(limit)
        case .bytes: try ScoredCursor<ByteKey>(self, question, statistics, weights).best(limit)
        case nil: []
        }
    }

    /// The score of one document; nil if it does not fit the question.
    package func score(
        _ question: IndexQuestion, document: [UInt8], _ statistics: WordQuestion.Statistics, weights: [Double]? = nil
    ) throws -> Double? {
        switch totals?.keys {
        case .integers: try ScoredCursor<UInt64>(self, question, statistics, weights).score(document)
        case .bytes: try ScoredCursor<ByteKey>(self, question, statistics, weights).score(document)
        case nil: nil
        }
    }

    private func matches<Key: DocumentKey>(
        _ cursors: QuestionCursors<Key>, _ body: ([UInt8]) throws -> Bool
    ) throws {
        var cursors = cursors
        let root = try cursors.root()
        while !root.isAtEnd {
            guard try body(root.key.encoded) else { return }
            try root.next()
        }
    }
}

extension QuestionCursors {
    /// The number of documents that have a term of the question.
    func count(_ term: Int) throws -> Int {
        let cursor = try documents(of: term)
        if case .word(let cursor) = cursor { return cursor.documents }
        var count = 0
        while !cursor.isAtEnd {
            count += 1
            try cursor.next()
        }
        return count
    }
}
