package import GranaryCore

extension WordQuestion {
    /// The answer for a record's texts, for evaluators that look at every row. What words a text has, and whether they
    /// answer a question, takes the library's word: the suite has a reference of its own.
    package func naiveAnswer(_ texts: [StoredValue]) throws -> StoredValue {
        let matcher = WordMatcher(self)
        for (number, text) in texts.enumerated() {
            guard case .text(let utf8) = text else { continue }
            try utf8.withUnsafeBytes { try matcher.add($0, as: number) }
        }
        return ranking == nil ? .integer(matcher.holds ? 1 : 0) : .real(matcher.score)
    }
}
