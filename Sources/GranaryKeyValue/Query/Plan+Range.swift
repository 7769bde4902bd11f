import GranaryCore

extension Plan.Range {
    /// Everything.
    static let whole = [Plan.Range(lower: [], upper: nil)]

    var isEmpty: Bool {
        guard let upper else { return false }
        return !Plan.Range.precedes(lower, upper)
    }

    /// What two ranges have in common.
    func intersected(with other: Plan.Range) -> Plan.Range {
        let lower = Plan.Range.precedes(lower, other.lower) ? other.lower : lower
        guard let upper, let otherUpper = other.upper else {
            return Plan.Range(lower: lower, upper: upper ?? other.upper)
        }
        return Plan.Range(lower: lower, upper: Plan.Range.precedes(upper, otherUpper) ? upper : otherUpper)
    }

    /// The same entries in ranges that ascend and neither overlap nor touch.
    static func merged(_ ranges: [Plan.Range]) -> [Plan.Range] {
        var merged: [Plan.Range] = []
        merged.reserveCapacity(ranges.count)
        for range in ranges where !range.isEmpty {
            let last = merged.count - 1
            if last < 0 {
                merged.append(range)
            } else if let end = merged[last].upper, precedes(end, range.lower) {
                merged.append(range)
            } else if precedes(range.lower, merged[last].lower) {
                // Most come in order.
                return Plan.Range.merged(ranges.sorted { precedes($0.lower, $1.lower) })
            } else if let end = merged[last].upper, range.upper.map({ precedes(end, $0) }) ?? true {
                merged[last].upper = range.upper
            }
        }
        return merged
    }

    /// Whether an entry is the only one: none begins with another, so that one whose key is the whole beginning is alone.
    func isOnly(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let upper, let last = lower.last, key.count == lower.count, upper.count == lower.count, last < 0xFF,
            upper.last == last + 1
        else { return false }
        return lower.elementsEqual(key) && lower.dropLast().elementsEqual(upper.dropLast())
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in compareBytes(left, right) < 0 } }
    }

    /// The same entries, those of a range last and the others before them.
    static func moved(toEnd part: Plan.Range, _ ranges: [Plan.Range]) -> [Plan.Range] {
        let others = [
            Plan.Range(lower: [], upper: part.lower), part.upper.map { Plan.Range(lower: $0, upper: nil) },
        ]
        var result: [Plan.Range] = []
        for place in others.compactMap({ $0 }) + [part] {
            result += ranges.map { $0.intersected(with: place) }.filter { !$0.isEmpty }
        }
        return result
    }
}
