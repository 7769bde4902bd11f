import GranaryStoreKit

/// The entries of a plan in its direction: those of its ranges, or of its union.
final class EntryScan {
    /// The number of entries that are counted between two checks for cancellation.
    private static let stride = 4096
    /// The greatest number of entries that are read together.
    private static let mostHeld = 32

    private let cursor: any KeyValueCursor
    private let ranges: [Plan.Range]
    private let isReverse: Bool
    private let cancellation: CancellationFlag?
    private let union: UnionScan?
    private var next = 0
    private var isInside = false
    private var count = 0
    /// Entries that were read together and have not been returned yet.
    private let held: UnsafeMutablePointer<KeyValueEntry>
    private var heldCount = 0
    private var nextHeld = 0
    private var room = 4
    /// The end of the range being read: the upper one going up, the lower one going down.
    private let bound: UnsafeMutableRawPointer
    private var boundCount = -1

    /// - Parameter keysOnly: Whether the values of entries are not needed: in a union they are then empty.
    convenience init(
        _ plan: Plan, _ engine: any KeyValueReader, _ cancellation: CancellationFlag?, keysOnly: Bool = false
    ) throws {
        let union = plan.union.isEmpty ? nil : UnionScan(plan, engine, cancellation, keysOnly: keysOnly)
        try self.init(
            plan.keyspace, union == nil ? plan.ranges : [], isReverse: plan.isReverse, engine, cancellation, union)
    }

    /// The entries of ranges, ascending.
    convenience init(_ keyspace: Keyspace, _ ranges: [Plan.Range], _ session: KeyValueSession) throws {
        try self.init(keyspace, ranges, isReverse: false, session.engine, session.cancellation, nil)
    }

    init(
        _ keyspace: Keyspace, _ ranges: [Plan.Range], isReverse: Bool, _ engine: any KeyValueReader,
        _ cancellation: CancellationFlag?, _ union: UnionScan?
    ) throws {
        cursor = try engine.cursor(in: keyspace)
        self.ranges = isReverse ? ranges.reversed() : ranges
        self.isReverse = isReverse
        self.cancellation = cancellation
        self.union = union
        // A bound is never longer than the prefix of a key and a tag.
        bound = .allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
        held = .allocate(capacity: EntryScan.mostHeld)
    }

    deinit {
        bound.deallocate()
        held.deallocate()
    }

    @inline(__always) func advance() throws -> KeyValueEntry? {
        guard nextHeld < heldCount else { return try advanceFurther() }
        defer { nextHeld &+= 1 }
        return held[nextHeld]
    }

    @inline(never) private func advanceFurther() throws -> KeyValueEntry? {
        count &+= 1
        if count & 63 == 0, let cancellation { try cancellation.check() }
        if let union { return try union.advance() }
        while true {
            if isInside {
                if let entry = isReverse ? try cursor.previous() : try hold(), isWithin(entry.key) { return entry }
                isInside = false
            }
            guard next < ranges.count else { return nil }
            let range = ranges[next]
            next += 1
            if let entry = try enter(range), isWithin(entry.key) {
                isInside = !range.isOnly(entry.key)
                return entry
            }
        }
    }

    /// Reads the following entries that are inside the range, and returns the first of them.
    private func hold() throws -> KeyValueEntry? {
        if let cancellation { try cancellation.check() }
        heldCount = try cursor.next(into: UnsafeMutableBufferPointer(start: held, count: room))
        room = min(room * 2, EntryScan.mostHeld)
        nextHeld = 1
        guard heldCount > 0 else { return nil }
        if !isWithin(held[heldCount - 1].key) {
            isInside = false
            while heldCount > 0, !isWithin(held[heldCount - 1].key) { heldCount -= 1 }
        }
        return heldCount > 0 ? held[0] : nil
    }

    /// The number of remaining entries, counted up to `most`.
    func count(upTo most: Int) throws -> Int {
        var count = 0
        while count < most, try advance() != nil {
            count += 1
            guard union == nil, !isReverse else { continue }
            while isInside && count < most {
                if let cancellation { try cancellation.check() }
                let asked = min(most - count, EntryScan.stride)
                let bound = boundCount < 0 ? nil : UnsafeRawBufferPointer(start: bound, count: boundCount)
                let passed = try cursor.skip(asked, before: bound)
                count += passed
                isInside = passed == asked
            }
        }
        return count
    }

    @inline(__always) private func isWithin(_ key: UnsafeRawBufferPointer) -> Bool {
        if boundCount < 0 { return true }
        let order = compareBytes(key, UnsafeRawBufferPointer(start: bound, count: boundCount))
        return isReverse ? order >= 0 : order < 0
    }

    private func enter(_ range: Plan.Range) throws -> KeyValueEntry? {
        let room = UnsafeMutableRawBufferPointer(start: bound, count: KeyFormat.bufferSize)
        if isReverse {
            boundCount = Plan.Range.write(range.lower, into: room) ?? -1
            guard let upper = range.upper else { return try cursor.last() }
            let after = try upper.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
            return after == nil ? try cursor.last() : try cursor.previous()
        }
        boundCount = range.writeUpper(into: room) ?? -1
        if range.lower.isEmpty { return try cursor.first() }
        return try range.lower.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
    }
}
