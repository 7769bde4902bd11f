import GranaryPlatform

/// A fingerprint of rows in their order, and of each row: to see whether an answer is another than the last one without
/// keeping the last one.
///
/// 128 bits with seeds of the observation's own: that two different answers look equal is not to be expected, nor can data
/// be made for it.
struct RowDigest {
    struct Fingerprint: Sendable, Hashable {
        var first: UInt64
        var second: UInt64
        var count: Int
    }

    /// One observation's.
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

    /// Different for the same two the other way round.
    static func joined(_ state: UInt64, _ hash: UInt64) -> UInt64 {
        hashFold(state ^ 0xA076_1D64_78BD_642F, hash ^ 0xE703_7ED1_A0B4_28DB) &+ hash
    }
}

/// The keys of the records of an answer, as hashes: enough to say that a record is not among them.
struct KeyHashes: Sendable {
    /// More are not kept.
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
