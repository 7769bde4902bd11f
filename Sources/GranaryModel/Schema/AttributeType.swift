/// The type of an attribute. It decides which values are accepted, how they are ordered, and how they are stored.
///
/// | type | stored as | order |
/// |---|---|---|
/// | `bool` | integer 0 or 1 | false first |
/// | `int8` ... `int64`, `uint8` ... `uint64` | integer, exact; beyond Int64 is an error | as numbers |
/// | `float`, `double` | real; NaN refused, -0.0 becomes 0.0 | as numbers |
/// | `decimal` | bytes in order of value, see `DecimalEncoding` | as numbers |
/// | `scaledDecimal` | integer: the value times 10 to the places | as numbers |
/// | `string`, `url` | UTF-8 text as given | by bytes |
/// | `data` | bytes | by bytes, a prefix first |
/// | `date` | real: seconds since 2001-01-01 00:00:00 UTC, every bit kept | by time |
/// | `uuid` | 16 bytes in RFC 9562 order | by bytes |
/// | `json` | text: JSON with sorted keys | by bytes |
public enum AttributeType: Hashable, Sendable {
    case bool
    case int8, int16, int32, int64
    case uint8, uint16, uint32, uint64
    case float, double, decimal
    /// A decimal with a fixed number of places, for money: exact, and a plain integer in the store.
    case scaledDecimal(places: Int)
    case string, data, date, uuid, url, json

    /// The storage class of every value of this type that is not nil.
    public var storage: Cell.Kind {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .scaledDecimal: .integer
        case .float, .double, .date: .real
        case .string, .url, .json: .text
        case .decimal, .data, .uuid: .bytes
        }
    }

    /// The range of integers of this type; nil if its storage is not integer.
    public var integerRange: ClosedRange<Int64>? {
        switch self {
        case .bool: 0...1
        case .int8: Int64(Int8.min)...Int64(Int8.max)
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int64, .scaledDecimal: Int64.min...Int64.max
        case .uint8: 0...Int64(UInt8.max)
        case .uint16: 0...Int64(UInt16.max)
        case .uint32: 0...Int64(UInt32.max)
        case .uint64: 0...Int64.max
        default: nil
        }
    }
}

extension AttributeType: CustomStringConvertible, LosslessStringConvertible, Codable {
    private static let plain: [(AttributeType, String)] = [
        (.bool, "bool"), (.int8, "int8"), (.int16, "int16"), (.int32, "int32"), (.int64, "int64"),
        (.uint8, "uint8"), (.uint16, "uint16"), (.uint32, "uint32"), (.uint64, "uint64"),
        (.float, "float"), (.double, "double"), (.decimal, "decimal"),
        (.string, "string"), (.data, "data"), (.date, "date"), (.uuid, "uuid"), (.url, "url"), (.json, "json"),
    ]

    /// The name used in printed and encoded schemas: `int64`, `decimal(2)`.
    public var description: String {
        if case .scaledDecimal(let places) = self { return "decimal(\(places))" }
        return AttributeType.plain.first { $0.0 == self }?.1 ?? "unknown"
    }

    public init?(_ description: String) {
        if let found = AttributeType.plain.first(where: { $0.1 == description }) {
            self = found.0
        } else if description.hasPrefix("decimal("), description.hasSuffix(")"),
            let places = Int(description.dropFirst(8).dropLast()), (0...18).contains(places)
        {
            self = .scaledDecimal(places: places)
        } else {
            return nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let type = AttributeType(name) else {
            throw GranaryError(.newerFormat, "The attribute type \"\(name)\" is not known to this version of Granary.")
        }
        self = type
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension NumberKind {
    /// The storage class of the numbers.
    package var storage: Cell.Kind {
        switch self {
        case .integer: .integer
        case .real: .real
        case .decimal: .bytes
        }
    }
    /// The kind of number in which values of a type are stored; nil for text, bytes and UUIDs.
    package init?(_ type: AttributeType) {
        switch type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .scaledDecimal: self = .integer
        case .float, .double, .date: self = .real
        case .decimal: self = .decimal
        case .string, .data, .uuid, .url, .json: return nil
        }
    }
}
