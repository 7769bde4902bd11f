public import GranaryPlatform

/// A number: what can be summed, and computed with in a query.
public protocol NumericAttributeValue: AttributeValue {
    /// The type of a sum: exact for integers and decimals, correctly rounded for doubles.
    associatedtype Sum: AttributeValue = Self
    /// The type of an average.
    associatedtype Average: AttributeValue = Double
}

/// A number that is multiplied and divided by its like. A ``ScaledDecimal`` is not: the result has other places.
public protocol FactorAttributeValue: NumericAttributeValue {}

/// A ``ScaledDecimal``, whatever its places.
public protocol ScaledAttributeValue: NumericAttributeValue {
    /// The decimal itself: whether it fits the places is found out when it is stored or compared.
    init(_ value: Decimal)
}

/// `Decimal`, and no literal: what a ``ScaledDecimal`` is compared with.
public protocol DecimalAttributeValue: FactorAttributeValue {
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
extension Float: FactorAttributeValue { public typealias Sum = Double }
extension Double: FactorAttributeValue {}
extension Decimal: DecimalAttributeValue {
    public typealias Average = Decimal
    public var _decimal: Decimal { self }
}
extension ScaledDecimal: ScaledAttributeValue { public typealias Average = Decimal }

/// A value kept as JSON, into which a query can look.
public protocol JSONAttributeValue: AttributeValue {}
extension JSON: JSONAttributeValue {}
