public import GranaryPlatform

/// A number, or an optional one, to which ``Changes/add(_:_:)`` adds.
public protocol AddableAttributeValue: AttributeValue {
    /// The type of the amount. An amount may be negative even if the number itself may not.
    associatedtype Amount = Self
    /// The amount in its stored form.
    ///
    /// - Throws: `range` if it cannot be stored.
    static func _stored(_ amount: Amount) throws -> StoredValue
}

extension AddableAttributeValue where Amount: AttributeValue {
    public static func _stored(_ amount: Amount) throws -> StoredValue { try StoredValue(encoding: amount) }
}

extension Int: AddableAttributeValue {}
extension Int8: AddableAttributeValue { public typealias Amount = Int }
extension Int16: AddableAttributeValue { public typealias Amount = Int }
extension Int32: AddableAttributeValue { public typealias Amount = Int }
extension Int64: AddableAttributeValue {}
extension UInt: AddableAttributeValue { public typealias Amount = Int }
extension UInt8: AddableAttributeValue { public typealias Amount = Int }
extension UInt16: AddableAttributeValue { public typealias Amount = Int }
extension UInt32: AddableAttributeValue { public typealias Amount = Int }
extension UInt64: AddableAttributeValue { public typealias Amount = Int64 }
extension Float: AddableAttributeValue {}
extension Double: AddableAttributeValue {}
extension Decimal: AddableAttributeValue {}
extension ScaledDecimal: AddableAttributeValue {
    public typealias Amount = Decimal
    public static func _stored(_ amount: Decimal) throws -> StoredValue {
        try StoredValue(encoding: ScaledDecimal(amount))
    }
}
extension Optional: AddableAttributeValue where Wrapped: AddableAttributeValue {
    public typealias Amount = Wrapped.Amount
    public static func _stored(_ amount: Wrapped.Amount) throws -> StoredValue { try Wrapped._stored(amount) }
}
