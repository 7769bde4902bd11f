import GranaryPlatform

/// Compares and finds bytes with the C library's vectorised functions.
enum ByteSearch {
    static func begins(_ text: UnsafeRawBufferPointer, with bytes: [UInt8]) -> Bool {
        guard bytes.count <= text.count else { return false }
        guard !bytes.isEmpty, let base = text.baseAddress else { return true }
        return bytes.withUnsafeBytes { $0.baseAddress.map { memcmp(base, $0, bytes.count) == 0 } ?? true }
    }

    /// The offset of the first occurrence of `bytes` in `text`, at or after `start`.
    ///
    /// Looks for the first byte and compares the rest there. When it has compared much more than it has advanced
    /// (`aaab` in a text of a's), it searches the rest of the text without ever going back, so the time stays linear.
    static func first(_ bytes: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard bytes.count <= text.count - start else { return nil }
        guard let needle = bytes.baseAddress, !bytes.isEmpty, let base = text.baseAddress else { return start }
        let last = text.count - bytes.count
        var position = start
        var compared = 0
        while position <= last {
            guard let found = memchr(base + position, Int32(bytes[0]), last - position + 1) else { return nil }
            position = UnsafeRawPointer(found) - base
            if memcmp(base + position, needle, bytes.count) == 0 { return position }
            compared += bytes.count
            position += 1
            if compared > 8 * (position - start) + 4096 {
                return firstWithoutReturn(bytes, in: text, from: position)
            }
        }
        return nil
    }

    /// The search of Knuth, Morris and Pratt: `borders[n]` is the length of the longest part that both begins and ends
    /// the first n bytes.
    private static func firstWithoutReturn(
        _ bytes: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        var borders = [Int](repeating: 0, count: bytes.count + 1)
        var matched = 0
        for index in 1..<bytes.count {
            while matched > 0, bytes[index] != bytes[matched] { matched = borders[matched] }
            if bytes[index] == bytes[matched] { matched += 1 }
            borders[index + 1] = matched
        }
        matched = 0
        for index in start..<text.count {
            while matched > 0, text[index] != bytes[matched] { matched = borders[matched] }
            if text[index] == bytes[matched] { matched += 1 }
            if matched == bytes.count { return index + 1 - matched }
        }
        return nil
    }
}
