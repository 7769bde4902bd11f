import GranaryCore
import GranaryStoreKit

// How a stored value is shown. Every verb that shows records uses this. The text is that of the library's errors, too.
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
    /// How many bytes of data, and of anything else, are shown to people as they are.
    private static let (mostData, mostText) = (48, 1_000)

    /// The value for people: in place of a long one its size, `<40.0 kB>`, unless all of it is asked for. Nil for nil.
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
            // Infinity, and a decimal that is not a number, are none in JSON.
            return text.utf8.last.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
                ? .number(text) : .string(text)
        }
    }
}
