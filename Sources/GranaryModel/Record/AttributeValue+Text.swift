extension String: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .string }

    /// The text, byte for byte. Bytes that are not UTF-8 are refused, never repaired.
    @inlinable public static func decode(_ cell: Cell) throws -> String {
        guard cell.kind == .text else { throw CellError.mismatch(cell, expected: .string) }
        let bytes = cell.rawBytes
        guard !bytes.isEmpty else { return "" }
        let utf8 = bytes.bindMemory(to: UInt8.self).span
        // Most texts are ASCII, which is always valid, and this check is faster than the call below.
        if isASCII(bytes) { return String(copying: unsafe UTF8Span(unchecked: utf8, isKnownASCII: true)) }
        do {
            return String(copying: try UTF8Span(validating: utf8))
        } catch {
            throw CellError.invalidText()
        }
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try writer.setText(self, at: position)
    }
}

/// Whether all bytes are below 128. Stops at the first group of eight with another byte.
@inlinable @inline(__always) func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    var start = 0
    while start &+ 8 <= bytes.count {
        if bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) & high != 0 { return false }
        start &+= 8
    }
    while start < bytes.count {
        if bytes[start] >= 0x80 { return false }
        start &+= 1
    }
    return true
}
