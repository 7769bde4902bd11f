import GranaryStoreKit

/// Keys that are added in any order, and read in their own.
///
/// Most keys of an index begin alike. Each key has beside it, as a number, eight of its bytes: those after what all of them
/// begin with. Numbers are compared first, and the bytes of two keys only where their numbers are the same, so that sorting
/// seldom leaves the list of numbers.
struct KeyBatch {
    fileprivate struct Item {
        /// The bytes that are compared first; zeros stand for those that a short key does not have.
        var number: UInt64 = 0
        var start: UInt32
        var count: UInt32
    }

    private var items: [Item] = []
    private var bytes: [UInt8] = []
    /// How many bytes all keys begin with.
    private var sharedCount = 0

    var isEmpty: Bool { items.isEmpty }
    /// What the keys take, with their numbers. Must stay below 4 GB.
    var byteCount: Int { bytes.count + items.count * MemoryLayout<Item>.stride }

    mutating func add(_ key: UnsafeRawBufferPointer) {
        sharedCount = items.isEmpty ? key.count : min(sharedCount, countShared(with: key))
        items.append(Item(start: UInt32(bytes.count), count: UInt32(key.count)))
        bytes.append(contentsOf: key)
    }

    /// Hands out all keys in their order, for as long as the closure runs, and forgets them.
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

    /// How many bytes a key begins with in the way of the first one, of those that all others share.
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

    /// The first eight bytes, in the order that `memcmp` gives them.
    private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        return bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset) }
    }
}
