/// The bytes of a JSON string one by one, its escapes resolved.
struct JSONTextReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    /// What is left of an escaped scalar in UTF-8, next byte lowest.
    private var pending: UInt32 = 0
    /// Whether the string ended with its quote and had nothing in it that JSON does not allow.
    private(set) var isComplete = false

    /// A reader from the first byte after the opening quote.
    init(_ bytes: UnsafeRawBufferPointer, from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next byte, or nil at the end and where the string is not valid.
    mutating func next() -> UInt8? {
        if pending != 0 {
            defer { pending >>= 8 }
            return UInt8(truncatingIfNeeded: pending)
        }
        guard let byte = take() else { return nil }
        switch byte {
        case UInt8(ascii: "\""):
            isComplete = true
            return nil
        case UInt8(ascii: "\\"): return escaped()
        case 0..<0x20: return nil
        default: return byte
        }
    }

    /// Whether the string is these bytes.
    func equals(_ other: [UInt8]) -> Bool {
        var reader = self
        for byte in other where reader.next() != byte { return false }
        return reader.next() == nil && reader.isComplete
    }

    private mutating func take() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func escaped() -> UInt8? {
        switch take() {
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "/"): return UInt8(ascii: "/")
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): return escapedScalar()
        default: return nil
        }
    }

    /// The scalar of `\uXXXX`, or of two that are a surrogate pair; nil for a surrogate alone.
    private mutating func escapedScalar() -> UInt8? {
        guard var value = fourHexDigits() else { return nil }
        if value >> 10 == 0x36 {
            guard take() == UInt8(ascii: "\\"), take() == UInt8(ascii: "u"), let low = fourHexDigits(),
                low >> 10 == 0x37
            else { return nil }
            value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
        }
        guard let scalar = Unicode.Scalar(value), let utf8 = UTF8.encode(scalar) else { return nil }
        var first: UInt8?
        var shift: UInt32 = 0
        for byte in utf8 {
            if first == nil {
                first = byte
            } else {
                pending |= UInt32(byte) << shift
                shift += 8
            }
        }
        return first
    }

    private mutating func fourHexDigits() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch take() {
            case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
                value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
            case let digit? where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit | 0x20):
                value = value << 4 | UInt32((digit | 0x20) - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
