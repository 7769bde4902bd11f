import GranaryStoreKit
import GranaryKeyValue

// A leaf page as `lmdb.h`'s library lays it out, little-endian where Granary runs it:
//
// | bytes | what |
// |---|---|
// | 8 | its number |
// | 2, 2 | padding, flags: 2 is a leaf |
// | 2, 2 | the start and the end of the free space |
// | 2 each | the offsets of its nodes, in the order of their keys |
//
// A node is 4 bytes with the length of its value, 2 with flags (0: the value is in the node), 2 with the length of its
// key, then key and value.

/// The leaf page around an entry of a snapshot, which lies in the mapped file.
struct LeafPage {
    private static let leaf = 2

    private let base: UnsafeRawPointer
    private let size: Int
    let count: Int

    /// Nil if the data around the key is not a leaf page.
    init?(holding key: UnsafeRawBufferPointer, size: Int) {
        guard size > 0, let start = key.baseAddress,
            let base = UnsafeRawPointer(bitPattern: UInt(bitPattern: start) / UInt(size) * UInt(size))
        else { return nil }
        let end = base.u16(12)
        guard base.u16(10) == LeafPage.leaf, end > StructureWalk.header, end <= size else { return nil }
        self.base = base
        self.size = size
        count = (end - StructureWalk.header) / 2
    }

    @inline(__always) private func node(_ index: Int) -> Int { base.u16(StructureWalk.header + 2 * index) }

    /// Nil if the key does not lie inside the page.
    func key(_ index: Int) -> UnsafeRawBufferPointer? {
        let start = node(index) + StructureWalk.nodeHeader
        guard start <= size else { return nil }
        let length = base.u16(start - 2)
        return length <= size - start ? UnsafeRawBufferPointer(start: base + start, count: length) : nil
    }

    /// Nil if the entry does not exist, its value lies elsewhere, or it does not lie inside the page.
    @inline(__always) func entry(_ index: Int) -> KeyValueEntry? {
        guard index >= 0, index < count else { return nil }
        let node = node(index)
        guard node + StructureWalk.nodeHeader <= size, base.u16(node + 4) == 0 else { return nil }
        let key = node + StructureWalk.nodeHeader
        let value = key + base.u16(node + 6)
        let length = base.u32(node)
        guard value <= size, length <= size - value else { return nil }
        return KeyValueEntry(
            key: UnsafeRawBufferPointer(start: base + key, count: value - key),
            value: UnsafeRawBufferPointer(start: base + value, count: length))
    }

    /// The index of the entry whose key is at this address.
    func index(of key: UnsafeRawBufferPointer) -> Int? {
        guard let start = key.baseAddress else { return nil }
        let node = base.distance(to: start) - StructureWalk.nodeHeader
        return (0..<count).first { self.node($0) == node }
    }

    /// The number of entries from `first` on that are before a bound; nil if the page is damaged.
    func count(from first: Int, before bound: UnsafeRawBufferPointer?) -> Int? {
        guard let bound, first < count else { return count - first }
        guard let last = key(count - 1) else { return nil }
        if compareBytes(last, bound) < 0 { return count - first }
        var (low, high) = (first, count - 1)
        while low < high {
            let middle = (low + high) / 2
            guard let key = key(middle) else { return nil }
            if compareBytes(key, bound) < 0 { low = middle + 1 } else { high = middle }
        }
        return low - first
    }
}
