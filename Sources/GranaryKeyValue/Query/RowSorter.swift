import GranaryStoreKit
import GranaryPlatform

// Rows are not copied for sorting: their bytes stay in the engine's memory until the next write. For each row, its
// address and a sort key are kept. The first 8 bytes of the sort key are in the entry itself and decide most
// comparisons.
//
// With a limit k, rows are collected up to twice k, sorted and cut back to k. From then on a row that is not before the
// k-th is dropped at once. That is O(n log k) time and O(k) memory, like a heap, with better locality.

/// Collects rows and returns them in order.
final class RowSorter {
    struct Entry {
        var leading: UInt64
        var offset: Int
        var count: Int
        var key: UnsafeRawBufferPointer
        var row: UnsafeRawBufferPointer
    }

    private let sortKey: SortKey
    private let top: Int?
    private var entries: ContiguousArray<Entry> = []
    private var arena: UnsafeMutableRawPointer
    private var capacity = 4096
    private var used = 0
    private var threshold: Entry?

    /// - Parameter top: The number of rows from the beginning of the order that are needed; nil for all.
    init(_ sortKey: SortKey, top: Int?) {
        self.sortKey = sortKey
        self.top = top
        arena = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { arena.deallocate() }

    /// Adds a row: its cells, and its address.
    ///
    /// - Throws: What computing the order's values throws.
    func add(_ cells: UnsafePointer<Cell>, key: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer) throws {
        if top == 0 { return }
        let room = try sortKey.take(cells)
        makeRoom(room)
        var encoder = KeyEncoder(arena + used, limit: room)
        sortKey.writeFirst(into: &encoder)
        // Possible as soon as there are 8 bytes: most rows beyond the threshold need no more of their key.
        if let threshold, encoder.count >= 8, RowSorter.leading(encoder) > threshold.leading { return }
        sortKey.writeRest(into: &encoder)
        let leading = RowSorter.leading(encoder)
        let entry = Entry(leading: leading, offset: used, count: encoder.count, key: key, row: row)
        if let threshold, !RowSorter.isBefore(entry, threshold, arena) { return }
        used += encoder.count
        entries.append(entry)
        if let top, entries.count >= top.addingReportingOverflow(max(top, 512)).partialValue, entries.count > top {
            prune(top)
        }
    }

    @inline(__always) private static func leading(_ encoder: KeyEncoder) -> UInt64 {
        leadingNumber(UnsafeRawBufferPointer(start: encoder.base, count: encoder.count))
    }

    private func makeRoom(_ count: Int) {
        guard used + count > capacity else { return }
        capacity = max(capacity * 2, used + count)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: arena, byteCount: used)
        arena.deallocate()
        arena = larger
    }

    /// Keeps only the first rows.
    private func prune(_ top: Int) {
        sort()
        entries.removeLast(entries.count - top)
        let kept = entries.reduce(0) { $0 + $1.count }
        let smaller = UnsafeMutableRawPointer.allocate(byteCount: max(capacity, kept), alignment: 8)
        var place = 0
        for index in entries.indices {
            (smaller + place).copyMemory(from: arena + entries[index].offset, byteCount: entries[index].count)
            entries[index].offset = place
            place += entries[index].count
        }
        arena.deallocate()
        arena = smaller
        capacity = max(capacity, kept)
        used = place
        threshold = entries.last
    }

    private func sort() {
        let arena = arena
        entries.withUnsafeMutableBufferPointer { $0.sort { RowSorter.isBefore($0, $1, arena) } }
    }

    @inline(__always)
    private static func isBefore(_ left: Entry, _ right: Entry, _ arena: UnsafeMutableRawPointer) -> Bool {
        if left.leading != right.leading { return left.leading < right.leading }
        let order = memcmp(arena + left.offset, arena + right.offset, min(left.count, right.count))
        return order != 0 ? order < 0 : left.count < right.count
    }

    /// The rows in order. The sorter is empty afterwards.
    func finish() -> ContiguousArray<Entry> {
        sort()
        if let top, entries.count > top { entries.removeLast(entries.count - top) }
        let result = entries
        entries = []
        used = 0
        threshold = nil
        return result
    }
}
