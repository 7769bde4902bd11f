#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A number: what can be summed, and computed with in a query.
public protocol NumericAttributeValue: AttributeValue {
    /// The type of a sum: exact for integers and decimals, correctly rounded for doubles.
    associatedtype Sum: AttributeValue = Self
    /// The type of an average.
    associatedtype Average: AttributeValue = Double
}

extension Int: NumericAttributeValue {}
extension Int8: NumericAttributeValue { public typealias Sum = Int }
extension Int16: NumericAttributeValue { public typealias Sum = Int }
extension Int32: NumericAttributeValue { public typealias Sum = Int }
extension Int64: NumericAttributeValue {}
extension UInt: NumericAttributeValue {}
extension UInt8: NumericAttributeValue { public typealias Sum = Int }
extension UInt16: NumericAttributeValue { public typealias Sum = Int }
extension UInt32: NumericAttributeValue { public typealias Sum = Int }
extension UInt64: NumericAttributeValue {}
extension Float: NumericAttributeValue { public typealias Sum = Double }
extension Double: NumericAttributeValue {}
extension Decimal: NumericAttributeValue { public typealias Average = Decimal }
extension ScaledDecimal: NumericAttributeValue { public typealias Average = Decimal }

/// A value kept as JSON, into which a query can look.
public protocol JSONAttributeValue: AttributeValue {}
extension JSON: JSONAttributeValue {}
