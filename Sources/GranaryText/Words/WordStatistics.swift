import GranaryPlatform

/// Counts what a rank needs to know about all records, one record after the other.
package struct WordStatistics {
    private let question: WordQuestion
    private var recordCount: Int
    private var wordCount: Int
    /// For each term the number of records that have it.
    private var counts: [Int]

    package init(for question: WordQuestion) {
        self.init(for: question, records: 0, words: 0, counts: Array(repeating: 0, count: question.terms.count))
    }

    /// - Parameters:
    ///   - records: The number of records.
    ///   - words: The number of words of all records.
    ///   - counts: For each term the number of records that have it.
    package init(for question: WordQuestion, records: Int, words: Int, counts: [Int]) {
        self.question = question
        (recordCount, wordCount, self.counts) = (records, words, counts)
    }

    /// Counts the record that a matcher of the question has.
    package mutating func add(_ matcher: WordMatcher) {
        recordCount += 1
        wordCount += matcher.length
        for term in counts.indices where matcher.has(term) { counts[term] += 1 }
    }

    /// The statistics of the records so far. A term that is excluded has no weight.
    package var result: WordQuestion.Statistics {
        var wanted: Set<Int> = []
        question.root.addWanted(to: &wanted)
        let weights = counts.indices.map { term in
            wanted.contains(term) ? WordStatistics.weight(of: counts[term], among: recordCount) : 0
        }
        return WordQuestion.Statistics(
            weights: weights, averageLength: recordCount > 0 ? Double(wordCount) / Double(recordCount) : 0)
    }

    /// How much a term tells that a number of records have, of all records.
    package static func weight(of count: Int, among all: Int) -> Double {
        max(log((Double(all - count) + 0.5) / (Double(count) + 0.5)), 0.000_001)
    }
}
