/// The keys that an object has had, as hashes, to find a key that comes twice.
///
/// Objects at one depth mostly have the same keys in the same order. `order` holds the keys of earlier objects, each
/// once; a bit for each says whether the object that is read now has had it. The next key is nearly always the one
/// after the last in that order, so that a comparison and a bit are all it takes. Keys beyond the first 64 are kept in
/// a table, for this object alone.
struct SeenKeys {
    private static let orderCapacity = 64
    /// Keys after these, in one object, are compared with these and not with each other: memory stays bounded.
    static let tableLimit = 1 << 20

    private var order: [UInt64] = []
    /// What the keys of the order look like in a source; nil of those that are long, or need escapes.
    private(set) var patterns: [KeyPattern?] = []
    private var seen: UInt64 = 0
    private var expected = 0
    private var table: [UInt64] = []
    private var tableCount = 0

    init() { order.reserveCapacity(SeenKeys.orderCapacity) }

    /// Which keys of the order the object has had, and the one that is expected next.
    var position: (seen: UInt64, expected: Int) {
        get { (seen, expected) }
        set { (seen, expected) = newValue }
    }

    /// Begins another object.
    @inline(__always)
    mutating func begin() {
        seen = 0
        expected = 0
        if tableCount > 0 {
            table = []
            tableCount = 0
        }
    }

    /// Notes a key. False if the object has had it.
    ///
    /// - Parameter key: The bytes of which it is the hash.
    @inline(__always)
    mutating func insert(_ hash: UInt64, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if expected < order.count, order[expected] == hash, seen & (1 << UInt64(expected)) == 0 {
            seen |= 1 << UInt64(expected)
            expected += 1
            return true
        }
        return insertUnexpected(hash, key)
    }

    @inline(never)
    private mutating func insertUnexpected(_ hash: UInt64, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = order.firstIndex(of: hash) ?? order.count
        if index == order.count {
            guard order.count < SeenKeys.orderCapacity else { return insertIntoTable(hash) }
            order.append(hash)
            patterns.append(KeyPattern(key))
            index = order.count - 1
        }
        expected = index + 1
        guard seen & (1 << UInt64(index)) == 0 else { return false }
        seen |= 1 << UInt64(index)
        return true
    }

    private mutating func insertIntoTable(_ hash: UInt64) -> Bool {
        if (tableCount + 1) * 2 > table.count && tableCount < SeenKeys.tableLimit { growTable() }
        var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
        while table[slot] != 0 {
            if table[slot] == hash { return false }
            slot = (slot + 1) & (table.count - 1)
        }
        if tableCount < SeenKeys.tableLimit {
            table[slot] = hash
            tableCount += 1
        }
        return true
    }

    private mutating func growTable() {
        let old = table
        table = Array(repeating: 0, count: max(256, old.count * 2))
        for hash in old where hash != 0 {
            var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
            while table[slot] != 0 { slot = (slot + 1) & (table.count - 1) }
            table[slot] = hash
        }
    }
}
