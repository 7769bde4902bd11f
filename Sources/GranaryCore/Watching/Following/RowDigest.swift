import GranaryPlatform

/// A fingerprint of rows in their order, and of each row. It shows whether an answer differs from the last one without
/// keeping the last one.
///
/// It has 128 bits, with seeds of the observation's own: two different answers with equal fingerprints are not to be
/// expected, and nobody can construct data for them.
struct RowDigest {
    struct Fingerprint: Sendable, Hashable {
        var first: UInt64
        var second: UInt64
        var count: Int
    }

    /// The seeds of one observation.
    struct Seeds: Sendable {
        let first = UInt64.random(in: 0...UInt64.max)
        let second = UInt64.random(in: 0...UInt64.max)
    }

    private let bytes = CellBytes()
    private let seeds: Seeds
    private(set) var fingerprint: Fingerprint

    init(_ seeds: Seeds) {
        self.seeds = seeds
        fingerprint = Fingerprint(first: seeds.first, second: seeds.second, count: 0)
    }

    /// Adds a row, and returns its own hash.
    @discardableResult mutating func add(_ row: borrowing Row) -> UInt64 {
        bytes.clear()
        for position in 0..<row.count { bytes.append(row[position]) }
        return addBytes()
    }

    /// The hash of a row's first `count` cells.
    func hash(_ row: borrowing Row, first count: Int) -> UInt64 {
        bytes.clear()
        for position in 0..<count { bytes.append(row[position]) }
        return hash64(bytes.bytes, seed: seeds.first)
    }

    /// Adds values as a row, and returns its own hash.
    @discardableResult mutating func add(_ values: [StoredValue]) -> UInt64 {
        bytes.clear()
        for value in values { value.withCell { bytes.append($0) } }
        return addBytes()
    }

    @discardableResult private mutating func addBytes() -> UInt64 {
        let (first, second) = (hash64(bytes.bytes, seed: seeds.first), hash64(bytes.bytes, seed: seeds.second))
        fingerprint.first = RowDigest.joined(fingerprint.first, first)
        fingerprint.second = RowDigest.joined(fingerprint.second, second)
        fingerprint.count += 1
        return first
    }

    /// The result depends on the order of the two.
    static func joined(_ state: UInt64, _ hash: UInt64) -> UInt64 {
        hashFold(state ^ 0xA076_1D64_78BD_642F, hash ^ 0xE703_7ED1_A0B4_28DB) &+ hash
    }
}

/// The hashes of the keys of an answer's records: enough to prove that a record is not among them.
struct KeyHashes: Sendable {
    /// The greatest number of keys that are kept.
    static let limit = 100_000

    private(set) var hashes: Set<UInt64>? = []

    func mayContain(_ key: Cell, _ bytes: CellBytes) -> Bool {
        hashes.map { $0.contains(KeyHashes.hash(key, bytes)) } ?? true
    }

    mutating func insert(_ key: Cell, _ bytes: CellBytes) {
        hashes?.insert(KeyHashes.hash(key, bytes))
        if let count = hashes?.count, count > KeyHashes.limit { hashes = nil }
    }

    private static func hash(_ key: Cell, _ bytes: CellBytes) -> UInt64 {
        bytes.clear()
        bytes.append(key)
        return hash64(bytes.bytes, seed: 0)
    }
}
