import GranaryModel
import GranaryPlatform

extension StoredValue {
    /// The value for display and CSV; nil for nil.
    package func text(as type: AttributeType) -> String? {
        switch self {
        case .null: return nil
        case .integer(let number):
            return switch type {
            case .bool: number == 0 ? "false" : "true"
            case .scaledDecimal(let places): StoredValue.scaled(number, places)
            default: "\(number)"
            }
        case .real(let number):
            if type == .date { return DateText.written(number) }
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

    /// The value in the form for errors: ``GranaryError/value``, before it is shortened.
    package func textOfError(as type: AttributeType) -> String {
        if case .bytes(let bytes) = self, type == .data { return "\(bytes.count) bytes" }
        return text(as: type) ?? "nil"
    }

    /// 12345 with two places is 123.45.
    private static func scaled(_ number: Int64, _ places: Int) -> String {
        guard places > 0 else { return "\(number)" }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
