/// Finds the place of a key in a list of known keys, without making a string of it.
///
/// ```swift
/// var keys = KeyMatcher(["id", "name", "rating"])
/// while try reader.next() == .key {
///     switch keys.index(of: reader.text) {
///     case 0: ...
/// ```
///
/// The objects of a file mostly have the same keys in the same order. A matcher remembers which key followed which, and
/// compares with that key first. It looks up any other key by a hash. Keys are compared by their bytes.
public struct KeyMatcher: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each key in `bytes`.
    private var ends: [Int] = []
    /// For each key, the key that followed it the last time; the last element is for the first key of all.
    private var successors: [Int]
    private var last: Int
    /// Places by hash; -1 for an empty slot. The size is a power of two and at least twice the number of keys.
    private var table: [Int]

    /// A matcher for keys. If keys are equal, the first one is found.
    public init(_ keys: some Sequence<String>) {
        for key in keys {
            bytes += key.utf8
            ends.append(bytes.count)
        }
        let count = ends.count
        successors = (0..<count).map { ($0 + 1) % count } + [0]
        last = count
        var size = 8
        while size < count * 2 { size *= 2 }
        table = Array(repeating: -1, count: size)
        for place in 0..<count {
            var slot = 0
            bytes.withUnsafeBytes {
                slot = KeyMatcher.hash(UnsafeRawBufferPointer(rebasing: $0[range(place)])) & (size - 1)
            }
            while table[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            table[slot] = place
        }
    }

    /// The number of keys.
    public var count: Int { ends.count }

    private func range(_ place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }

    /// The place of a key in the list, or nil if the list does not have it.
    ///
    /// - Parameter key: UTF-8, without quotes and escapes, as ``JSONReader/text`` gives it.
    public mutating func index(of key: UnsafeRawBufferPointer) -> Int? {
        guard !ends.isEmpty else { return nil }
        let expected = successors[last]
        if isKey(expected, key) {
            last = expected
            return expected
        }
        return lookUp(key)
    }

    @inline(never)
    private mutating func lookUp(_ key: UnsafeRawBufferPointer) -> Int? {
        var slot = KeyMatcher.hash(key) & (table.count - 1)
        while table[slot] >= 0 {
            let place = table[slot]
            if isKey(place, key) {
                successors[last] = place
                last = place
                return place
            }
            slot = (slot + 1) & (table.count - 1)
        }
        return nil
    }

    @inline(__always)
    private func isKey(_ place: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        let range = range(place)
        guard range.count == key.count else { return false }
        return bytes.withUnsafeBytes { all in
            for offset in 0..<key.count where all[range.lowerBound + offset] != key[offset] { return false }
            return true
        }
    }

    /// FNV-1a. The table never grows, so keys made to collide cost at most a walk over the list.
    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
