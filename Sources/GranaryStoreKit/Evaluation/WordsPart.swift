// A search of a record's texts: one part adds each text that is not nil, and the last part answers.

/// The words of the record that is being searched.
final class SearchedWords {
    fileprivate let matcher: WordMatcher

    init(_ question: WordQuestion) { matcher = WordMatcher(question) }
}

/// Adds the words of a text.
final class AddedWordsPart: ExpressionPart {
    private let words: SearchedWords
    private let number: Int

    init(_ words: SearchedWords, _ number: Int) { (self.words, self.number) = (words, number) }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        guard left.kind == .text else { return .null }
        do {
            try words.matcher.add(left.rawBytes, as: number)
        } catch {
            words.matcher.clear()
            throw error
        }
        return .null
    }
}

/// Answers the question, and forgets the words.
final class AnsweredWordsPart: ExpressionPart {
    private let words: SearchedWords

    init(_ words: SearchedWords) { self.words = words }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        defer { words.matcher.clear() }
        guard let ranking = words.matcher.question.ranking else { return .integer(words.matcher.holds ? 1 : 0) }
        guard ranking.statistics != nil else { throw GranaryError.rankWithoutStatistics }
        return .real(words.matcher.score)
    }
}

extension GranaryError {
    static var rankWithoutStatistics: GranaryError {
        GranaryError(
            .invalidQuery, "A rank is computed for requests that a context runs. Run the request in a context.")
    }
}
