/// A number as JSON writes it: ± digits * 10^exponent.
package struct JSONNumber {
    package let isNegative: Bool
    /// The significant digits as an integer, including digits after the point; meaningless if ``isLong``.
    let digits: UInt64
    /// Whether there are more than 19 significant digits, which may not fit ``digits``.
    let isLong: Bool
    let exponent: Int
    /// Whether the number has neither a point nor an exponent.
    package let isPlain: Bool
    /// As written. Points into the bytes scanned.
    package let text: UnsafeRawBufferPointer

    /// Far beyond any relevant exponent, even after the greatest number of digits that a text can have.
    private static let greatestExponent = 1_000_000_000_000

    /// Reads the number at a position by the grammar of RFC 8259.
    ///
    /// The position moves to the byte after the number. If there is no number, the result is nil, and the position is
    /// that of the first wrong byte. The text after the number is not checked.
    package init?(_ bytes: UnsafeRawBufferPointer, at position: inout Int) {
        let start = position
        var next = position
        defer { position = next }
        isNegative = next < bytes.count && bytes[next] == UInt8(ascii: "-")
        if isNegative { next += 1 }

        var digits: UInt64 = 0
        let whole = next
        JSONNumber.takeDigits(bytes, &next, &digits)
        // No digit may follow a leading zero: the number ends after it.
        if next - whole > 1, bytes[whole] == UInt8(ascii: "0") { (next, digits) = (whole + 1, 0) }
        guard next > whole else { return nil }
        var count = next - whole
        var exponent = 0
        var isPlain = true
        if next < bytes.count, bytes[next] == UInt8(ascii: ".") {
            isPlain = false
            next += 1
            let fraction = next
            JSONNumber.takeDigits(bytes, &next, &digits)
            guard next > fraction else { return nil }
            exponent = fraction - next
            count += next - fraction
        }
        if next < bytes.count, bytes[next] | 0x20 == UInt8(ascii: "e") {
            isPlain = false
            next += 1
            guard let power = JSONNumber.exponent(bytes, &next) else { return nil }
            exponent += power
        }
        self.digits = digits
        // Zeros at the beginning of a long number are counted as digits: the code for long numbers is right for all
        // numbers.
        isLong = count > 19
        self.exponent = exponent
        self.isPlain = isPlain
        text = UnsafeRawBufferPointer(rebasing: bytes[start..<next])
    }

    @inline(__always)
    private static func takeDigits(_ bytes: UnsafeRawBufferPointer, _ next: inout Int, _ digits: inout UInt64) {
        while next < bytes.count {
            let digit = bytes[next] &- UInt8(ascii: "0")
            if digit > 9 { return }
            digits = digits &* 10 &+ UInt64(digit)
            next += 1
        }
    }

    private static func exponent(_ bytes: UnsafeRawBufferPointer, _ next: inout Int) -> Int? {
        var isNegative = false
        if next < bytes.count, bytes[next] == UInt8(ascii: "-") || bytes[next] == UInt8(ascii: "+") {
            isNegative = bytes[next] == UInt8(ascii: "-")
            next += 1
        }
        let start = next
        var exponent = 0
        while next < bytes.count {
            let digit = bytes[next] &- UInt8(ascii: "0")
            if digit > 9 { break }
            exponent = min(exponent * 10 + Int(digit), greatestExponent)
            next += 1
        }
        guard next > start else { return nil }
        return isNegative ? -exponent : exponent
    }
}

extension JSONNumber {
    /// The value, if it is a whole number within Int64, in any notation: `5`, `5.0` and `0.5e1` are 5.
    package var integer: Int64? {
        guard let magnitude else { return nil }
        if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// The value, if it is written as an integer within Int64. Nil for `-0`, which is not an integer here.
    package var plainInteger: Int64? {
        guard isPlain, let integer, integer != 0 || !isNegative else { return nil }
        return integer
    }

    /// The value, if it is a whole number within UInt64.
    package var unsignedInteger: UInt64? {
        guard let magnitude, !isNegative || magnitude == 0 else { return nil }
        return magnitude
    }

    /// The value without its sign, if it is a whole number within UInt64.
    private var magnitude: UInt64? {
        if isLong { return longMagnitude }
        if exponent == 0 || digits == 0 { return digits }
        guard abs(exponent) < 20 else { return nil }
        let scale = UInt64(DecimalNumber.powerOfTen(abs(exponent)))
        if exponent < 0 {
            let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: scale)
            return remainder == 0 ? quotient : nil
        }
        let (magnitude, overflow) = digits.multipliedReportingOverflow(by: scale)
        return overflow ? nil : magnitude
    }

    /// The same as ``magnitude``, computed from the text. Zeros are multiplied in only when another digit follows them.
    private var longMagnitude: UInt64? {
        var digits: UInt64 = 0
        var zeros = 0
        for byte in text where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".") {
            let digit = byte &- UInt8(ascii: "0")
            if digit > 9 { break }
            if digit == 0 {
                if digits != 0 { zeros += 1 }
                continue
            }
            guard zeros < 19 else { return nil }
            let scale = UInt64(DecimalNumber.powerOfTen(zeros + 1))
            let (shifted, first) = digits.multipliedReportingOverflow(by: scale)
            let (sum, second) = shifted.addingReportingOverflow(UInt64(digit))
            guard !first, !second else { return nil }
            digits = sum
            zeros = 0
        }
        if digits == 0 { return 0 }
        let power = exponent + zeros
        guard power >= 0, power < 20 else { return nil }
        let (magnitude, overflow) = digits.multipliedReportingOverflow(by: UInt64(DecimalNumber.powerOfTen(power)))
        return overflow ? nil : magnitude
    }
}
