import GranaryPlatform

extension JSONNumber {
    /// The nearest double, half to even; infinity beyond the greatest double. `-0` gives 0.
    package var real: Double? {
        if !isLong && abs(exponent) <= JSONNumber.greatestPower {
            let magnitude = JSONNumber.nearest(digits, exponent)
            return isNegative && magnitude != 0 ? -magnitude : magnitude
        }
        // By the grammar the text is ASCII.
        guard let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
        return value + 0.0
    }

    /// The powers of five that fit 64 bits. Ten is five times two, and powers of two only move the exponent.
    private static let powersOfFive: [UInt64] = {
        var powers: [UInt64] = [1]
        for _ in 0..<greatestPower { powers.append(powers[powers.count - 1] * 5) }
        return powers
    }()
    private static let greatestPower = 27

    /// The double nearest to digits * 10^exponent, half to even.
    ///
    /// The exact product or quotient is cut to its first 62 bits or more, with a note whether anything was cut off.
    /// This is enough to round once. With these exponents the result is far from both ends of the range of doubles.
    private static func nearest(_ digits: UInt64, _ exponent: Int) -> Double {
        if digits >> 53 == 0 && abs(exponent) <= 22 {
            // Both operands are exact doubles, so one operation rounds once.
            let scale = exactPowers[abs(exponent)]
            return exponent < 0 ? Double(digits) / scale : Double(digits) * scale
        }
        guard digits != 0 else { return 0 }
        let five = powersOfFive[abs(exponent)]
        if exponent < 0 {
            let dividend = digits << UInt64(digits.leadingZeroBitCount)
            let divisor = five << UInt64(five.leadingZeroBitCount)
            let (quotient, remainder) = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
            let power = five.leadingZeroBitCount - digits.leadingZeroBitCount - 63 + exponent
            return rounded(quotient, power, isInexact: remainder != 0)
        }
        let (high, low) = digits.multipliedFullWidth(by: five)
        if high == 0 { return rounded(low, exponent, isInexact: false) }
        let zeros = UInt64(high.leadingZeroBitCount)
        let first = high << zeros | low >> (64 - zeros)
        return rounded(first, 64 - Int(zeros) + exponent, isInexact: low << zeros != 0)
    }

    /// The double nearest to bits * 2^power, or to a slightly greater number if `isInexact`. `bits` has 53 bits or
    /// more.
    private static func rounded(_ bits: UInt64, _ power: Int, isInexact: Bool) -> Double {
        let dropped = 64 - bits.leadingZeroBitCount - 53
        guard dropped > 0 else { return scalbn(Double(bits), power) }
        var significand = bits >> UInt64(dropped)
        let half: UInt64 = 1 << UInt64(dropped - 1)
        let rest = bits & (half * 2 - 1)
        if rest > half || (rest == half && (isInexact || significand & 1 == 1)) { significand += 1 }
        // The implicit bit of the significand, and a carry out of it, add themselves to the exponent.
        return Double(bitPattern: UInt64(power + dropped + 52 + 1022) << 52 + significand)
    }

    /// The powers of ten that are exact doubles. Written as literals, so that no access tests whether they are
    /// initialized.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]
}
