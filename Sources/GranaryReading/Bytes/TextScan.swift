/// Finding bytes that need attention, eight at a time.
///
/// In a word of eight bytes, `(word ^ c * ones) - ones` borrows into the highest bit of each byte that is `c`. The borrow
/// may go on into bytes above, so only the lowest byte that is found is certain: the one that is wanted.
enum TextScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first byte that is a quote, a backslash, a control character or not ASCII. A zero must end the bytes, and 7 more
    /// be readable after it.
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
}
