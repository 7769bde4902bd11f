public import GranaryPlatform

extension Data: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .data }

    @inlinable public static func decode(_ cell: Cell) throws -> Data {
        guard cell.kind == .bytes else { throw CellError.mismatch(cell, expected: .data) }
        return Data(cell.rawBytes)
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try withUnsafeBytes { try writer.setBytes($0, at: position) }
    }
}

extension [UInt8]: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .data }

    @inlinable public static func decode(_ cell: Cell) throws -> [UInt8] {
        guard cell.kind == .bytes else { throw CellError.mismatch(cell, expected: .data) }
        return [UInt8](cell.rawBytes)
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try withUnsafeBytes { try writer.setBytes($0, at: position) }
    }
}

extension Date: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .date }

    @inlinable public static func decode(_ cell: Cell) throws -> Date {
        guard cell.kind == .real else { throw CellError.mismatch(cell, expected: .date) }
        return Date(timeIntervalSinceReferenceDate: cell.realValue)
    }

    /// Every bit of the seconds since 2001 is kept. NaN and infinities are refused.
    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        let seconds = timeIntervalSinceReferenceDate
        guard seconds.isFinite else { throw CellError.outOfRange(.date) }
        try writer.set(.real(seconds + 0.0), at: position)
    }
}

extension UUID: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .uuid }

    @inlinable public static func decode(_ cell: Cell) throws -> UUID {
        let bytes = cell.rawBytes
        guard cell.kind == .bytes, bytes.count == 16 else { throw CellError.mismatch(cell, expected: .uuid) }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try withUnsafeBytes(of: uuid) { try writer.setBytes($0, at: position) }
    }
}

extension URL: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .url }

    @inlinable public static func decode(_ cell: Cell) throws -> URL {
        guard let url = URL(string: try String.decode(cell)) else {
            throw CellError.mismatch(cell, expected: .url)
        }
        return url
    }

    /// The absolute string.
    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try writer.setText(absoluteString, at: position)
    }
}

extension Decimal: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .decimal }

    public static func decode(_ cell: Cell) throws -> Decimal {
        guard cell.kind == .bytes else { throw CellError.mismatch(cell, expected: .decimal) }
        guard let value = DecimalEncoding.decode(cell.rawBytes) else {
            throw GranaryError(
                .corrupt, "The store holds bytes that are not a decimal. Restore the record from a backup.")
        }
        return value
    }

    /// Up to 38 digits and an exponent of -128 to 127. NaN is refused.
    public func encode(into writer: inout RowWriter, at position: Int) throws {
        let bytes = try DecimalEncoding.encode(self)
        try bytes.withUnsafeBytes { try writer.setBytes($0, at: position) }
    }
}
