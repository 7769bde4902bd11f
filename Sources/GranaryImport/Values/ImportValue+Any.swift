import Foundation
import GranaryPlatform

extension ImportValue {
    /// Converts a value of a dictionary or an array of `Any`, as `JSONSerialization` and property lists give it.
    ///
    /// The keys of a dictionary are sorted by their bytes, because a dictionary has no order of its own.
    ///
    /// - Throws: `typeMismatch` for a value that is not a number, string, boolean, `Decimal`, `Date`, `Data`, `URL`,
    ///   `UUID`, `NSNull`, nil, or an array or dictionary of these; `range` for an unsigned integer beyond Int64;
    ///   `limit` beyond 512 levels.
    public init(any value: Any?) throws { try self.init(any: value, depth: 0) }

    private init(any value: Any?, depth: Int) throws {
        guard depth < ImportRun.maximumDepth else { throw ImportRun.tooDeep() }
        guard let value else {
            self = .null
            return
        }
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            self = try ImportValue(number)
            return
        }
        switch value {
        case let value as ImportValue: self = value
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self = try ImportValue(integer: value)
        case let value as Double: self = .double(value)
        case let value as Float: self = value.isFinite ? .decimal("\(value)") : .double(Double(value))
        case let value as Decimal: self = value.isNaN ? .double(.nan) : .decimal(value.description)
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as URL: self = .string(value.absoluteString)
        case let value as UUID: self = .string(value.uuidString)
        case is NSNull: self = .null
        case let value as [Any?]: self = .array(try value.map { try ImportValue(any: $0, depth: depth + 1) })
        case let value as [String: Any?]:
            let keys = value.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            self = .object(
                ImportObject(
                    try keys.map { .init($0, try ImportValue(any: value[$0] ?? nil, depth: depth + 1)) }))
        default:
            throw GranaryError(
                .typeMismatch,
                "A value of type \(type(of: value)) cannot be imported. Use numbers, strings, dates, data, arrays and dictionaries."
            )
        }
    }

    private init(_ number: NSNumber) throws {
        // The original type of the number, in Objective-C's encoding.
        switch UnsafeRawPointer(number.objCType).loadUnaligned(as: UInt8.self) {
        // Booleans and signed bytes may have one code.
        case UInt8(ascii: "c") where number.int64Value != 0 && number.int64Value != 1:
            self = .integer(number.int64Value)
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            let isExact = number is NSDecimalNumber && number.doubleValue.isFinite
            self = isExact ? .decimal(number.stringValue) : .double(number.doubleValue)
        case UInt8(ascii: "Q"): self = try ImportValue(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    private init(integer value: some BinaryInteger) throws {
        guard let exact = Int64(exactly: value) else {
            throw GranaryError(.range, "An integer beyond Int64 cannot be imported. Give it as a Decimal or a string.")
        }
        self = .integer(exact)
    }
}
