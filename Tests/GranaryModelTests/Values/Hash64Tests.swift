import GranaryCore
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

    @Test func `the hash never changes, being part of the file formats`() {
        #expect(Array("granary".utf8).withUnsafeBytes { hash64($0, seed: 0) } == plain(Array("granary".utf8), seed: 0))
        #expect([UInt8]().withUnsafeBytes { hash64($0, seed: 0) } == plain([], seed: 0))
    }
}
