import Foundation
import GranaryPlatform

/// A text form of bytes.
public enum ImportDataFormat: String, Sendable, Hashable, CustomStringConvertible {
    /// The standard alphabet or the one for URLs, with or without padding.
    case base64
    /// Two digits for each byte, in upper or lower case.
    case hex

    public var description: String { self == .base64 ? "base64" : "hexadecimal" }

    /// The bytes; nil if the text is not in this format.
    func bytes(of utf8: UnsafeRawBufferPointer) -> [UInt8]? {
        let text = utf8.trimmed
        switch self {
        case .hex:
            guard text.count.isMultiple(of: 2) else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 2)
            for index in stride(from: 0, to: text.count, by: 2) {
                guard let high = text[index].hexDigit, let low = text[index + 1].hexDigit else { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes
        case .base64:
            var standard = text.map { byte -> UInt8 in
                byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
            }
            while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
            return Data(base64Encoded: Data(standard)).map { [UInt8]($0) }
        }
    }

    func text(of bytes: UnsafeRawBufferPointer) -> String {
        switch self {
        case .base64: return Data(bytes).base64EncodedString()
        case .hex:
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
