import Foundation
import GranaryCore
import GranaryPlatform

/// A value to be written, in a form that JSON and CSV both have. Text and bytes are lent.
enum ExportedValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// A number as its text.
    case number(String)
    case string(String)
    case text(UnsafeRawBufferPointer)
    case json(UnsafeRawBufferPointer)
}

/// Converts the cells of one attribute to values that an import with the same mapping reads back unchanged. The inverse
/// of ``Converter``.
struct ValueWriter: Sendable {
    let attribute: Attribute
    private let dates: [ImportDateFormat]
    private let data: ImportDataFormat
    /// The export transformer of the mapping, if there is one.
    let transform: (@Sendable (ImportValue) throws -> ImportValue)?

    init(_ attribute: Attribute, _ mapping: ImportMapping) {
        self.attribute = attribute
        dates = mapping.dateFormats(of: attribute.name)
        data = mapping.dataFormats[attribute.name] ?? .base64
        transform = mapping.transformers[attribute.name]?.exporting
    }

    func value(of cell: Cell) throws -> ExportedValue {
        guard !cell.isNull else { return .null }
        guard cell.kind == attribute.type.storage else {
            throw GranaryError(
                .corrupt, "The stored value is \(cell.kind), which is not how \(attribute.type) is stored.")
        }
        switch attribute.type {
        case .bool: return .bool(cell.integerValue != 0)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return .integer(cell.integerValue)
        case .scaledDecimal(let places):
            guard let number = DecimalNumber(cell.integerValue, places: places) else { return .null }
            return .number(number.text)
        case .float: return ValueWriter.float(cell.realValue)
        case .double: return ValueWriter.real(cell.realValue)
        case .decimal: return .number(try DecimalNumber(encoded: cell.rawBytes).text)
        case .string, .url: return .text(cell.rawBytes)
        case .json: return .json(cell.rawBytes)
        case .uuid: return .string(try UUID.decode(cell).uuidString)
        case .data: return .string(data.text(of: cell.rawBytes))
        case .date: return date(cell.realValue)
        }
    }

    /// Infinity has no number in JSON, so it is written as a word.
    private static func real(_ value: Double) -> ExportedValue {
        value.isFinite ? .real(value) : .string(value < 0 ? "-inf" : "inf")
    }

    /// The shortest digits that mean exactly this float, if reading them as a double gives the same float.
    private static func float(_ value: Double) -> ExportedValue {
        let text = Float(value).description
        guard value.isFinite, let read = Double(text), Float(read) == Float(value) else { return real(value) }
        return .number(text)
    }

    /// Writes the date in the first format of the mapping that can represent it.
    private func date(_ seconds: Double) -> ExportedValue {
        // If seconds are allowed, whole milliseconds (.NET) are only read: seconds keep all digits.
        let written = dates.contains(.secondsSince1970) ? dates.filter { $0 != .dotNet } : dates
        for format in written { if let value = format.value(of: seconds) { return value } }
        return ImportDateFormat.secondsSince1970.value(of: seconds) ?? .real(seconds)
    }
}

extension ImportMapping {
    /// The date formats of an attribute. Exports write the first one.
    func dateFormats(of name: String) -> [ImportDateFormat] {
        dateFormatsByName[name] ?? dateFormats ?? ImportDateFormat.standard
    }
}

extension ImportDateFormat {
    /// A date in seconds since 2001 in this format; nil if the format cannot represent it.
    func value(of seconds: Double) -> ExportedValue? {
        switch self {
        case .rfc3339: DateText.text(seconds).map(ExportedValue.string)
        case .secondsSince1970, .millisecondsSince1970: number(seconds).map(ExportedValue.real)
        case .dotNet:
            ImportDateFormat.millisecondsSince1970.number(seconds).flatMap { Int64(exactly: $0.rounded()) }
                .map { .string("/Date(\($0))/") }
        case .pattern(let pattern): DatePattern(pattern).text(of: seconds).map(ExportedValue.string)
        }
    }

    /// The number that reads back as the same date, or the nearest number.
    private func number(_ seconds: Double) -> Double? {
        let since1970 = DateText.secondsSince1970(seconds)
        if self == .secondsSince1970 { return since1970 }
        let number = since1970 * 1000
        guard number.isFinite else { return nil }
        return [number, number.nextUp, number.nextDown].first { self.seconds(ofNumber: $0) == seconds } ?? number
    }
}

extension ExportedValue {
    /// The value, copied.
    var imported: ImportValue {
        get throws {
            switch self {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .real(let value): .double(value)
            case .number(let text): .decimal(text)
            case .string(let text): .string(text)
            case .text(let utf8): .string(String(decoding: utf8, as: UTF8.self))
            case .json(let utf8): try ImportValue(json: String(decoding: utf8, as: UTF8.self))
            }
        }
    }
}
