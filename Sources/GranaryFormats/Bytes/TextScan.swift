/// Finds bytes that need attention, eight at a time.
///
/// In a word of eight bytes, `(word ^ c * ones) - ones` borrows into the highest bit of each byte that is `c`. The
/// borrow may go on into higher bytes, so only the lowest match is certain. This is the one that is needed.
enum TextScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first byte that is a quote, a backslash, a control character or not ASCII. A zero must end the bytes, and 7
    /// more be readable after it.
    @inline(__always)
    static func endOfPlain(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var next = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
            let quotes = (word ^ ones &* 0x22) &- ones
            let backslashes = (word ^ ones &* 0x5C) &- ones
            let controls = word &- ones &* 0x20
            let found = (word | quotes | backslashes | controls) & highs
            if found != 0 { return next + found.trailingZeroBitCount >> 3 }
            next += 8
        }
    }

    /// The first byte that is a delimiter or a quote, or that is below 14, as line breaks and the zero at the end are.
    /// 7 more bytes must be readable after the zero.
    @inline(__always)
    static func endOfField(_ start: UnsafePointer<UInt8>, _ delimiter: UInt8, _ quote: UInt8) -> UnsafePointer<UInt8> {
        let delimiters = ones &* UInt64(delimiter)
        let quotes = ones &* UInt64(quote)
        var next = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
            let found =
                (zeros(word ^ delimiters) | zeros(word ^ quotes) | ((word &- ones &* 14) & ~word)) & highs
            if found != 0 { return next + found.trailingZeroBitCount >> 3 }
            next += 8
        }
    }

    /// The first byte that is a quote, a line feed or zero. 7 more bytes must be readable after the zero.
    @inline(__always)
    static func endOfQuoted(_ start: UnsafePointer<UInt8>, _ quote: UInt8) -> UnsafePointer<UInt8> {
        let quotes = ones &* UInt64(quote)
        var next = start
        while true {
            let word = UInt64(littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
            let found = (zeros(word ^ quotes) | zeros(word ^ ones &* 0x0A) | zeros(word)) & highs
            if found != 0 { return next + found.trailingZeroBitCount >> 3 }
            next += 8
        }
    }

    /// The offset of the first byte from an offset on that a JSON string must escape: a quote, a backslash or a control
    /// character; the count if there is none. Nothing after the bytes is read.
    @inline(__always)
    static func endOfUnescaped(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var next = start
        while next + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self))
            let found =
                (zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C) | ((word &- ones &* 0x20) & ~word)) & highs
            if found != 0 { return next + found.trailingZeroBitCount >> 3 }
            next += 8
        }
        while next < bytes.count, bytes[next] >= 0x20, bytes[next] != 0x22, bytes[next] != 0x5C { next += 1 }
        return next
    }

    /// A word whose lowest byte with the highest bit set is the lowest byte of `word` that is zero.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
