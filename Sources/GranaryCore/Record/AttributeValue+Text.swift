extension String: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .string }

    /// The text, byte for byte. Bytes that are not UTF-8 are refused, never repaired.
    @inlinable public static func decode(_ cell: Cell) throws -> String {
        guard cell.kind == .text else { throw CellError.mismatch(cell, expected: .string) }
        let bytes = cell.rawBytes
        guard !bytes.isEmpty else { return "" }
        do {
            return String(copying: try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span))
        } catch {
            throw CellError.invalidText()
        }
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try writer.setText(self, at: position)
    }
}
