/// A set of attributes of an entity, by position.
public struct AttributeSet: Sendable, Hashable {
    // Positions 0 to 63; entities with more attributes are rare.
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: [UInt64] = []

    @inlinable public init() {}

    @inlinable public init(_ positions: some Sequence<Int>) { for position in positions { insert(position) } }

    public var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inlinable public func contains(_ position: Int) -> Bool {
        if position < 64 { return low & (1 << UInt64(max(0, position))) != 0 }
        let word = position / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(position % 64)) != 0
    }

    @inlinable public mutating func insert(_ position: Int) {
        guard position >= 64 else {
            low |= 1 << UInt64(max(0, position))
            return
        }
        let word = position / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(position % 64)
    }

    public mutating func formUnion(_ other: AttributeSet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (word, bits) in other.high.enumerated() { high[word] |= bits }
    }

    package func union(_ other: AttributeSet) -> AttributeSet {
        var all = self
        all.formUnion(other)
        return all
    }

    /// Whether the two sets have an attribute in common.
    public func intersects(_ other: AttributeSet) -> Bool {
        low & other.low != 0 || zip(high, other.high).contains { $0 & $1 != 0 }
    }

    /// The positions, ascending.
    public var positions: [Int] { (0..<(64 * (high.count + 1))).filter(contains) }

    public static func == (left: AttributeSet, right: AttributeSet) -> Bool {
        guard left.low == right.low else { return false }
        return (0..<max(left.high.count, right.high.count)).allSatisfy { left.word($0) == right.word($0) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(low)
        for word in high where word != 0 { hasher.combine(word) }
    }

    private func word(_ number: Int) -> UInt64 { number < high.count ? high[number] : 0 }
}
