import GranaryPlatform
import Testing

@Suite struct Hash64Tests {
    /// The definition, a byte at a time.
    private func plain(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        var state = seed ^ 0x9E37_79B9_7F4A_7C15
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let step = bytes[start..<min(start + 16, bytes.count)]
            let (low, high) = (number(step.prefix(8)), number(step.dropFirst(8)))
            state = hashFold(low ^ (step.count == 16 ? 0xA076_1D64_78BD_642F : 0xE703_7ED1_A0B4_28DB), high ^ state)
        }
        return hashFold(state ^ 0x8EBC_6AF0_9C88_C6E3, UInt64(bytes.count) ^ 0x5899_65CC_7537_4CC3)
    }

    @Test func `the hash of every length is that of its definition`() {
        for count in 0...200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) }
            for seed: UInt64 in [0, 1, .max] {
                #expect(bytes.withUnsafeBytes { hash64($0, seed: seed) } == plain(bytes, seed: seed), "\(count) bytes")
            }
        }
    }

    @Test func `the hash of the file formats never changes`() {
        let bytes = Array("Granary keeps Swift values in a store you choose.".utf8)
        let prefixes = [0, 1, 7, 8, 9, 15, 16, 17, 31, 49]
        let hashes = prefixes.map { count in bytes.prefix(count).withUnsafeBytes { hash64($0, seed: 7) } }
        #expect(Set(hashes).count == prefixes.count)
        #expect(hashes == Self.frozenHashes)
    }

    static let frozenHashes: [UInt64] = [
        0x00439cf1ef66402e, 0x024dec63ce66b236, 0xece5b9075fa42912, 0x5a86ab07384d145f,
        0x2d0d61fb29de628e, 0xe34caed970842433, 0x4731d0f3bb43794a, 0x2d2103ea142eb1fa,
        0x669cbe8a22e52c5e, 0xb0f6e498a787418a,
    ]

    @Test func `every flipped bit changes the hash`() {
        let bytes = (0..<53).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let hash = bytes.withUnsafeBytes { hash64($0, seed: 1) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                #expect(flipped.withUnsafeBytes { hash64($0, seed: 1) } != hash)
            }
        }
        #expect((bytes + [0]).withUnsafeBytes { hash64($0, seed: 1) } != hash)
    }
}
