/// How much one term of a question adds to the rank of a record: see ``WordMatcher/score``.
package struct TermScore {
    private let factor: Double
    private let perWord: Double
    private static let k = 1.2
    private static let b = 0.75

    /// - Parameters:
    ///   - weight: How much the term tells.
    ///   - averageLength: The average number of words of a record.
    package init(weight: Double, averageLength: Double) {
        factor = weight * (TermScore.k + 1)
        perWord = TermScore.k * TermScore.b / (averageLength > 0 ? averageLength : 1)
    }

    /// - Parameters:
    ///   - frequency: The number of occurrences in the record, each with the weight of its text.
    ///   - length: The number of words of the record.
    @inline(__always) package func score(frequency: Double, length: Int) -> Double {
        let divisor = frequency + TermScore.k * (1 - TermScore.b) + perWord * Double(length)
        return divisor > 0 ? factor * frequency / divisor : 0
    }
}
