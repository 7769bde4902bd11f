extension Bool: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .bool }

    @inlinable public static func decode(_ cell: Cell) throws -> Bool {
        guard cell.kind == .integer, cell.integerValue == 0 || cell.integerValue == 1 else {
            throw CellError.mismatch(cell, expected: .bool)
        }
        return cell.integerValue == 1
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try writer.set(.integer(self ? 1 : 0), at: position)
    }
}

/// The shared code of the integer types: exact, and an error if a value does not fit.
///
/// Each type declares that ``AttributeValue/Widened`` is `Int`: Swift 6.3.1 may crash if the protocol declares it.
public protocol IntegerAttributeValue: AttributeValue, FixedWidthInteger {}

extension IntegerAttributeValue {
    @inlinable public static func decode(_ cell: Cell) throws -> Self {
        guard cell.kind == .integer else { throw CellError.mismatch(cell, expected: attributeType) }
        guard let value = Self(exactly: cell.integerValue) else { throw CellError.outOfRange(attributeType) }
        return value
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        guard let value = Int64(exactly: self) else { throw CellError.outOfRange(Self.attributeType) }
        try writer.set(.integer(value), at: position)
    }
}

extension Int: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .int64 }
}
extension Int8: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .int8 }
}
extension Int16: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .int16 }
}
extension Int32: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .int32 }
}
extension Int64: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .int64 }
}
extension UInt: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .uint64 }
}
extension UInt8: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .uint8 }
}
extension UInt16: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .uint16 }
}
extension UInt32: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .uint32 }
}
extension UInt64: IntegerAttributeValue {
    public typealias Widened = Int
    @inlinable public static var attributeType: AttributeType { .uint64 }
}

extension Double: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .double }

    @inlinable public static func decode(_ cell: Cell) throws -> Double {
        guard cell.kind == .real else { throw CellError.mismatch(cell, expected: .double) }
        return cell.realValue
    }

    /// NaN is refused, and -0.0 becomes 0.0.
    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        guard !isNaN else { throw CellError.notANumber() }
        try writer.set(.real(self + 0.0), at: position)
    }
}

extension Float: AttributeValue {
    @inlinable public static var attributeType: AttributeType { .float }

    @inlinable public static func decode(_ cell: Cell) throws -> Float {
        guard cell.kind == .real else { throw CellError.mismatch(cell, expected: .float) }
        let value = Float(cell.realValue)
        guard Double(value) == cell.realValue else { throw CellError.outOfRange(.float) }
        return value
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try Double(self).encode(into: &writer, at: position)
    }
}
