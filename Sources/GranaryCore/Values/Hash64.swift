/// A 64-bit hash of bytes, for checksums and fingerprints: not a secret, but no change of a few bits goes unseen.
///
/// Sixteen bytes a step, folded in by a 64 x 64 -> 128-bit multiplication whose halves are xored (the "mum" step known
/// from the wyhash family); the length enters the last step. Part of the file formats: it never changes.
@inlinable package func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
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
        // The rest, 1 to 15 bytes, as one little-endian number in two halves.
        var low: UInt64 = 0
        var high: UInt64 = 0
        let unused = UInt64(truncatingIfNeeded: 16 &- (count &- offset)) &* 8
        if count >= 16 {
            // The last 16 bytes, without those that were folded in already.
            low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 16, as: UInt64.self))
            high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            if unused < 64 {
                low = low >> unused | (high << 1) << (63 &- unused)
                high >>= unused
            } else {
                low = high >> (unused &- 64)
                high = 0
            }
        } else if count >= 8 {
            low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
            high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            // `unused` is 64 when there are no bytes beyond the eighth.
            high = unused < 64 ? high >> unused : 0
        } else {
            var shift: UInt64 = 0
            while offset < count {
                low |= UInt64(bytes[offset]) << shift
                shift &+= 8
                offset &+= 1
            }
        }
        state = hashFold(low ^ 0xE703_7ED1_A0B4_28DB, high ^ state)
    }
    return hashFold(state ^ 0x8EBC_6AF0_9C88_C6E3, UInt64(truncatingIfNeeded: count) ^ 0x5899_65CC_7537_4CC3)
}

@inlinable package func hashFold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low ^ a &+ b
}
