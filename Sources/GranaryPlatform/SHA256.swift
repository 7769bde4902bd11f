/// A SHA-256 digest (FIPS 180-4), as a unique name for content.
///
/// Written here because the packages that have it bring a whole cryptographic library. It protects no secrets. The
/// tests use the vectors of the standard.
package struct SHA256: Sendable, Hashable {
    /// The digest, 8 bytes each, the first byte the highest.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    package static let byteCount = 32

    /// The digest of bytes. About 200 MB a second.
    package init(of bytes: UnsafeRawBufferPointer) {
        var pieces = Pieces()
        pieces.add(bytes)
        self = pieces.digest
    }

    /// Computes the digest of bytes in pieces. The length of each piece but the last is a multiple of 64.
    package struct Pieces {
        private var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        private var count = 0
        private var tail: [UInt8] = []

        package init() {}

        package mutating func add(_ bytes: UnsafeRawBufferPointer) {
            let whole = bytes.count & ~63
            SHA256.compress(bytes, whole, &state)
            tail = [UInt8](bytes[whole...])
            count &+= bytes.count
        }

        package var digest: SHA256 {
            // The message, a bit that is 1, zeros, and the length in bits.
            var (tail, state) = (tail, state)
            tail.append(0x80)
            while tail.count % 64 != 56 { tail.append(0) }
            withUnsafeBytes(of: UInt64(count &* 8).bigEndian) { tail.append(contentsOf: $0) }
            tail.withUnsafeBytes { SHA256.compress($0, $0.count, &state) }
            func word(_ index: Int) -> UInt64 { UInt64(state[index]) << 32 | UInt64(state[index + 1]) }
            return SHA256(words: (word(0), word(2), word(4), word(6)))
        }
    }

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// A digest from its 32 bytes; nil for another number of bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == SHA256.byteCount else { return nil }
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        words = (word(0), word(8), word(16), word(24))
    }

    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// 64 hexadecimal digits.
    package var hexadecimal: String {
        [words.0, words.1, words.2, words.3].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    package static func == (left: SHA256, right: SHA256) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    /// Adds the first `count` bytes, a multiple of 64, to the state.
    private static func compress(_ bytes: UnsafeRawBufferPointer, _ count: Int, _ state: inout [UInt32]) {
        state.withUnsafeMutableBufferPointer { state in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                roundConstants.withUnsafeBufferPointer { constants in
                    for offset in stride(from: 0, to: count, by: 64) {
                        compress(bytes, offset, state, schedule, constants)
                    }
                }
            }
        }
    }

    private static func compress(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ state: UnsafeMutableBufferPointer<UInt32>,
        _ schedule: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
    ) {
        func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }
        for index in 0..<16 {
            schedule[index] = UInt32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let (w15, w2) = (schedule[index &- 15], schedule[index &- 2])
            let s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ w15 &>> 3
            let s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ w2 &>> 10
            schedule[index] = schedule[index &- 16] &+ s0 &+ schedule[index &- 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ s1 &+ (e & f ^ ~e & g) &+ constants[index] &+ schedule[index]
            let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = s0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let roundConstants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
