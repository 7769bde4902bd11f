import GranaryCore
import GranaryPlatform

/// A lent value that is neither an array nor an object. Trees and a reader's events both have scalars, and the
/// conversions need nothing else.
///
/// Bytes are valid as long as the scalar is lent.
enum Scalar {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as it is written, in ASCII.
    case number(UnsafeRawBufferPointer)
    case real(Double)
    /// Valid UTF-8.
    case text(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    case date(Date)
}

extension ImportValue {
    /// Lends the value to `body`; nil if it is an array or an object.
    func withScalar<T>(_ body: (Scalar?) throws -> T) rethrows -> T {
        switch self {
        case .null: return try body(.null)
        case .bool(let value): return try body(.bool(value))
        case .integer(let value): return try body(.integer(value))
        case .double(let value): return try body(.real(value))
        case .date(let value): return try body(.date(value))
        case .decimal(var text): return try text.withUTF8 { try body(.number(UnsafeRawBufferPointer($0))) }
        case .string(var text): return try text.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
        case .data(let data): return try data.withUnsafeBytes { try body(.bytes($0)) }
        case .array, .object: return try body(nil)
        }
    }
}
