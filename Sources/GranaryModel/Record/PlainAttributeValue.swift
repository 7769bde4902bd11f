/// A type that has a value for every cell which an attribute of its ``AttributeValue/attributeType`` takes, and writes that value as
/// the same cell: a row of such values is not changed, and not refused, if a record is made of it and written again.
protocol PlainAttributeValue: AttributeValue {}

extension Bool: PlainAttributeValue {}
extension Int: PlainAttributeValue {}
extension Int8: PlainAttributeValue {}
extension Int16: PlainAttributeValue {}
extension Int32: PlainAttributeValue {}
extension Int64: PlainAttributeValue {}
extension UInt8: PlainAttributeValue {}
extension UInt16: PlainAttributeValue {}
extension UInt32: PlainAttributeValue {}
extension Double: PlainAttributeValue {}
extension String: PlainAttributeValue {}
