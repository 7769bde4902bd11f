/// The keys of the current object, as hashes, to find a repeated key.
///
/// Objects at one depth mostly have the same keys in the same order. `order` holds the keys of earlier objects, each
/// once; a bit for each tells whether the current object has it. The next key is nearly always the next one in that
/// order, so that a comparison and a bit are enough. Keys beyond the first 64 are kept in a table, for this object
/// alone.
struct SeenKeys {
    private static let orderCapacity = 64
    /// Further keys of the same object are compared only with the keys in the table, not with each other, so that
    /// memory stays bounded.
    static let tableLimit = 1 << 20

    private var order: [UInt64] = []
    /// The spelling of each key of `order` in a source; nil for long keys and for keys that need escapes.
    private(set) var patterns: [KeyPattern?] = []
    private var seen: UInt64 = 0
    private var expected = 0
    private var table: [UInt64] = []
    private var tableCount = 0

    init() { order.reserveCapacity(SeenKeys.orderCapacity) }

    /// The keys of `order` that the object has, and the expected next one.
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

    /// Notes a key. Returns false if the object already has it.
    ///
    /// - Parameter key: The bytes that `hash` was made from.
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
