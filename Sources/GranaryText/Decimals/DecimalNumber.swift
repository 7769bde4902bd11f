/// A decimal as a 128-bit integer times a power of ten. Queries compute with it.
///
/// 38 digits are less than 2^127, so one `UInt128` holds every decimal that can be stored. Foundation's `Decimal` is
/// not used here: it rounds where this must be exact or throw, and its results differ between platforms.
///
/// Each number has exactly one form: the magnitude does not end with a zero digit (0 has the exponent 0) and has at
/// most 38 digits, and the exponent is within -128...127, as in ``DecimalEncoding``.
package struct DecimalNumber: Sendable, Hashable {
    package let magnitude: UInt128
    package let exponent: Int
    package let isNegative: Bool

    package static let maximumDigits = 38
    package static let exponents = -128...127
    package static let zero = DecimalNumber(0)

    package init(_ integer: Int64) {
        (magnitude, exponent) = DecimalNumber.withoutTrailingZeros(UInt128(integer.magnitude), 0)
        isNegative = integer < 0
    }

    /// The number ±magnitude * 10^exponent, exactly.
    ///
    /// - Throws: ``GranaryError/Code/range`` if it has more than 38 digits or its exponent is out of range.
    package init(magnitude: UInt128, exponent: Int, isNegative: Bool) throws {
        let (shortest, adjusted) = DecimalNumber.withoutTrailingZeros(magnitude, exponent)
        guard shortest < DecimalNumber.powerOfTen(DecimalNumber.maximumDigits),
            DecimalNumber.exponents.contains(adjusted)
        else { throw ArithmeticFailure.decimalTooLong() }
        self.init(canonical: shortest, exponent: adjusted, isNegative: isNegative)
    }

    /// Takes parts that are already in the canonical form.
    init(canonical magnitude: UInt128, exponent: Int, isNegative: Bool) {
        self.magnitude = magnitude
        self.exponent = exponent
        self.isNegative = isNegative && magnitude != 0
    }

    package var negated: DecimalNumber {
        DecimalNumber(canonical: magnitude, exponent: exponent, isNegative: !isNegative)
    }
}

extension DecimalNumber {
    private static let powersOfTen: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 0..<maximumDigits { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    /// 10 to a power within 0...38.
    static func powerOfTen(_ power: Int) -> UInt128 { powersOfTen[power] }

    /// The number of digits; 0 has none. Magnitudes are below 10^39.
    static func digitCount(_ magnitude: UInt128) -> Int {
        // 1233 / 4096 is a little more than log10(2): the estimate is right or one too large.
        let estimate = ((128 - magnitude.leadingZeroBitCount) * 1233) >> 12
        return estimate <= maximumDigits && magnitude >= powersOfTen[estimate] ? estimate + 1 : estimate
    }

    private static func withoutTrailingZeros(_ magnitude: UInt128, _ exponent: Int) -> (UInt128, Int) {
        guard magnitude != 0 else { return (0, 0) }
        var (magnitude, exponent) = (magnitude, exponent)
        // An odd number does not end in zero: this decides most cases.
        while magnitude & 1 == 0 {
            let (quotient, remainder) =
                if let small = UInt64(exactly: magnitude) {
                    (UInt128(small / 10), UInt128(small % 10))
                } else {
                    magnitude.quotientAndRemainder(dividingBy: 10)
                }
            if remainder != 0 { break }
            magnitude = quotient
            exponent += 1
        }
        return (magnitude, exponent)
    }
}
