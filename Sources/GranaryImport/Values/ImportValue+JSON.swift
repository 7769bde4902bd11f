import GranaryCore
import GranaryFormats
import GranaryPlatform

extension ImportValue {
    /// JSON with sorted keys, as attributes of the type `json` are stored: equal values give equal bytes.
    ///
    /// - Throws: `range` for a number that JSON cannot represent.
    func canonicalJSON() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .decimal(let text):
            guard text.isJSONNumber else {
                throw GranaryError(
                    .range, "A decimal whose text is no number by the grammar of JSON has no form in it. Use a string.")
            }
            bytes += text.utf8
        case .double(let value):
            guard value.isFinite else {
                throw GranaryError(.range, "JSON has no form for a number that is not finite. Use null.")
            }
            bytes += (Int64(exactly: value).map { "\($0)" } ?? "\(value)").utf8
        case .string(let text): ImportValue.append(text, to: &bytes)
        case .data(let data): ImportValue.append(data.base64EncodedString(), to: &bytes)
        // The default of JSONEncoder for dates.
        case .date(let date): try ImportValue.double(date.timeIntervalSinceReferenceDate).append(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            // If a key occurs twice, the last one counts.
            let members = object.members.enumerated().sorted { left, right in
                left.element.key.hasSameBytes(as: right.element.key)
                    ? left.offset < right.offset
                    : left.element.key.utf8.lexicographicallyPrecedes(right.element.key.utf8)
            }.map(\.element)
            bytes.append(UInt8(ascii: "{"))
            var isFirst = true
            for (index, member) in members.enumerated() {
                if index + 1 < members.count, members[index + 1].key.hasSameBytes(as: member.key) { continue }
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                ImportValue.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let hex = Array("0123456789abcdef".utf8)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0..<0x20: bytes += "\\u00".utf8 + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
