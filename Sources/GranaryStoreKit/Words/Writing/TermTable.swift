/// Numbers terms in the order in which they come: a hash table over bytes in one array.
struct TermTable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var hashes: [UInt32] = []
    /// For each place of the hash table the number of a term plus 1, or 0.
    private var places: [UInt32]

    init() { places = [UInt32](repeating: 0, count: 1 << 10) }

    var count: Int { ends.count }
    var byteCount: Int { bytes.count + ends.count * 20 }

    /// The number of a term, which is the number of terms before it, and whether the term is new.
    mutating func number(of term: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
        let hash = TermTable.hash(term)
        var place = Int(hash) & (places.count - 1)
        while places[place] != 0 {
            let number = Int(places[place]) - 1
            if hashes[number] == hash, withTerm(number, { equalBytes($0, term) }) { return (number, false) }
            place = (place + 1) & (places.count - 1)
        }
        bytes.append(contentsOf: term)
        ends.append(bytes.count)
        hashes.append(hash)
        places[place] = UInt32(ends.count)
        if ends.count * 2 > places.count { grow() }
        return (ends.count - 1, true)
    }

    @inline(__always) func withTerm<Result>(
        _ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let start = number == 0 ? 0 : ends[number - 1]
        return try bytes.withUnsafeBytes { try body($0.part(start..<ends[number])) }
    }

    /// The numbers of all terms, in the order of the terms' bytes.
    func sorted() -> [Int] {
        bytes.withUnsafeBytes { bytes in
            (0..<ends.count).sorted { left, right in
                compareBytes(
                    bytes.part((left == 0 ? 0 : ends[left - 1])..<ends[left]),
                    bytes.part((right == 0 ? 0 : ends[right - 1])..<ends[right])) < 0
            }
        }
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: places.count * 2)
        for (number, hash) in hashes.enumerated() {
            var place = Int(hash) & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(number + 1)
        }
    }

    /// FNV-1a with a final mix.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
