/// Whether both have the same bytes.
@inline(__always) func equalBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && compareBytes(left, right) == 0
}

/// Whether the bytes begin with the prefix.
func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: [UInt8]) -> Bool {
    guard bytes.count >= prefix.count else { return false }
    return prefix.withUnsafeBytes { equalBytes(UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count]), $0) }
}

extension UnsafeRawBufferPointer {
    /// A part, whose bounds the caller has checked.
    @inline(__always) func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }
}
