/// Reads and writes UTF-8 in place, with checks.
package enum UTF8Scan {
    /// The scalar at an offset and its length in bytes; length 0 at the end, or if the bytes are not valid UTF-8.
    @inline(__always)
    static func scalar(_ utf8: UnsafeRawBufferPointer, at offset: Int) -> (scalar: UInt32, length: Int) {
        let left = utf8.count - offset
        guard left > 0 else { return (0, 0) }
        let first = UInt32(utf8[offset])
        if first < 0x80 { return (first, 1) }
        guard first >= 0xC2, left > 1 else { return (0, 0) }
        let second = UInt32(utf8[offset + 1])
        guard second & 0xC0 == 0x80 else { return (0, 0) }
        if first < 0xE0 { return ((first & 0x1F) << 6 | second & 0x3F, 2) }
        guard left > 2 else { return (0, 0) }
        let third = UInt32(utf8[offset + 2])
        guard third & 0xC0 == 0x80 else { return (0, 0) }
        if first < 0xF0 {
            let scalar = (first & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
            return scalar >= 0x800 && scalar & 0xF800 != 0xD800 ? (scalar, 3) : (0, 0)
        }
        guard first < 0xF5, left > 3 else { return (0, 0) }
        let fourth = UInt32(utf8[offset + 3])
        guard fourth & 0xC0 == 0x80 else { return (0, 0) }
        let scalar = (first & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | fourth & 0x3F
        return scalar >= 0x10000 && scalar <= 0x10FFFF ? (scalar, 4) : (0, 0)
    }

    static func append(_ scalars: [UInt32], to output: inout [UInt8]) {
        for scalar in scalars {
            append(scalar, to: &output)
        }
    }

    @inline(__always)
    static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        var (utf8, count) = encoded(scalar)
        while count > 0 {
            output.append(UInt8(truncatingIfNeeded: utf8))
            utf8 >>= 8
            count -= 1
        }
    }

    /// A scalar in UTF-8, with its first byte lowest, and its number of bytes.
    @inline(__always)
    static func encoded(_ scalar: UInt32) -> (utf8: UInt32, count: Int) {
        func continuation(_ shift: UInt32) -> UInt32 { scalar >> shift & 0x3F | 0x80 }
        if scalar < 0x80 { return (scalar, 1) }
        if scalar < 0x800 { return (scalar >> 6 | 0xC0 | continuation(0) << 8, 2) }
        if scalar < 0x10000 { return (scalar >> 12 | 0xE0 | continuation(6) << 8 | continuation(0) << 16, 3) }
        return (scalar >> 18 | 0xF0 | continuation(12) << 8 | continuation(6) << 16 | continuation(0) << 24, 4)
    }

    /// The end of the valid scalars beyond ASCII that begin at an offset: the offset of the next ASCII byte, or of the
    /// next scalar that is incomplete or invalid, or the count.
    package static func endOfValidNonASCII(_ utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset < utf8.count, utf8[offset] >= 0x80 {
            let length = scalar(utf8, at: offset).length
            if length == 0 { break }
            offset += length
        }
        return offset
    }

    /// The offset of the first byte that is not part of valid UTF-8; the count if all bytes are valid.
    package static func endOfValid(_ utf8: UnsafeRawBufferPointer) -> Int {
        var offset = 0
        while true {
            let ascii = endOfASCII(utf8, from: offset)
            offset = endOfValidNonASCII(utf8, from: ascii)
            if offset == ascii { return offset }
        }
    }

    /// The offset of the first byte that is not ASCII, at or after `start`; the count if all are ASCII.
    static func endOfASCII(_ utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset + 8 <= utf8.count {
            let word = utf8.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            offset += 8
        }
        while offset < utf8.count, utf8[offset] < 0x80 { offset += 1 }
        return offset
    }

    static func endOfNonASCII(_ utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset < utf8.count, utf8[offset] >= 0x80 { offset += 1 }
        return offset
    }
}

extension GranaryError {
    /// The error for stored bytes that should be text, but are not UTF-8.
    @inline(never) package static func invalidText() -> GranaryError {
        GranaryError(.corrupt, "The store holds text that is not UTF-8. Restore the record from a backup.")
    }
}
