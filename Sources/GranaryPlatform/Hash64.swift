/// A 64-bit hash of bytes, for checksums and fingerprints. It is not cryptographic, but it detects every change of a
/// few bits.
///
/// Each step takes sixteen bytes, folded in by a 64 x 64 -> 128-bit multiplication whose halves are xored (the "mum"
/// step known from the wyhash family); the length enters the last step. Part of the file formats: it never changes.
@inlinable public func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var state = seed ^ 0x9E37_79B9_7F4A_7C15
    var offset = 0
    let count = bytes.count
    while offset &+ 16 <= count {
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
        state = hashFold(low ^ 0xA076_1D64_78BD_642F, high ^ state)
        offset &+= 16
    }
    if offset < count {
        let (low, high) = hashTail(bytes, offset)
        state = hashFold(low ^ 0xE703_7ED1_A0B4_28DB, high ^ state)
    }
    return hashFold(state ^ 0x8EBC_6AF0_9C88_C6E3, UInt64(truncatingIfNeeded: count) ^ 0x5899_65CC_7537_4CC3)
}

/// The last 1 to 15 bytes as two little-endian numbers, with zeros above. Overlapping loads are faster than single
/// bytes.
@inlinable func hashTail(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> (low: UInt64, high: UInt64) {
    let end = bytes.count
    let left = end &- offset
    if left >= 8 {
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let last = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
        // Of the last eight bytes, the ones that `low` already has are shifted out.
        return (low, left == 8 ? 0 : last &>> UInt64(truncatingIfNeeded: (16 &- left) &* 8))
    }
    if left >= 4 {
        let first = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let last = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end &- 4, as: UInt32.self))
        return (UInt64(first) | UInt64(last) &<< UInt64(truncatingIfNeeded: (left &- 4) &* 8), 0)
    }
    let middle = left &>> 1
    let low =
        UInt64(bytes[offset]) | UInt64(bytes[offset &+ middle]) &<< UInt64(truncatingIfNeeded: middle &* 8)
        | UInt64(bytes[end &- 1]) &<< UInt64(truncatingIfNeeded: (left &- 1) &* 8)
    return (low, 0)
}

@inlinable public func hashFold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low ^ a &+ b
}

/// ``hash64(_:seed:)`` for bytes in pieces. The length of each piece but the last is a multiple of 16.
package struct Hash64Pieces {
    private var state: UInt64
    private var count = 0

    package init(seed: UInt64) { state = seed ^ 0x9E37_79B9_7F4A_7C15 }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset &+ 16 <= bytes.count {
            let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
            state = hashFold(low ^ 0xA076_1D64_78BD_642F, high ^ state)
            offset &+= 16
        }
        if offset < bytes.count {
            let (low, high) = hashTail(bytes, offset)
            state = hashFold(low ^ 0xE703_7ED1_A0B4_28DB, high ^ state)
        }
        count &+= bytes.count
    }

    package var hash: UInt64 {
        hashFold(state ^ 0x8EBC_6AF0_9C88_C6E3, UInt64(truncatingIfNeeded: count) ^ 0x5899_65CC_7537_4CC3)
    }
}
