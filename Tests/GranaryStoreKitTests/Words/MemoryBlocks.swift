import GranaryStoreKit

/// Blocks in two sorted arrays.
final class MemoryBlocks: WritableWordBlocks {
    private(set) var keys: [[UInt8]] = []
    private(set) var values: [[UInt8]] = []
    /// The keys that were put or deleted.
    var touched: [[UInt8]] = []

    func place(_ key: [UInt8]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func setValue(_ value: [UInt8], at place: Int) { values[place] = value }

    func read(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        let place = place(key)
        guard place < keys.count, keys[place] == key else { return false }
        try values[place].withUnsafeBytes(body)
        return true
    }

    func readLast(atOrBefore key: [UInt8], _ body: (WordBlock) throws -> Void) throws -> Bool {
        var place = place(key)
        if place == keys.count || keys[place] != key { place -= 1 }
        guard place >= 0 else { return false }
        try lend(place, body)
        return true
    }

    func readEach(from key: [UInt8], _ body: (WordBlock) throws -> Bool) throws {
        var place = place(key)
        while place < keys.count, try lend(place, body) { place += 1 }
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        touched.append(key)
        let place = place(key)
        if place < keys.count, keys[place] == key {
            values[place] = value
        } else {
            keys.insert(key, at: place)
            values.insert(value, at: place)
        }
    }

    func delete(_ key: [UInt8]) throws {
        let place = place(key)
        guard place < keys.count, keys[place] == key else { return }
        touched.append(key)
        keys.remove(at: place)
        values.remove(at: place)
    }

    func deleteAll(prefix: [UInt8]) throws {
        for key in keys where key.starts(with: prefix) { try delete(key) }
    }

    private func lend<Result>(_ place: Int, _ body: (WordBlock) throws -> Result) throws -> Result {
        try keys[place].withUnsafeBytes { key in
            try values[place].withUnsafeBytes { try body(WordBlock(key: key, value: $0)) }
        }
    }
}
