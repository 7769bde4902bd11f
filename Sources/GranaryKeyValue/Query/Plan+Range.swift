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
        for range in ranges.sorted(by: { precedes($0.lower, $1.lower) }) where !range.isEmpty {
            guard let last = merged.last else {
                merged.append(range)
                continue
            }
            guard let end = last.upper else { break }
            if precedes(end, range.lower) {
                merged.append(range)
            } else if let upper = range.upper {
                if precedes(end, upper) { merged[merged.count - 1].upper = upper }
            } else {
                merged[merged.count - 1].upper = nil
            }
        }
        return merged
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
