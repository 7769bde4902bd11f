/// The kind of an attribute's values in cells: the single rule for what an attribute can hold, for every store.
///
/// `@inlinable`: it is checked for each cell of each row that a store writes.
@frozen public enum ValueKind: UInt8, Sendable {
    case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64
    case float, double
    case uuid
    case text, bytes

    public init(_ type: AttributeType) {
        self =
            switch type {
            case .bool: .bool
            case .int8: .int8
            case .int16: .int16
            case .int32: .int32
            case .int64, .scaledDecimal: .int64
            case .uint8: .uint8
            case .uint16: .uint16
            case .uint32: .uint32
            case .uint64: .uint64
            case .float: .float
            case .double, .date: .double
            case .uuid: .uuid
            case .string, .url, .json: .text
            case .decimal, .data: .bytes
            }
    }

    /// Whether a cell that is not nil holds such a value. The bytes of texts and decimals are not examined: they are
    /// checked where they are made.
    @inlinable @inline(__always) public func holds(_ cell: Cell) -> Bool {
        switch self {
        case .int64: return cell.kind == .integer
        case .text: return cell.kind == .text
        case .bytes: return cell.kind == .bytes
        case .double: return cell.kind == .real && !cell.realValue.isNaN
        case .float: return cell.kind == .real && Double(Float(cell.realValue)) == cell.realValue
        case .uuid: return cell.kind == .bytes && cell.rawBytes.count == 16
        default: break
        }
        guard cell.kind == .integer else { return false }
        let value = cell.integerValue
        return switch self {
        case .bool: value == 0 || value == 1
        case .int8: Int8(exactly: value) != nil
        case .int16: Int16(exactly: value) != nil
        case .int32: Int32(exactly: value) != nil
        case .uint8: UInt8(exactly: value) != nil
        case .uint16: UInt16(exactly: value) != nil
        case .uint32: UInt32(exactly: value) != nil
        case .uint64: value >= 0
        default: true
        }
    }
}

/// The values that an attribute can hold.
@frozen public struct ValueRule: Sendable {
    public let kind: ValueKind
    public let isOptional: Bool

    public init(_ attribute: Attribute) {
        kind = ValueKind(attribute.type)
        isOptional = attribute.isOptional
    }

    @inlinable @inline(__always) public func holds(_ cell: Cell) -> Bool {
        cell.isNull ? isOptional : kind.holds(cell)
    }
}

/// The values that an attribute can hold, including their bytes: text is UTF-8, a decimal has its stored form, and a
/// date is a valid time.
package struct ContentRule: Sendable {
    private let value: ValueRule
    private let isDecimal: Bool
    private let isDate: Bool

    package init(_ attribute: Attribute) {
        value = ValueRule(attribute)
        (isDecimal, isDate) = (attribute.type == .decimal, attribute.type == .date)
    }

    package func holds(_ cell: Cell) -> Bool {
        guard value.holds(cell) else { return false }
        return switch cell.kind {
        case .text: cell.isValidText
        case .bytes: !isDecimal || DecimalEncoding.decode(cell.rawBytes) != nil
        case .real: !isDate || cell.realValue.isFinite
        case .null, .integer: true
        }
    }
}

extension Cell {
    /// Whether the bytes of a text are UTF-8.
    fileprivate var isValidText: Bool {
        let bytes = rawBytes
        return isASCII(bytes) || (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
    }
}

extension GranaryError {
    /// The error for a value that an attribute cannot hold: a missing required value, another type, or out of range.
    @inline(never) package static func refused(_ cell: Cell, _ entity: Entity, _ position: Int) -> GranaryError {
        refused(cell, entity, entity.attributes[position])
    }

    package static func refused(_ cell: Cell, _ entity: Entity, _ attribute: Attribute) -> GranaryError {
        reason(cell, entity, attribute).with(value: StoredValue(cell).textOfData)
    }

    private static func reason(_ cell: Cell, _ entity: Entity, _ attribute: Attribute) -> GranaryError {
        let (name, type, path) = (attribute.name, attribute.type, entity.path(of: attribute.name))
        if cell.isNull {
            return GranaryError(
                .required, "\(path) is required and would be nil. Give it a value, or make it optional.",
                about: entity, [name])
        }
        guard cell.kind == type.storage, cell.kind == .integer || cell.kind == .real else {
            return GranaryError(
                .typeMismatch, "The value for \(path) is not of its type, \(type). Give a value of that type.",
                about: entity, [name])
        }
        if cell.kind == .real && cell.realValue.isNaN { return CellError.notANumber().about(entity, name) }
        return GranaryError(
            .range,
            "The value does not fit \(path), whose type is \(type). Use a value in its range, or a wider type.",
            about: entity, [name])
    }
}
