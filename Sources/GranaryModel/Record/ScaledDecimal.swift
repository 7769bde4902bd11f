public import GranaryPlatform

/// A decimal with a fixed number of places, kept as an integer: money.
///
/// `@Attribute(.scaled(2)) var price: Decimal` wraps and unwraps it for you. In a query the field is of this type, and
/// can also be compared with a Decimal:
///
/// ```swift
/// Song.where { $0.price >= 9.99 && $0.price < limit }       // limit: Decimal
/// ```
///
/// It is stored as an Int64, the value times ten to the power of `places`: with two places up to ±92 233 720 368 547
/// 758.07. A value with more places, a larger value and NaN throw `range`; nothing is ever rounded.
public struct ScaledDecimal<let places: Int>: AttributeValue, Hashable, Comparable {
    public var value: Decimal

    public init(_ value: Decimal) { self.value = value }

    public static var attributeType: AttributeType { .scaledDecimal(places: places) }

    public static func decode(_ cell: Cell) throws -> ScaledDecimal {
        guard cell.kind == .integer else { throw CellError.mismatch(cell, expected: attributeType) }
        let isNegative = cell.integerValue < 0
        // From text, because `Decimal`'s own conversions of the largest integers and its powers are not exact
        // everywhere.
        guard let significand = Decimal(string: String(cell.integerValue.magnitude)) else {
            throw CellError.outOfRange(attributeType)
        }
        return ScaledDecimal(
            Decimal(sign: isNegative ? .minus : .plus, exponent: -places, significand: significand))
    }

    /// - Throws: `range` if the value has more places than the type, or does not fit.
    public func encode(into writer: inout RowWriter, at position: Int) throws {
        guard !value.isNaN else { throw CellError.notANumber() }
        guard let scaled = value.scaled(places: places) else {
            throw GranaryError(
                .range,
                "The value does not fit a decimal with \(places) places exactly. Round it, or use more places.")
        }
        try writer.set(.integer(scaled), at: position)
    }

    public static func < (left: ScaledDecimal, right: ScaledDecimal) -> Bool { left.value < right.value }
}

extension ScaledDecimal: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self.init(Decimal(value)) }

    /// The number as written: 9.99 is 9.99, not the double next to it.
    public init(floatLiteral value: Double) { self.init(Decimal(string: "\(value)") ?? .nan) }
}

/// Coded as its `Decimal`. Storing it checks whether it fits the places, as for any other value.
extension ScaledDecimal: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Decimal.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension ScaledDecimal: CustomStringConvertible {
    public var description: String { value.description }
}

extension Decimal {
    /// The value times ten to the power of `places`; nil if that is not an Int64.
    package func scaled(places: Int) -> Int64? {
        // The description is digits with an optional sign and point, in no locale.
        let parts = description.split(separator: ".", maxSplits: 1)
        guard let whole = parts.first else { return nil }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        guard fraction.utf8.count <= places else { return nil }
        return Int64(whole + fraction + String(repeating: "0", count: places - fraction.utf8.count))
    }
}
