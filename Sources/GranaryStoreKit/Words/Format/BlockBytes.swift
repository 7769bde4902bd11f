/// Reads numbers from bytes that may be damaged: it never reads outside of them.
struct BlockBytes {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = min(max(0, offset), bytes.count)
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// The next number of up to 64 bits: 7 bits a byte, the lowest first; the high bit is set in all but the last byte.
    @inline(__always) mutating func varint() throws -> UInt64 {
        guard offset < bytes.count else { throw WordIndexError.corrupt("a number is cut off") }
        let first = bytes[offset]
        if first < 0x80 {
            offset += 1
            return UInt64(first)
        }
        return try longVarint()
    }

    /// The next number, which must have at most 32 bits.
    @inline(__always) mutating func smallVarint() throws -> Int {
        let value = try varint()
        guard value <= UInt64(UInt32.max) else { throw WordIndexError.corrupt("a number is too large") }
        return Int(value)
    }

    mutating func byte() throws -> UInt8 {
        guard offset < bytes.count else { throw WordIndexError.corrupt("a byte is missing") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Passes `count` bytes.
    @inline(__always) mutating func skip(_ count: UInt64) throws {
        guard count <= UInt64(bytes.count - offset) else { throw WordIndexError.corrupt("bytes are missing") }
        offset += Int(count)
    }

    @inline(never) private mutating func longVarint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var place = offset
        while place < bytes.count {
            let byte = UInt64(bytes[place])
            place += 1
            if shift == 63, byte > 1 { throw WordIndexError.corrupt("a number has more than 64 bits") }
            value |= (byte & 0x7F) << shift
            if byte < 0x80 {
                offset = place
                return value
            }
            shift += 7
        }
        throw WordIndexError.corrupt("a number is cut off")
    }
}

extension [UInt8] {
    /// Appends a number as ``BlockBytes/varint()`` reads it.
    @inline(__always) mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func appendVarint(_ value: Int) { appendVarint(UInt64(truncatingIfNeeded: value)) }
}
