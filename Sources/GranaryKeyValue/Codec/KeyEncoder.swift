import GranaryStoreKit
import GranaryPlatform

/// Writes encoded values into raw memory, up to a limit. At the limit it stops and notes that the key is cut.
struct KeyEncoder {
    let base: UnsafeMutableRawPointer
    let limit: Int
    private(set) var count = 0
    private(set) var isCut = false

    /// `base` has room for `limit` bytes.
    @inline(__always) init(_ base: UnsafeMutableRawPointer, limit: Int) {
        self.base = base
        self.limit = limit
    }

    @inline(__always) mutating func put(byte: UInt8) {
        if count < limit {
            base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
            count &+= 1
        } else {
            isCut = true
        }
    }

    @inline(__always) mutating func put(bigEndian value: UInt64) {
        if count &+ 8 <= limit {
            base.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
            count &+= 8
        } else {
            withUnsafeBytes(of: value.bigEndian) { put($0) }
        }
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        let fitting = min(bytes.count, limit &- count)
        if fitting > 0, let source = bytes.baseAddress {
            (base + count).copyMemory(from: source, byteCount: fitting)
            count &+= fitting
        }
        if fitting < bytes.count { isCut = true }
    }

    /// Bytes with 00 written as 00 FF, and then 00 00 at the end. Without termination, for a prefix of longer keys, the
    /// end is left out.
    mutating func putEscaped(_ bytes: UnsafeRawBufferPointer, isTerminated: Bool = true) {
        var rest = bytes
        while !rest.isEmpty && !isCut {
            // Bytes beyond the limit are cut in any case and need not be searched.
            let searched = min(rest.count, limit &- count &+ 1)
            guard let start = rest.baseAddress else { break }
            guard let zero = memchr(start, 0, searched) else {
                put(UnsafeRawBufferPointer(rebasing: rest.prefix(searched)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(searched))
                continue
            }
            let before = start.distance(to: UnsafeRawPointer(zero))
            put(UnsafeRawBufferPointer(start: start, count: before))
            put(byte: 0x00)
            put(byte: 0xFF)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(before &+ 1))
        }
        guard isTerminated else { return }
        put(byte: 0x00)
        put(byte: 0x00)
    }

    /// Writes the value of a cell that is not null and that the kind accepts.
    @inline(__always) mutating func put(_ cell: Cell, as kind: ValueKind) {
        switch kind {
        case .bool: put(byte: cell.integerValue == 0 ? 0 : 1)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
            put(bigEndian: UInt64(bitPattern: cell.integerValue) ^ (1 << 63))
        case .float, .double:
            // The addition turns -0.0 into 0.0, which equals it.
            let bits = (cell.realValue + 0.0).bitPattern
            put(bigEndian: bits >> 63 == 1 ? ~bits : bits ^ (1 << 63))
        case .uuid: put(cell.rawBytes)
        case .text, .bytes: putEscaped(cell.rawBytes)
        }
    }

    /// Writes a tag that shows whether the cell is nil, and the value.
    @inline(__always) mutating func putTagged(_ cell: Cell, as kind: ValueKind) {
        if cell.isNull {
            put(byte: 0x00)
        } else {
            put(byte: 0x01)
            put(cell, as: kind)
        }
    }

    /// Appends bytes beyond the limit; the memory has room for them.
    @inline(__always) mutating func appendUnlimited(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(__always) mutating func appendUnlimited(byte: UInt8) {
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    mutating func appendHash(_ hash: (UInt64, UInt64)) {
        withUnsafeBytes(of: hash.0.bigEndian) { appendUnlimited($0) }
        withUnsafeBytes(of: hash.1.bigEndian) { appendUnlimited($0) }
    }

    /// Replaces the bytes from a position on by their complement, which sorts in reverse.
    mutating func complement(from start: Int) {
        for offset in start..<count {
            let byte = base.load(fromByteOffset: offset, as: UInt8.self)
            base.storeBytes(of: ~byte, toByteOffset: offset, as: UInt8.self)
        }
    }
}

/// The hash of one value of an index or of a key, chained to those of the values before it.
func chainedHash(_ cell: Cell, _ state: UInt64) -> UInt64 {
    switch cell.kind {
    case .null: hashFold(state ^ 0x9E37_79B9_7F4A_7C15, 1)
    case .integer: hashFold(state ^ 0xD6E8_FEB8_6659_FD93, UInt64(bitPattern: cell.integerValue))
    case .real: hashFold(state ^ 0xA5A3_5D65_7D9E_4B1F, (cell.realValue + 0.0).bitPattern)
    case .text, .bytes: hash64(cell.rawBytes, seed: state)
    }
}

/// Whether bytes begin with `prefix`.
@inline(__always) func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= prefix.count else { return false }
    guard prefix.count > 0, let a = bytes.baseAddress, let b = prefix.baseAddress else { return true }
    return memcmp(a, b, prefix.count) == 0
}

/// The first 8 bytes, as a number with the same order; if there are fewer bytes, as if zeros followed.
@inline(__always) func leadingNumber(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var leading: UInt64 = 0
    for offset in 0..<key.count { leading |= UInt64(key[offset]) << UInt64(56 - 8 * offset) }
    return leading
}

@inline(__always) func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && hasPrefix(left, right)
}
