/// The requested kind of a value inside JSON.
public enum JSONScalarKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// `true` and `false`, as 1 and 0.
    case bool
    /// A number without a fraction within Int64, in any notation: 2, 2.0, 2e0.
    case integer
    /// Like ``integer``, within the range of the type.
    case int8, int16, int32, uint8, uint16, uint32, uint64
    /// Any number, as the nearest double.
    case real
    /// A string, without its escapes.
    case text

    /// The type of an attribute with such values.
    package var type: AttributeType {
        switch self {
        case .bool: .bool
        case .integer: .int64
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .real: .double
        case .text: .string
        }
    }
}

extension JSONPath {
    /// The value at the path in JSON; null if it is missing, null, an object, an array, or of another kind.
    ///
    /// Any bytes are accepted: bytes that are not JSON give null. They are read only up to the value, and skipped parts
    /// are only matched by their quotes and brackets. If a key is repeated, the first one counts. Nothing is allocated
    /// before the value is found, and depth costs nothing.
    package func value(as kind: JSONScalarKind, in utf8: UnsafeRawBufferPointer) -> StoredValue {
        var scanner = JSONScanner(utf8)
        for step in steps {
            let isFound =
                switch step {
                case .key(let key): scanner.enter(key: key)
                case .position(let position): scanner.enter(position: position)
                }
            if !isFound { return .null }
        }
        return switch kind {
        case .bool: scanner.bool().map { .integer($0 ? 1 : 0) } ?? .null
        case .real: scanner.number()?.real.map { .real($0) } ?? .null
        case .text: scanner.text().map { .text($0) } ?? .null
        default:
            scanner.number()?.integer.flatMap { kind.type.integerRange?.contains($0) == true ? .integer($0) : nil }
                ?? .null
        }
    }
}
