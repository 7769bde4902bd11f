/// A set of Unicode scalars in a regular expression.
struct ScalarSet: Sendable {
    /// The scalars of some ranges and some categories, or, if negated, all other scalars.
    struct Term: Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var categories: CategorySet = []
        var isNegated = false
    }

    /// A scalar is in the set if it is in one of these terms. With ``isNegated``, if it is in none of them.
    private(set) var terms: [Term]
    let isNegated: Bool
    /// The results for ASCII.
    private var ascii: (UInt64, UInt64) = (0, 0)

    init(_ terms: [Term], isNegated: Bool = false) {
        self.terms = terms
        self.isNegated = isNegated
    }

    /// The set for queries about folded scalars: it also contains the folded forms of its scalars.
    func prepared(for folding: TextFolding) -> ScalarSet {
        var set = self
        set.terms = terms.map { $0.prepared(for: folding) }
        for scalar in UInt32(0)..<64 where set.evaluates(scalar) { set.ascii.0 |= 1 << UInt64(scalar) }
        for scalar in UInt32(0)..<64 where set.evaluates(scalar + 64) { set.ascii.1 |= 1 << UInt64(scalar) }
        return set
    }

    /// Only for a prepared set.
    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return ascii.0 >> UInt64(scalar) & 1 == 1 }
        if scalar < 128 { return ascii.1 >> UInt64(scalar - 64) & 1 == 1 }
        return evaluates(scalar)
    }

    private func evaluates(_ scalar: UInt32) -> Bool {
        terms.contains { $0.contains(scalar) } != isNegated
    }
}

extension ScalarSet.Term {
    static let digits = ScalarSet.Term(categories: .decimalDigits)
    static let word = ScalarSet.Term(ranges: [0x5F...0x5F], categories: .word)
    /// The property White_Space.
    static let whiteSpace = ScalarSet.Term(ranges: [
        0x9...0xD, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ])

    var negated: ScalarSet.Term {
        ScalarSet.Term(ranges: ranges, categories: categories, isNegated: !isNegated)
    }

    mutating func formUnion(_ other: ScalarSet.Term) {
        ranges += other.ranges
        categories.formUnion(other.categories)
    }

    /// The folded term, with its ranges sorted and disjoint.
    fileprivate func prepared(for folding: TextFolding) -> ScalarSet.Term {
        var term = self
        if folding.contains(.caseInsensitive), !categories.isDisjoint(with: .cased) { term.categories.insert(.cased) }
        for range in ranges {
            term.ranges += FoldedScalars.of(folding).images(of: range)
        }
        term.ranges.sort { $0.lowerBound < $1.lowerBound }
        var apart: [ClosedRange<UInt32>] = []
        for range in term.ranges {
            if let last = apart.last, range.lowerBound <= last.upperBound {
                apart[apart.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                apart.append(range)
            }
        }
        term.ranges = apart
        return term
    }

    fileprivate func contains(_ scalar: UInt32) -> Bool {
        isListed(scalar) != isNegated
    }

    private func isListed(_ scalar: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        if low < ranges.count, ranges[low].contains(scalar) { return true }
        guard !categories.isEmpty, let scalar = Unicode.Scalar(scalar) else { return false }
        return categories.contains(CategorySet(scalar.properties.generalCategory))
    }
}
