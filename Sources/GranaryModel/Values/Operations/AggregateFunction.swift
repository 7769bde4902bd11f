/// A function over the values of an attribute in many records. Nil is skipped.
///
/// | | result | without values |
/// |---|---|---|
/// | `count` | an integer: the number of values that are not nil | 0 |
/// | `sum` | the attribute's type; exact for integers and decimals, correctly rounded for doubles | 0 |
/// | `average` | a double for integers and doubles, correctly rounded; a decimal of 38 digits for decimals | nil |
/// | `minimum`, `maximum` | the attribute's type | nil |
///
/// No result depends on the order of the records, not even in the last bit of a double.
public enum AggregateFunction: String, Sendable, Hashable, Codable, CaseIterable {
    case count, sum, average, minimum, maximum

    /// The type of the result for an attribute of a type; nil if the function has no meaning for it (the sum of texts).
    ///
    /// A sum keeps the attribute's kind of number but not its size: the sum of `int8` values is an `int64`.
    public func resultType(of type: AttributeType) -> AttributeType? {
        switch self {
        case .count: return .int64
        case .minimum, .maximum: return type
        case .sum:
            switch type {
            case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return .int64
            case .float, .double: return .double
            case .decimal, .scaledDecimal: return type
            case .bool, .string, .data, .date, .uuid, .url, .json: return nil
            }
        case .average:
            switch type {
            case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double: return .double
            case .decimal, .scaledDecimal: return .decimal
            case .date: return .date
            case .bool, .string, .data, .uuid, .url, .json: return nil
            }
        }
    }
}
