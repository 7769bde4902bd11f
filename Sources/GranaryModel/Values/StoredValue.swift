import GranaryPlatform

/// An owned value in stored form: a ``Cell`` with a copy of the bytes that it points at.
///
/// Equality and order are those of every store: nil first, then by number or by bytes, never by Swift's string
/// comparison. Values of different kinds order by kind.
public enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8.
    case text([UInt8])
    case bytes([UInt8])

    /// Copies a cell.
    public init(_ cell: Cell) {
        self =
            switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.integerValue)
            case .real: .real(cell.realValue)
            case .text: .text([UInt8](cell.rawBytes))
            case .bytes: .bytes([UInt8](cell.rawBytes))
            }
    }

    /// The stored form of a value.
    ///
    /// - Throws: ``GranaryError/Code/range`` if the value cannot be stored.
    public init<Value: AttributeValue>(encoding value: Value) throws {
        self = try RowWriter.withOneCell { writer in
            try value.encode(into: &writer, at: 0)
            return writer.withRow { StoredValue($0[0]) }
        }
    }

    /// The Swift value of this stored form.
    ///
    /// ```swift
    /// let born = try row["born"]?.value(as: Date?.self)
    /// ```
    ///
    /// The type is that of the attribute, or an optional of it. A double becomes the nearest `Float`.
    ///
    /// - Throws: ``GranaryError/Code/typeMismatch`` if the type has another stored form; ``GranaryError/Code/range`` if
    ///   the value does not fit the type.
    public func value<Value: AttributeValue>(as type: Value.Type = Value.self) throws -> Value {
        try withCell { try Value.decode(chosen: $0) }
    }

    /// A text from a string.
    public static func string(_ text: String) -> StoredValue { .text(Array(text.utf8)) }

    public var kind: Cell.Kind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .bytes: .bytes
        }
    }

    /// Lends the value as a cell.
    @inlinable public func withCell<T>(_ body: (Cell) throws -> T) rethrows -> T {
        switch self {
        case .null: return try body(.null)
        case .integer(let value): return try body(.integer(value))
        case .real(let value): return try body(.real(value))
        case .text(let utf8):
            return try utf8.withUnsafeBytes { try body(.text($0)) }
        case .bytes(let bytes):
            return try bytes.withUnsafeBytes { try body(.bytes($0)) }
        }
    }

    /// Writes the value into a row.
    public func encode(into writer: inout RowWriter, at position: Int) throws {
        switch self {
        case .null: try writer.set(.null, at: position)
        case .integer(let value): try writer.set(.integer(value), at: position)
        case .real(let value): try writer.set(.real(value), at: position)
        case .text(let utf8): try utf8.withUnsafeBytes { try writer.setText(utf8: $0, at: position) }
        case .bytes(let bytes): try bytes.withUnsafeBytes { try writer.setBytes($0, at: position) }
        }
    }
}

extension StoredValue: Comparable {
    @inlinable public static func < (left: StoredValue, right: StoredValue) -> Bool {
        // Most sorted values are keys, and most keys are integers.
        if case .integer(let left) = left, case .integer(let right) = right { return left < right }
        return left.withCell { left in right.withCell { right in compare(left, right) < 0 } }
    }
}

/// Orders two cells: negative, zero or positive. Null is first; an integer and a real are compared exactly as numbers
/// (2^53 + 1 is greater than 2^53); text and bytes are compared byte by byte, with a prefix first.
public func compare(_ left: Cell, _ right: Cell) -> Int {
    switch (left.kind, right.kind) {
    case (.integer, .integer):
        let (a, b) = (left.integerValue, right.integerValue)
        return a < b ? -1 : a == b ? 0 : 1
    case (.real, .real):
        let (a, b) = (left.realValue, right.realValue)
        return a < b ? -1 : a == b ? 0 : 1
    case (.text, .text), (.bytes, .bytes):
        return compareBytes(left.rawBytes, right.rawBytes)
    case (.integer, .real): return compareExactly(left.integerValue, right.realValue)
    case (.real, .integer): return -compareExactly(right.integerValue, left.realValue)
    default:
        return Int(left.kind.rawValue) - Int(right.kind.rawValue)
    }
}

/// Orders an integer and a double without rounding either.
package func compareExactly(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let truncated = Int64(real)
    if integer != truncated { return integer < truncated ? -1 : 1 }
    let fraction = real - real.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
}

/// Orders bytes like `memcmp`, with a prefix first.
@usableFromInline package func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
        let order = memcmp(a, b, shared)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}

/// Whether two cells of one attribute hold the same value.
@inlinable @inline(__always) public func areSame(_ left: Cell, _ right: Cell) -> Bool {
    guard left.kind == right.kind else { return false }
    return switch left.kind {
    case .null: true
    case .integer: left.integerValue == right.integerValue
    case .real: left.realValue == right.realValue
    case .text, .bytes:
        left.rawBytes.count == right.rawBytes.count && compareBytes(left.rawBytes, right.rawBytes) == 0
    }
}
