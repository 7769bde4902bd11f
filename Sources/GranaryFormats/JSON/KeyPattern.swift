/// A key and its closing quote, to be compared with the next bytes of a window, 16 at a time.
struct KeyPattern {
    private static let greatestCount = 31

    typealias Words = (low: UInt64, high: UInt64)

    let count: Int
    private let first: Words
    /// A mask of the relevant bits of the first 16 bytes.
    private let mask: Words
    /// The last 16 bytes of the key and its quote, if they are longer than 16 bytes.
    private let last: Words

    /// Nil for a key that is longer than `greatestCount`, or must be written with escapes.
    init?(_ key: UnsafeBufferPointer<UInt8>) {
        guard key.count <= KeyPattern.greatestCount,
            key.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        count = key.count
        let length = count + 1
        mask = (
            length >= 8 ? ~0 : ~0 >> UInt64(64 - 8 * length),
            length >= 16 ? ~0 : length <= 8 ? 0 : ~0 >> UInt64(128 - 8 * length)
        )
        let written = key + [UInt8(ascii: "\"")] + Array(repeating: 0, count: 16)
        let (first, last) = written.withUnsafeBufferPointer { bytes -> (Words, Words) in
            guard let start = bytes.baseAddress else { return ((0, 0), (0, 0)) }
            return (KeyPattern.words(start, 0), KeyPattern.words(start, max(0, length - 16)))
        }
        self.first = (first.low & mask.low, first.high & mask.high)
        self.last = last
    }

    /// Whether `bytes` begin with the key and its quote. At least 32 bytes must be readable; if the input has fewer, a
    /// zero must end it.
    @inline(__always)
    func matches(_ bytes: UnsafePointer<UInt8>) -> Bool {
        let words = KeyPattern.words(bytes, 0)
        guard ((words.low ^ first.low) & mask.low) | ((words.high ^ first.high) & mask.high) == 0 else { return false }
        guard count > 15 else { return true }
        let end = KeyPattern.words(bytes, count - 15)
        return (end.low ^ last.low) | (end.high ^ last.high) == 0
    }

    @inline(__always)
    private static func words(_ bytes: UnsafeRawPointer, _ offset: Int) -> Words {
        (
            bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        )
    }
}
