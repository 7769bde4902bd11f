/// A hash of short texts by two multiplications of 64 bits to 128, with a seed that the input cannot know.
struct KeyHash {
    private let seed: UInt64

    init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

    /// The hash; never 0. At least 15 bytes after the text must be readable.
    @inline(__always)
    func callAsFunction(_ text: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        var state = seed ^ UInt64(count)
        var next = UnsafeRawPointer(text)
        var left = count
        while left > 16 {
            let low = next.loadUnaligned(as: UInt64.self)
            let high = next.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            state = KeyHash.mixed(low ^ 0x9E37_79B9_7F4A_7C15, high ^ state)
            next += 16
            left -= 16
        }
        var low = next.loadUnaligned(as: UInt64.self)
        var high = next.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        // Bytes after the text must not change the hash.
        if left <= 8 {
            low = left == 0 ? 0 : low & (~0 >> UInt64(64 - 8 * left))
            high = 0
        } else {
            high &= ~0 >> UInt64(128 - 8 * left)
        }
        let hash = KeyHash.mixed(
            KeyHash.mixed(low ^ 0xA076_1D64_78BD_642F, high ^ state), state ^ 0xE703_7ED1_A0B4_28DB)
        return hash == 0 ? 1 : hash
    }

    @inline(__always)
    private static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high ^ low
    }
}
