/// A type whose values an attribute can hold.
///
/// Conforming types are `Bool`, every integer type, `Float`, `Double`, `Decimal`, `String`, `Data`, `[UInt8]`, `Date`,
/// `UUID`, `URL`, ``Ref``, ``JSON`` and optionals of these. An enum or a wrapper with a raw value conforms by declaring
/// it:
///
/// ```swift
/// enum Mood: String, AttributeValue { case calm, wild }
/// struct ISRC: RawRepresentable, AttributeValue { var rawValue: String }
/// ```
public protocol AttributeValue: Sendable, QueryArgumentConvertible {
    /// The type with nil as a value: `Self?`, or the type itself if it already has nil.
    associatedtype Nilable: AttributeValue = Self?
    /// The type without nil.
    associatedtype Unwrapped: AttributeValue = Self
    /// The type in which a query compares and computes with this type and others: `Int` for every integer type,
    /// otherwise the type itself.
    associatedtype Widened: AttributeValue = Self

    /// The type of the attribute.
    static var attributeType: AttributeType { get }
    /// Whether nil is a value.
    static var isOptional: Bool { get }
    /// For a ``Ref``, the entity it refers to.
    static var referencedEntity: String? { get }
    /// Earlier stored values of the type: see ``RenamedCases``. Empty by default.
    static var renamedValues: [ValueRenaming] { get }

    /// Reads the value of a cell. Every cell may come from a damaged file: check its kind and its range.
    static func decode(_ cell: Cell) throws -> Self
    /// Writes the value, in canonical form, at a position.
    func encode(into writer: inout RowWriter, at position: Int) throws
}

extension AttributeValue {
    @inlinable public static var isOptional: Bool { false }
    @inlinable public static var referencedEntity: String? { nil }
    public static var renamedValues: [ValueRenaming] { [] }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public typealias Nilable = Wrapped?
    public typealias Unwrapped = Wrapped.Unwrapped

    @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
    @inlinable public static var isOptional: Bool { true }
    @inlinable public static var referencedEntity: String? { Wrapped.referencedEntity }
    public static var renamedValues: [ValueRenaming] { Wrapped.renamedValues }

    @inlinable public static func decode(_ cell: Cell) throws -> Wrapped? {
        if cell.isNull { return nil }
        return try Wrapped.decode(cell)
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        switch self {
        case nil: try writer.set(.null, at: position)
        case let value?: try value.encode(into: &writer, at: position)
        }
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    @inlinable public static var attributeType: AttributeType { RawValue.attributeType }

    @inlinable public static func decode(_ cell: Cell) throws -> Self {
        guard let value = Self(rawValue: try RawValue.decode(cell)) else {
            throw CellError.notACase(of: Self.self)
        }
        return value
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try rawValue.encode(into: &writer, at: position)
    }
}

/// Errors of decoding and encoding one cell. The callers add the entity and the attribute.
public enum CellError {
    @inline(never) public static func mismatch(_ cell: Cell, expected: AttributeType) -> GranaryError {
        if cell.isNull {
            return GranaryError(
                .corrupt,
                "A required attribute holds nil in the store. Give it a value, or make the attribute optional.")
        }
        return GranaryError(
            .corrupt,
            "The store holds a value of kind \(cell.kind) where one of type \(expected) was expected. Restore the record from a backup."
        )
    }

    @inline(never) public static func outOfRange(_ type: AttributeType) -> GranaryError {
        GranaryError(
            .range,
            type == .decimal
                ? "The decimal has more than 38 digits, or an exponent outside -128...127. Round it to 38 digits."
                : "The value does not fit \(type). Use a value in its range, or a wider type.")
    }

    @inline(never) public static func notANumber() -> GranaryError {
        GranaryError(.range, "NaN cannot be stored: it has no order. Use an optional attribute and nil.")
    }

    @inline(never) public static func invalidText() -> GranaryError { .invalidText() }

    @inline(never) public static func notACase<T>(of type: T.Type) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "The stored raw value is not one of the raw values of \(type). Add that case to \(type), or change the stored value."
        )
    }
}
