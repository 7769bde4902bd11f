/// A type that can read every cell that an attribute of its ``AttributeValue/attributeType`` accepts, and writes the
/// value as the same cell: reading a row of such values into a record and writing it again neither changes nor refuses
/// the row.
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
