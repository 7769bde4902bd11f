import Foundation
import GranaryCore
import GranaryStoreKit

// How a stored value is shown. Every verb that shows records uses this.
//
// | type | text | JSON |
// |---|---|---|
// | numbers, decimals | digits | a number; infinity is a string |
// | `bool` | `true`, `false` | a boolean |
// | `date` | `2024-05-01T12:30:00.25Z`, as exact as it is stored | a string; outside the years 0 to 9999 a number of seconds since 2001 |
// | `uuid`, `url`, `string` | as it is | a string |
// | `data` | base64 | a string |
// | `json` | as it is | as it is |

extension StoredValue {
    /// The value for people and CSV; nil for nil.
    func text(as type: AttributeType) -> String? {
        switch self {
        case .null: return nil
        case .integer(let number):
            return switch type {
            case .bool: number == 0 ? "false" : "true"
            case .scaledDecimal(let places): StoredValue.scaled(number, places)
            default: "\(number)"
            }
        case .real(let number):
            if type == .date { return DateText.text(number) ?? "\(number)" }
            return type == .float ? "\(Float(number))" : "\(number)"
        case .text(let utf8): return String(decoding: utf8, as: UTF8.self)
        case .bytes(let bytes):
            switch type {
            case .uuid: return (try? value(as: UUID.self))?.uuidString ?? Data(bytes).base64EncodedString()
            case .decimal: return (try? value(as: Decimal.self))?.description ?? Data(bytes).base64EncodedString()
            default: return Data(bytes).base64EncodedString()
            }
        }
    }

    func json(as type: AttributeType) -> JSONText {
        guard let text = text(as: type) else { return .null }
        switch type {
        case .bool: return .bool(text == "true")
        case .json: return .raw(text)
        case .string, .url, .uuid, .data: return .string(text)
        case .date:
            if case .real(let seconds) = self, DateText.text(seconds) == nil { return .number(text) }
            return .string(text)
        default:
            // Infinity, and a decimal that is not a number, are none in JSON.
            return text.utf8.last.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
                ? .number(text) : .string(text)
        }
    }

    /// 12345 with two places is 123.45.
    private static func scaled(_ number: Int64, _ places: Int) -> String {
        guard places > 0 else { return "\(number)" }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
