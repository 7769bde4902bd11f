import GranaryCore

/// The keys of records that an import has counted.
///
/// An import may have any number of them, so they take little memory: ascending integers are kept as ranges, and other
/// keys as a digest of 128 bits. Two keys of one import have the same digest with a probability of less than one in
/// 10^20.
struct CountedKeys {
    private struct Digest: Hashable {
        let first: Int
        let second: Int
    }

    /// Sorted, with gaps between the ranges.
    private var ranges: [ClosedRange<Int64>] = []
    /// Integers that came after greater ones.
    private var integers: Set<Int64> = []
    private var digests: Set<Digest> = []

    mutating func insert(_ key: StoredValue) {
        guard case .integer(let number) = key else {
            digests.insert(CountedKeys.digest(key))
            return
        }
        guard let last = ranges.last else { return ranges.append(number...number) }
        if number > last.upperBound {
            if number - 1 == last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        } else if !contains(number) {
            integers.insert(number)
        }
    }

    func contains(_ key: StoredValue) -> Bool {
        guard case .integer(let number) = key else { return digests.contains(CountedKeys.digest(key)) }
        return contains(number)
    }

    private func contains(_ number: Int64) -> Bool {
        guard let last = ranges.last, number <= last.upperBound else { return false }
        if last.contains(number) { return true }
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return ranges[low].contains(number) || integers.contains(number)
    }

    private static func digest(_ key: StoredValue) -> Digest {
        var first = Hasher()
        first.combine(key)
        var second = Hasher()
        second.combine(1)
        second.combine(key)
        return Digest(first: first.finalize(), second: second.finalize())
    }
}
