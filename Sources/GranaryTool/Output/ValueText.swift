import GranaryCore
import GranaryStoreKit

// How stored values are shown. All verbs that show records use this, and the library's errors use the same text.
//
// | type | text | JSON |
// |---|---|---|
// | numbers, decimals | digits | a number; infinity is a string |
// | `bool` | `true`, `false` | a boolean |
// | `date` | `2024-05-01T12:30:00.25Z`, as exact as it is stored | a string; outside the years 0 to 9999 a number of seconds since 1970 |
// | `uuid`, `url`, `string` | as it is | a string |
// | `data` | base64 | a string |
// | `json` | as it is | as it is |

extension StoredValue {
    /// The most bytes of `data`, and of other values, that are shown to people completely.
    private static let (mostData, mostText) = (48, 1_000)

    /// The value for people. A long value is replaced by its size, `<40.0 kB>`, unless `isFull`. Nil for nil.
    func shown(as type: AttributeType, isFull: Bool) -> String? {
        let size =
            switch self {
            case .text(let utf8): utf8.count
            case .bytes(let bytes): bytes.count
            case .null, .integer, .real: 0
            }
        let most = type == .data ? StoredValue.mostData : StoredValue.mostText
        return size > most && !isFull ? "<\(readableSize(size))>" : text(as: type)
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
            // JSON has no number for infinity, or for a decimal that is not a number.
            return text.utf8.last.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
                ? .number(text) : .string(text)
        }
    }
}
