// The same bytes as `DecimalEncoding`, read and written without an intermediate `Decimal`, for use on each row.
extension DecimalNumber {
    /// Decodes bytes in the form of ``DecimalEncoding``.
    ///
    /// - Throws: ``GranaryError/Code/corrupt`` if the bytes are not a number in canonical form.
    package init(encoded bytes: UnsafeRawBufferPointer) throws {
        guard let number = DecimalNumber.decode(bytes) else { throw ArithmeticFailure.invalidDecimal() }
        self = number
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) -> DecimalNumber? {
        guard let first = bytes.first else { return nil }
        if first == 0x80 { return bytes.count == 1 ? zero : nil }
        let isNegative = first == 0x40
        guard isNegative || first == 0xC0 else { return nil }
        let end = isNegative ? bytes.count - 1 : bytes.count
        let pairs = end - 3
        guard pairs >= 1, pairs <= maximumDigits / 2 else { return nil }
        if isNegative && bytes[end] != 0xFF { return nil }
        let stored = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
        var magnitude: UInt128 = 0
        var pair: UInt8 = 0
        for index in 3..<end {
            let (high, low) = (bytes[index] >> 4, bytes[index] & 0x0F)
            guard high <= 9, low <= 9 else { return nil }
            pair = isNegative ? 99 - (high * 10 + low) : high * 10 + low
            if index == 3 && pair < 10 { return nil }
            magnitude = magnitude * 100 + UInt128(pair)
        }
        guard pair != 0 else { return nil }
        var digits = 2 * pairs
        if pair % 10 == 0 {
            magnitude /= 10
            digits -= 1
        }
        let exponent = Int(isNegative ? ~stored : stored) - 0x8000 - digits
        guard exponents.contains(exponent) else { return nil }
        return DecimalNumber(canonical: magnitude, exponent: exponent, isNegative: isNegative)
    }

    /// The bytes in the form of ``DecimalEncoding``.
    package var bytes: [UInt8] {
        guard magnitude != 0 else { return [0x80] }
        let digits = DecimalNumber.digitCount(magnitude)
        let pairs = (digits + 1) / 2
        let biased = UInt16(0x8000 + digits + exponent)
        return [UInt8](unsafeUninitializedCapacity: pairs + 4) { buffer, count in
            let stored = isNegative ? ~biased : biased
            buffer[0] = isNegative ? 0x40 : 0xC0
            buffer[1] = UInt8(stored >> 8)
            buffer[2] = UInt8(stored & 0xFF)
            var rest = digits.isMultiple(of: 2) ? magnitude : magnitude * 10
            for index in stride(from: pairs - 1, through: 0, by: -1) {
                let pair: UInt8
                if let small = UInt64(exactly: rest) {
                    pair = UInt8(small % 100)
                    rest = UInt128(small / 100)
                } else {
                    let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
                    pair = UInt8(remainder)
                    rest = quotient
                }
                let shown = isNegative ? 99 - pair : pair
                buffer[3 + index] = (shown / 10) << 4 | shown % 10
            }
            count = pairs + 3
            if isNegative {
                buffer[count] = 0xFF
                count += 1
            }
        }
    }
}
