public import GranaryPlatform

/// A number: a type that can be summed and computed with in a query.
public protocol NumericAttributeValue: AttributeValue {
    /// The type of a sum: exact for integers and decimals, correctly rounded for doubles.
    associatedtype Sum: AttributeValue = Self
    /// The type of an average.
    associatedtype Average: AttributeValue = Double
}

/// A number that can be multiplied and divided by another of its type. A ``ScaledDecimal`` cannot: the result has other
/// places.
public protocol FactorAttributeValue: NumericAttributeValue {}

/// A number with a fraction that keeps its type beside an integer: `Double`, `Float`, `Decimal`.
public protocol FractionAttributeValue: FactorAttributeValue {}

/// A decimal: a `Decimal`, or a ``ScaledDecimal`` of any places. Two kinds of decimals combine to a `Decimal`.
public protocol ExactAttributeValue: NumericAttributeValue {}

/// A ``ScaledDecimal`` with any number of places.
public protocol ScaledAttributeValue: ExactAttributeValue {
    /// Makes a value of a decimal. Storing or comparing it checks whether it fits the places.
    init(_ value: Decimal)
}

/// `Decimal` values for comparisons with a ``ScaledDecimal``. Literals do not have this type.
public protocol DecimalAttributeValue: FractionAttributeValue, ExactAttributeValue {
    var _decimal: Decimal { get }
}

extension Int: FactorAttributeValue {}
extension Int8: FactorAttributeValue { public typealias Sum = Int }
extension Int16: FactorAttributeValue { public typealias Sum = Int }
extension Int32: FactorAttributeValue { public typealias Sum = Int }
extension Int64: FactorAttributeValue {}
extension UInt: FactorAttributeValue {}
extension UInt8: FactorAttributeValue { public typealias Sum = Int }
extension UInt16: FactorAttributeValue { public typealias Sum = Int }
extension UInt32: FactorAttributeValue { public typealias Sum = Int }
extension UInt64: FactorAttributeValue {}
extension Float: FractionAttributeValue { public typealias Sum = Double }
extension Double: FractionAttributeValue {}
extension Decimal: DecimalAttributeValue {
    public typealias Average = Decimal
    public var _decimal: Decimal { self }
}
extension ScaledDecimal: ScaledAttributeValue { public typealias Average = Decimal }

/// A value kept as JSON, into which a query can look.
public protocol JSONAttributeValue: AttributeValue {}
extension JSON: JSONAttributeValue {}
