import GranaryStoreKit

extension Plan.Range {
    /// All keys.
    static let whole = [Plan.Range(lower: [], upper: nil)]

    init(lower: [UInt8], upper: [UInt8]?) {
        self.init(lower: lower, end: upper.map { .before($0) } ?? .none)
    }

    /// All keys that begin with these bytes.
    init(prefix: [UInt8]) { self.init(lower: prefix, end: .ofPrefix) }

    /// The end of the range, which is not part of it; nil if it has no end.
    var upper: [UInt8]? {
        switch end {
        case .none: nil
        case .before(let upper): upper
        case .ofPrefix: successorOfPrefix(lower)
        }
    }

    /// Writes ``upper`` into memory with room for any bound, and returns its length.
    func writeUpper(into room: UnsafeMutableRawBufferPointer) -> Int? {
        switch end {
        case .none: return nil
        case .before(let upper): return Plan.Range.write(upper, into: room)
        case .ofPrefix:
            guard let count = Plan.Range.write(lower, into: room) else { return nil }
            return makeSuccessorOfPrefix(UnsafeMutableRawBufferPointer(rebasing: room[..<count]))
        }
    }

    static func write(_ bound: [UInt8], into room: UnsafeMutableRawBufferPointer) -> Int? {
        guard bound.count <= room.count else { return nil }
        room.copyBytes(from: bound)
        return bound.count
    }

    var isEmpty: Bool {
        guard case .before(let upper) = end else { return false }
        return !Plan.Range.precedes(lower, upper)
    }

    /// The intersection of two ranges.
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
        let areInOrder = withUnsafeTemporaryAllocation(byteCount: KeyFormat.bufferSize, alignment: 8) { room in
            for range in ranges where !range.isEmpty {
                guard let last = merged.indices.last else {
                    merged.append(range)
                    continue
                }
                let end = merged[last].writeUpper(into: room).map { UnsafeRawBufferPointer(rebasing: room[..<$0]) }
                if let end, range.lower.withUnsafeBytes({ compareBytes(end, $0) < 0 }) {
                    merged.append(range)
                } else if precedes(range.lower, merged[last].lower) {
                    return false
                } else if let end, range.upper.map({ $0.withUnsafeBytes { compareBytes(end, $0) < 0 } }) ?? true {
                    merged[last] = Plan.Range(lower: merged[last].lower, upper: range.upper)
                }
            }
            return true
        }
        // Most ranges come in order.
        return areInOrder ? merged : Plan.Range.merged(ranges.sorted { precedes($0.lower, $1.lower) })
    }

    /// Whether an entry is the only one. No key begins with another key, so an entry whose key is the whole prefix is
    /// the only one.
    func isOnly(_ key: UnsafeRawBufferPointer) -> Bool {
        guard case .ofPrefix = end else { return false }
        return lower.withUnsafeBytes { areEqual($0, key) }
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in compareBytes(left, right) < 0 } }
    }

    /// The same entries, with those of one range moved to the end.
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
