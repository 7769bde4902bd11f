/// The escapes of JSON strings (RFC 8259, section 7).
package enum JSONEscape {
    /// Why an escape is refused.
    package enum Failure: Error {
        /// No escape begins like that, or one of its hexadecimal digits is missing.
        case invalid
        /// Half of a surrogate pair: it stands for no character.
        case loneSurrogate
    }

    /// The longest escape: a surrogate pair.
    package static let longest = 12

    /// Resolves consecutive escapes: at least one, and further ones while ``longest`` bytes are left.
    ///
    /// - Parameters:
    ///   - position: The offset of the first backslash; on return, the offset after the last escape, or that of the
    ///     refused escape.
    ///   - output: Has room for the number of bytes from `position` on, and 4 more.
    /// - Returns: The number of bytes written.
    package static func resolve(
        _ bytes: UnsafeRawBufferPointer, from position: inout Int, into output: UnsafeMutableRawPointer
    ) throws(Failure) -> Int {
        var written = 0
        repeat {
            var next = position + 1
            let scalar = try scalar(bytes, at: &next)
            position = next
            let (utf8, count) = UTF8Scan.encoded(scalar)
            output.storeBytes(of: utf8.littleEndian, toByteOffset: written, as: UInt32.self)
            written += count
        } while bytes.count - position >= longest && bytes[position] == UInt8(ascii: "\\")
        return written
    }

    /// The scalar of an escape. `position` is the offset after its backslash, and moves past the escape.
    static func scalar(_ bytes: UnsafeRawBufferPointer, at position: inout Int) throws(Failure) -> UInt32 {
        guard position < bytes.count else { throw .invalid }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "u"): return try escapedScalar(bytes, at: &position)
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt32(letter)
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        default: throw .invalid
        }
    }

    /// The scalar of `XXXX`, or of `XXXX\uXXXX` where the two are a surrogate pair.
    @inline(__always)
    private static func escapedScalar(
        _ bytes: UnsafeRawBufferPointer, at position: inout Int
    ) throws(Failure) -> UInt32 {
        let unit = try fourHexDigits(bytes, at: &position)
        guard unit >> 11 == 0x1B else { return unit }
        guard unit >> 10 == 0x36, bytes.count - position >= 6, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw .loneSurrogate }
        position += 2
        let low = try fourHexDigits(bytes, at: &position)
        guard low >> 10 == 0x37 else { throw .loneSurrogate }
        return 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
    }

    @inline(__always)
    private static func fourHexDigits(
        _ bytes: UnsafeRawBufferPointer, at position: inout Int
    ) throws(Failure) -> UInt32 {
        guard bytes.count - position >= 4 else { throw .invalid }
        let value =
            hexDigit(bytes[position]) << 12 | hexDigit(bytes[position + 1]) << 8 | hexDigit(bytes[position + 2]) << 4
            | hexDigit(bytes[position + 3])
        guard value <= 0xFFFF else { throw .invalid }
        position += 4
        return value
    }

    /// The value of a hexadecimal digit; for any other byte more than 16 bits, even after a shift.
    @inline(__always)
    private static func hexDigit(_ byte: UInt8) -> UInt32 {
        let digit = UInt32(byte) &- UInt32(UInt8(ascii: "0"))
        if digit < 10 { return digit }
        let letter = UInt32(byte | 0x20) &- UInt32(UInt8(ascii: "a"))
        return letter < 6 ? letter + 10 : 0x10000
    }
}
