import GranaryStoreKit

// Keys of one keyspace have a common beginning: a tag, the zeros of small numbers. So the common beginning is left out,
// and the following 8 bytes, as a number, decide most comparisons.

/// Keys of one keyspace that are collected in any order and used in their own order.
struct KeyList {
    private struct Entry {
        var leading: UInt64 = 0
        var offset: Int
        var count: Int
    }

    private var bytes: ContiguousArray<UInt8> = []
    private var entries: ContiguousArray<Entry> = []

    var count: Int { entries.count }

    mutating func append(_ key: UnsafeRawBufferPointer) {
        entries.append(Entry(offset: bytes.count, count: key.count))
        bytes.append(contentsOf: key)
    }

    /// Calls a closure with the keys, ascending.
    func withSorted<Result>(
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { bytes in
            func key(_ entry: Entry) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[entry.offset..<(entry.offset + entry.count)])
            }
            var sorted = entries
            let shared = KeyList.shared(sorted.lazy.map { key($0) })
            for number in sorted.indices {
                sorted[number].leading = leadingNumber(
                    UnsafeRawBufferPointer(rebasing: key(sorted[number]).dropFirst(shared)))
            }
            sorted.sort { left, right in
                left.leading != right.leading ? left.leading < right.leading : compareBytes(key(left), key(right)) < 0
            }
            let keys = ContiguousArray(sorted.lazy.map { key($0) })
            return try keys.withUnsafeBufferPointer { try body($0) }
        }
    }

    /// The number of bytes at the beginning that all keys share.
    private static func shared(_ keys: some Collection<UnsafeRawBufferPointer>) -> Int {
        guard let first = keys.first else { return 0 }
        var count = first.count
        for key in keys where !hasPrefix(key, UnsafeRawBufferPointer(rebasing: first.prefix(count))) {
            count = zip(first, key).prefix { $0 == $1 }.count
        }
        return count
    }
}
