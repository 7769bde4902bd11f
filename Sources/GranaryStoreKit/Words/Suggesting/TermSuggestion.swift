/// A term of an index, and the number of documents that have it.
package struct TermSuggestion: Hashable, Sendable {
    package var term: [UInt8]
    package var documents: Int
    /// The number of letters by which it differs from the word that was asked for; 0 for a term with a prefix.
    package var distance: Int

    /// The nearest first, then the commonest, then by bytes.
    static func isBefore(_ left: TermSuggestion, _ right: TermSuggestion) -> Bool {
        if left.distance != right.distance { return left.distance < right.distance }
        if left.documents != right.documents { return left.documents > right.documents }
        return left.term.lexicographicallyPrecedes(right.term)
    }
}

/// Keeps the first of many suggestions.
struct FirstSuggestions {
    private let limit: Int
    private var kept: [TermSuggestion] = []

    init(limit: Int) { self.limit = max(0, limit) }

    /// Whether a suggestion with these numbers could be kept.
    func accepts(distance: Int, documents: Int) -> Bool {
        guard kept.count == limit, let last = kept.last else { return limit > 0 }
        return distance != last.distance ? distance < last.distance : documents >= last.documents
    }

    mutating func insert(_ suggestion: TermSuggestion) {
        guard accepts(distance: suggestion.distance, documents: suggestion.documents) else { return }
        let place = kept.firstIndex { TermSuggestion.isBefore(suggestion, $0) } ?? kept.count
        kept.insert(suggestion, at: place)
        if kept.count > limit { kept.removeLast() }
    }

    var all: [TermSuggestion] { kept }
}
