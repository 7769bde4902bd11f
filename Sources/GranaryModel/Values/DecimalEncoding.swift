import GranaryPlatform

/// Decimals as bytes whose order is the order of the numbers.
///
/// A number is 0.d1d2d3... times 10 to the power of e, with d1 not zero and no zeros at the end, so that 1.0 and 1.00
/// have the same bytes. Each byte holds two digits, one in each half, so that `hex()` in the `sqlite3` shell shows them
/// as they are:
///
/// | number | bytes |
/// |---|---|
/// | 0 | `80` |
/// | positive | `C0`, e + 8000h in two bytes, digit pairs |
/// | negative | `40`, the complement of e + 8000h, 99 minus each digit pair, `FF` |
///
/// 12.5 is `C0 8002 1250`, -12.5 is `40 7FFD 8749 FF`: a longer negative number is smaller, which the final `FF`
/// ensures.
package enum DecimalEncoding {
    package static let maximumDigits = 38

    /// - Throws: `range` for NaN, for more than 38 digits, and for an exponent outside -128...127.
    package static func encode(_ value: Decimal) throws -> [UInt8] {
        guard !value.isNaN else { throw CellError.notANumber() }
        if value.isZero { return [0x80] }
        let isNegative = value.sign == .minus
        // The description is digits with an optional sign and point, in no locale.
        var digits: [UInt8] = []
        var exponent = 0
        var sawPoint = false
        for byte in value.magnitude.description.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - UInt8(ascii: "0")
                if digits.isEmpty && digit == 0 {
                    if sawPoint { exponent -= 1 }
                } else {
                    digits.append(digit)
                    if !sawPoint { exponent += 1 }
                }
            case UInt8(ascii: "."): sawPoint = true
            default: throw CellError.outOfRange(.decimal)
            }
        }
        while digits.last == 0 { digits.removeLast() }
        guard digits.count <= maximumDigits, (-128...127).contains(exponent - digits.count) else {
            throw CellError.outOfRange(.decimal)
        }
        if !digits.count.isMultiple(of: 2) { digits.append(0) }
        let biased = UInt16(0x8000 + exponent)
        var bytes: [UInt8] = [isNegative ? 0x40 : 0xC0]
        let stored = isNegative ? ~biased : biased
        bytes.append(UInt8(stored >> 8))
        bytes.append(UInt8(stored & 0xFF))
        for index in stride(from: 0, to: digits.count, by: 2) {
            let (high, low) = (digits[index], digits[index + 1])
            bytes.append(isNegative ? (9 - high) << 4 | (9 - low) : high << 4 | low)
        }
        if isNegative { bytes.append(0xFF) }
        return bytes
    }

    /// The number, or nil if the bytes are not a number in canonical form.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        guard let first = bytes.first else { return nil }
        if first == 0x80 { return bytes.count == 1 ? Decimal.zero : nil }
        let isNegative = first == 0x40
        guard isNegative || first == 0xC0, bytes.count >= (isNegative ? 5 : 4), bytes.count <= 24 else { return nil }
        if isNegative && bytes[bytes.count - 1] != 0xFF { return nil }
        let stored = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
        let exponent = Int(isNegative ? ~stored : stored) - 0x8000
        var text = isNegative ? "-" : ""
        var digitCount = 0
        for byte in bytes[3..<(isNegative ? bytes.count - 1 : bytes.count)] {
            var (high, low) = (byte >> 4, byte & 0x0F)
            guard high <= 9, low <= 9 else { return nil }
            if isNegative { (high, low) = (9 - high, 9 - low) }
            text += "\(high)\(low)"
            digitCount += 2
        }
        // Canonical: no zero in front, no pair of zeros at the end.
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        guard digits.first != UInt8(ascii: "0"), !text.hasSuffix("00") else { return nil }
        if text.hasSuffix("0") {
            text.removeLast()
            digitCount -= 1
        }
        guard digitCount <= maximumDigits, (-128...127).contains(exponent - digitCount) else { return nil }
        guard let significand = Decimal(string: text) else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent - digitCount,
            significand: isNegative ? -significand : significand)
    }
}
