import Foundation
import GranaryCore

// How a stored value is shown. Every verb that shows records uses this.
//
// | type | text | JSON |
// |---|---|---|
// | numbers, decimals | digits | a number; infinity is a string |
// | `bool` | `true`, `false` | a boolean |
// | `date` | `2024-05-01T12:30:00.25Z`, as exact as it is stored | a string; outside the years 1 to 9999 a number of seconds since 2001 |
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
            if type == .date { return DateWriting.text(number) ?? "\(number)" }
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
            if case .real(let seconds) = self, DateWriting.text(seconds) == nil { return .number(text) }
            return .string(text)
        default:
            if case .real(let number) = self, !number.isFinite { return .string(text) }
            return .number(text)
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

/// Dates as the text of a query has them.
enum DateWriting {
    /// The shortest text that is read back as the same number of seconds since 2001; nil outside the years 1 to 9999.
    static func text(_ seconds: Double) -> String? {
        // The first second of year 1 and the first of year 10000, from 2001.
        guard seconds >= -63_113_904_000, seconds < 252_423_993_600 else { return nil }
        let whole = seconds.rounded(.down)
        for digits in 0...17 {
            let unit = pow(10, Double(digits))
            let fraction = ((seconds - whole) * unit).rounded()
            guard whole + fraction / unit == seconds || digits == 17 else { continue }
            let carries = fraction >= unit
            let text = String(Int(carries ? 0 : fraction))
            let padded = String(repeating: "0", count: digits - min(digits, text.count)) + text
            return clock(Int(whole) + (carries ? 1 : 0)) + (digits == 0 ? "" : "." + padded) + "Z"
        }
        return nil
    }

    /// `2024-05-01T12:30:00`, in the Gregorian calendar and UTC.
    private static func clock(_ seconds: Int) -> String {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let second = seconds - days * 86_400
        // Years that begin in March, counted from the one of year 0; 2001 begins 730 791 days after that.
        let shifted = days + 730_791
        let era = shifted / 146_097 - (shifted % 146_097 < 0 ? 1 : 0)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * part + 2) / 5 + 1
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
            + "T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))"
    }

    private static func pad(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
