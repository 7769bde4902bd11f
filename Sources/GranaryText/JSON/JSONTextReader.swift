/// The bytes of a JSON string one by one, with escapes resolved.
struct JSONTextReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    /// The remaining UTF-8 bytes of an escaped scalar; the next byte is the lowest.
    private var pending: UInt32 = 0
    /// Whether the string ended with its quote and was valid JSON.
    private(set) var isComplete = false

    /// A reader from the first byte after the opening quote.
    init(_ bytes: UnsafeRawBufferPointer, from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next byte; nil at the end, and where the string is not valid.
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

    /// The first byte of the escaped scalar at the position.
    private mutating func escaped() -> UInt8? {
        guard let scalar = try? JSONEscape.scalar(bytes, at: &position) else { return nil }
        let (utf8, _) = UTF8Scan.encoded(scalar)
        pending = utf8 >> 8
        return UInt8(truncatingIfNeeded: utf8)
    }
}
