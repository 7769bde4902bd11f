import GranaryCore

/// The entries of a plan's ranges, one after the other, in its direction.
final class EntryScan {
    private let cursor: any KeyValueCursor
    private let ranges: [Plan.Range]
    private let isReverse: Bool
    private let cancellation: CancellationFlag?
    private var next = 0
    private var isInside = false
    private var count = 0
    /// The end of the range being read: the upper one going up, the lower one going down.
    private let bound: UnsafeMutableRawPointer
    private var boundCount = -1

    init(_ plan: Plan, _ engine: any KeyValueReader, _ cancellation: CancellationFlag?) throws {
        cursor = try engine.cursor(in: plan.keyspace)
        ranges = plan.isReverse ? plan.ranges.reversed() : plan.ranges
        isReverse = plan.isReverse
        self.cancellation = cancellation
        // A bound is never longer than the prefix of a key and a tag.
        bound = .allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
    }

    deinit { bound.deallocate() }

    func advance() throws -> KeyValueEntry? {
        count &+= 1
        if count & 63 == 0, let cancellation { try cancellation.check() }
        while true {
            if isInside {
                if let entry = isReverse ? try cursor.previous() : try cursor.next(), isWithin(entry.key) {
                    return entry
                }
                isInside = false
            }
            guard next < ranges.count else { return nil }
            let range = ranges[next]
            next += 1
            if let entry = try enter(range), isWithin(entry.key) {
                isInside = true
                return entry
            }
        }
    }

    @inline(__always) private func isWithin(_ key: UnsafeRawBufferPointer) -> Bool {
        if boundCount < 0 { return true }
        let order = compareBytes(key, UnsafeRawBufferPointer(start: bound, count: boundCount))
        return isReverse ? order >= 0 : order < 0
    }

    private func enter(_ range: Plan.Range) throws -> KeyValueEntry? {
        let limit = isReverse ? (range.lower.isEmpty ? nil : range.lower) : range.upper
        boundCount = -1
        if let limit, limit.count <= KeyFormat.bufferSize {
            UnsafeMutableRawBufferPointer(start: bound, count: limit.count).copyBytes(from: limit)
            boundCount = limit.count
        }
        if isReverse {
            guard let upper = range.upper else { return try cursor.last() }
            let after = try upper.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
            return after == nil ? try cursor.last() : try cursor.previous()
        }
        if range.lower.isEmpty { return try cursor.first() }
        return try range.lower.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
    }
}
