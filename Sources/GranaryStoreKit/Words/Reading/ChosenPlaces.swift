/// The documents of another cursor that have places which pass a test: in some slots only, or as a part of a phrase.
final class ChosenPlaces<Key: DocumentKey> {
    private let documents: DocumentCursor<Key>
    private let firstTerm: TermDocuments<Key>
    private let secondTerm: TermDocuments<Key>
    private let terms: [TermDocuments<Key>]
    private let choice: SlotChoice?
    /// Nil: the words follow each other. Otherwise all are so many words from the first one, or nearer.
    private let distance: Int?
    @exclusivity(unchecked) private var first: [UInt64] = []
    @exclusivity(unchecked) private var other: [UInt64] = []

    /// - Parameter terms: The words in their order: at least one.
    init(_ terms: [TermDocuments<Key>], in choice: SlotChoice?, distance: Int?) throws {
        self.terms = terms
        firstTerm = terms[0]
        secondTerm = terms.count > 1 ? terms[1] : .nothing
        self.choice = choice
        self.distance = distance
        documents =
            terms.count == 1 ? .term(terms[0]) : .all(try AllCursor(terms.map { .term($0) }, excluding: []))
        try skipUnchosen()
    }

    var isAtEnd: Bool { documents.isAtEnd }
    var key: Key { documents.key }
    var estimate: Int { documents.estimate }
    var length: Int { firstTerm.length }

    func next() throws {
        try documents.next()
        try skipUnchosen()
    }

    func seek(atOrAfter target: Key) throws {
        guard !isAtEnd, key < target else { return }
        try documents.seek(atOrAfter: target)
        try skipUnchosen()
    }

    func count(_ weights: SlotWeights) throws -> Double { first.reduce(0) { $0 + weights[$1] } }
    func appendPlaces(to places: inout [UInt64]) throws { places += first }

    private func skipUnchosen() throws {
        while !documents.isAtEnd {
            try findPlaces()
            if !first.isEmpty { return }
            try documents.next()
        }
        first.removeAll(keepingCapacity: true)
    }

    /// Makes ``first`` the places of the first word that count.
    private func findPlaces() throws {
        first.removeAll(keepingCapacity: true)
        if isRuledOut { return }
        try firstTerm.appendPlaces(to: &first)
        if let choice { first.removeAll { !choice.contains($0) } }
        for (index, term) in terms.enumerated().dropFirst() where !first.isEmpty {
            other.removeAll(keepingCapacity: true)
            try term.appendPlaces(to: &other)
            keep(offset: UInt64(index))
        }
    }

    /// Whether the first two words have one place each, which are not where they must be. Much more is seldom needed.
    private var isRuledOut: Bool {
        guard distance == nil, let first = firstTerm.single, let second = secondTerm.single else {
            return false
        }
        return second != first + 1
    }

    /// Keeps the places of the first word that have a place of the other word where it must be.
    private func keep(offset: UInt64) {
        var kept = 0
        var index = 0
        for place in first {
            let slotStart = (place >> 32) << 32
            let (least, greatest): (UInt64, UInt64)
            if let distance {
                let far = UInt64(clamping: distance)
                least = place - min(far, place - slotStart)
                greatest = place + min(far, slotStart + UInt64(UInt32.max) - place)
            } else {
                (least, greatest) = (place + offset, place + offset)
            }
            while index < other.count, other[index] < least { index += 1 }
            var found = index
            // Another word, not the same one again.
            if distance != nil, found < other.count, other[found] == place { found += 1 }
            if found < other.count, other[found] <= greatest {
                first[kept] = place
                kept += 1
            }
        }
        first.removeSubrange(kept...)
    }
}
