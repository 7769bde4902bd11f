import GranaryPlatform
import GranaryText

// A value can be converted if the new type has the same value: the same number, the same text, the same bytes.
// Otherwise the value would be lost, and the conversion returns nil. Each number has one text form, from which the same
// number can be read again.
//
// | from | to |
// |---|---|
// | bool, integers | bool, integers, in their ranges |
// | integers | float, double, decimal, scaled decimal: the same number |
// | float, double | integers, float, double, decimal, scaled decimal: the same number; a double and a decimal are the same if the double's shortest text is the decimal |
// | decimal, scaled decimal | integers, float, double, decimal, scaled decimal |
// | bool, numbers, UUID, URL, JSON | string, and back, except JSON |
// | string, UUID | data, and back |
// | date | double: seconds since 2001, and back |

/// Converts values of one type to another, one value at a time.
package struct ValueConversion: Sendable {
    /// Whether the new type has every value of the old type.
    package let isLossless: Bool
    /// Whether every cell stays the same.
    package let keepsCells: Bool
    private let old: AttributeType
    private let new: AttributeType

    /// Returns nil if the two types have no value in common.
    package init?(from old: AttributeType, to new: AttributeType) {
        guard old == new || ValueConversion.exists(old, new) else { return nil }
        (self.old, self.new) = (old, new)
        isLossless = old == new || new.holdsEvery(old)
        keepsCells = isLossless && old.storage == new.storage && ValueConversion.isSameCell(old, new)
    }

    /// The value in the new type; nil if that type does not have it. Nil stays nil.
    package func converted(_ cell: Cell) -> StoredValue? {
        if cell.isNull { return .null }
        if keepsCells { return StoredValue(cell) }
        guard let value = convert(cell) else { return nil }
        return value.withCell { ValueRule(Attribute("", new)).holds($0) } ? value : nil
    }

    private static func exists(_ old: AttributeType, _ new: AttributeType) -> Bool {
        switch (old, new) {
        case (.date, .double), (.double, .date), (.data, .uuid), (.uuid, .data), (.string, .data), (.data, .string),
            (.url, .string), (.json, .string), (.string, .url):
            true
        case (.string, .bool), (.bool, .string), (.string, .uuid), (.uuid, .string): true
        case (.bool, _): new.isInteger
        case (_, .bool): old.isInteger
        case (.string, _): new.isNumber
        case (_, .string): old.isNumber
        default: old.isNumber && new.isNumber
        }
    }

    private static func isSameCell(_ old: AttributeType, _ new: AttributeType) -> Bool {
        switch (old, new) {
        case (.scaledDecimal, _), (_, .scaledDecimal): old == new
        default: true
        }
    }

    private func convert(_ cell: Cell) -> StoredValue? {
        switch (old, new) {
        case (.string, .data): return .bytes(Array(cell.rawBytes))
        case (.data, .string):
            return String(validating: cell.rawBytes, as: UTF8.self).map(StoredValue.string)
        case (.data, .uuid), (.uuid, .data): return StoredValue(cell)
        case (.double, .date): return cell.realValue.isFinite ? StoredValue(cell) : nil
        case (_, .string): return text(cell).map(StoredValue.string)
        case (.string, _): return String(validating: cell.rawBytes, as: UTF8.self).flatMap(parsed)
        default: break
        }
        if old.isReal, new.isReal { return .real(cell.realValue) }
        if old.isReal {
            // An integer is exact; a fraction is the decimal that its text shows.
            if new.isInteger { return Int64(exactly: cell.realValue).map(StoredValue.integer) }
            return DecimalNumber(text: realText(cell).utf8).flatMap(stored)
        }
        guard let number = number(cell) else { return nil }
        return stored(number)
    }

    private func realText(_ cell: Cell) -> String {
        old == .float ? Float(cell.realValue).description : cell.realValue.description
    }

    private func number(_ cell: Cell) -> DecimalNumber? {
        switch old {
        case .scaledDecimal(let places): DecimalNumber(cell.integerValue, places: places)
        case .decimal: try? DecimalNumber(encoded: cell.rawBytes)
        default: DecimalNumber(cell.integerValue)
        }
    }

    /// A number in the new type.
    private func stored(_ number: DecimalNumber) -> StoredValue? {
        switch new {
        case .decimal: return .bytes(number.bytes)
        case .scaledDecimal(let places): return number.integer(places: places).map(StoredValue.integer)
        case .float:
            guard let value = Float(number.text), DecimalNumber(text: value.description.utf8) == number else {
                return nil
            }
            return .real(Double(value))
        case .double:
            // An integer becomes the double that equals it, whatever its shortest text is.
            if let integer = number.integer() { return Double(exactly: integer).map(StoredValue.real) }
            guard let value = Double(number.text), DecimalNumber(text: value.description.utf8) == number else {
                return nil
            }
            return .real(value)
        default: return number.integer().map(StoredValue.integer)
        }
    }

    private func text(_ cell: Cell) -> String? {
        switch old {
        case .bool: cell.integerValue == 0 ? "false" : "true"
        case .uuid: (try? UUID.decode(cell))?.uuidString
        case .url, .json: String(validating: cell.rawBytes, as: UTF8.self)
        case .float, .double: realText(cell)
        default: number(cell)?.text
        }
    }

    private func parsed(_ text: String) -> StoredValue? {
        switch new {
        case .bool: return text == "true" ? .integer(1) : text == "false" ? .integer(0) : nil
        case .uuid: return UUID(uuidString: text).flatMap { try? StoredValue(encoding: $0) }
        case .url: return URL(string: text)?.absoluteString == text ? .string(text) : nil
        case .double:
            guard let value = Double(text), !value.isNaN else { return nil }
            return isSame(text, value.description) ? .real(value) : nil
        case .float:
            guard let value = Float(text), !value.isNaN else { return nil }
            return isSame(text, value.description) ? .real(Double(value)) : nil
        default: return DecimalNumber(text: text.utf8).flatMap(stored)
        }
    }

    /// Whether two texts are the same number.
    private func isSame(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        guard let number = DecimalNumber(text: left.utf8) else { return false }
        return number == DecimalNumber(text: right.utf8)
    }
}

extension AttributeType {
    /// Whether each value of another type can be converted to this type and back.
    package func holdsEvery(_ other: AttributeType) -> Bool {
        switch (other, self) {
        case (.scaledDecimal, .decimal), (.float, .double), (.date, .double), (.string, .data), (.uuid, .data): true
        case (_, .string): other == .bool || other == .uuid || other == .url || other == .json || other.isNumber
        case (.scaledDecimal, _), (_, .scaledDecimal): false
        case (_, .decimal): other.isInteger
        case (_, .double):
            other.isInteger
                && other.integerRange.map { (Int64(-1) << 53...Int64(1) << 53).contains($0) } ?? false
        default:
            if let old = other.integerRange, let new = integerRange { new.contains(old) } else { false }
        }
    }

    fileprivate var isReal: Bool { self == .float || self == .double }

    /// Whether the type is an integer type. `bool` is not.
    fileprivate var isInteger: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
        default: false
        }
    }

    fileprivate var isNumber: Bool {
        switch self {
        case .float, .double, .decimal, .scaledDecimal: true
        default: isInteger
        }
    }
}
