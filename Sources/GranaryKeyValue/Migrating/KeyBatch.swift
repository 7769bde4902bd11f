import GranaryStoreKit

/// Keys that are added in any order and read in their own order.
///
/// Most keys of an index begin in the same way. Each key is stored with eight of its bytes as a number: the bytes after
/// the prefix that all keys share. Numbers are compared first, and the bytes of two keys only if their numbers are
/// equal, so that sorting rarely leaves the list of numbers.
struct KeyBatch {
    fileprivate struct Item {
        /// The bytes that are compared first; missing bytes of a short key are zeros.
        var number: UInt64 = 0
        var start: UInt32
        var count: UInt32
    }

    private var items: [Item] = []
    private var bytes: [UInt8] = []
    /// The number of bytes at the beginning that all keys share.
    private var sharedCount = 0

    var isEmpty: Bool { items.isEmpty }
    /// The memory of the keys and their numbers. Must stay below 4 GB.
    var byteCount: Int { bytes.count + items.count * MemoryLayout<Item>.stride }

    mutating func add(_ key: UnsafeRawBufferPointer) {
        sharedCount = items.isEmpty ? key.count : min(sharedCount, countShared(with: key))
        items.append(Item(start: UInt32(bytes.count), count: UInt32(key.count)))
        bytes.append(contentsOf: key)
    }

    /// Lends all keys in their order to the closure, and then removes them.
    mutating func removeAll(_ body: (SortedKeys) throws -> Void) rethrows {
        sort()
        try bytes.withUnsafeBytes { bytes in
            try items.withUnsafeBufferPointer { try body(SortedKeys(items: $0, bytes: bytes)) }
        }
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The keys of a batch in their order.
    struct SortedKeys: RandomAccessCollection {
        fileprivate let items: UnsafeBufferPointer<Item>
        fileprivate let bytes: UnsafeRawBufferPointer

        var startIndex: Int { 0 }
        var endIndex: Int { items.count }
        subscript(place: Int) -> UnsafeRawBufferPointer { KeyBatch.key(items[place], bytes) }
    }

    private mutating func sort() {
        bytes.withUnsafeBytes { bytes in
            for place in items.indices {
                let rest = KeyBatch.key(items[place], bytes).dropFirst(sharedCount)
                items[place].number = KeyBatch.number(UnsafeRawBufferPointer(rebasing: rest))
            }
            items.sort { left, right in
                if left.number != right.number { return left.number < right.number }
                return compareBytes(KeyBatch.key(left, bytes), KeyBatch.key(right, bytes)) < 0
            }
        }
    }

    /// The number of bytes that a key shares with the first one, at most the number that all others share.
    private func countShared(with key: UnsafeRawBufferPointer) -> Int {
        let most = min(sharedCount, key.count)
        var count = 0
        while count < most && bytes[count] == key[count] { count += 1 }
        return count
    }

    @inline(__always)
    private static func key(_ item: Item, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(item.start)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(item.count)])
    }

    /// The first eight bytes as a number with the same order as `memcmp`.
    private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        return bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset) }
    }
}
