// Decimals as text in one form: digits, a point only before a fraction, no exponent, no locale.
extension DecimalNumber {
    /// The number as text: `-12.5`, `0`, `1000`.
    package var text: String {
        let digits = String(magnitude)
        let sign = isNegative ? "-" : ""
        if exponent >= 0 { return sign + digits + (magnitude == 0 ? "" : String(repeating: "0", count: exponent)) }
        let places = -exponent
        let padded = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
        return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }

    /// The number in a text: digits with an optional sign, point and exponent. Nil for other texts, and for numbers
    /// that no decimal holds exactly.
    package init?(text: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        var (places, exponent, isNegative) = (0, 0, false)
        var (sawPoint, sawDigit) = (false, false)
        var iterator = text.makeIterator()
        var next = iterator.next()
        if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") {
            isNegative = next == UInt8(ascii: "-")
            next = iterator.next()
        }
        while let byte = next {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                digits.append(byte - UInt8(ascii: "0"))
                sawDigit = true
                if sawPoint { places += 1 }
            } else if byte == UInt8(ascii: "."), !sawPoint, sawDigit {
                sawPoint = true
            } else {
                break
            }
            next = iterator.next()
        }
        guard sawDigit, !(sawPoint && places == 0) else { return nil }
        if let byte = next {
            guard byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") else { return nil }
            var rest: [UInt8] = []
            while let byte = iterator.next() { rest.append(byte) }
            guard rest.count <= 6, let value = Int(String(decoding: rest, as: UTF8.self)) else { return nil }
            exponent = value
        }
        guard let number = try? DecimalNumber(exactly: digits, exponent: exponent - places, isNegative: isNegative)
        else {
            return nil
        }
        self = number
    }

    /// The number times 10^places, if that is an integer in range.
    package func integer(places: Int = 0) -> Int64? {
        let shift = exponent + places
        guard magnitude != 0 else { return 0 }
        guard shift >= 0, shift <= 19 else { return nil }
        let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: DecimalNumber.powerOfTen(shift))
        guard !isTooLarge, let size = UInt64(exactly: product) else { return nil }
        if isNegative { return size <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- size) : nil }
        return Int64(exactly: size)
    }

    /// The number integer / 10^places.
    package init?(_ integer: Int64, places: Int) {
        guard
            let number = try? DecimalNumber(
                magnitude: UInt128(integer.magnitude), exponent: -places, isNegative: integer < 0)
        else { return nil }
        self = number
    }
}
