extension DecimalNumber {
    /// - Throws: ``GranaryError/Code/range`` if the exact result of `+`, `-`, `*` has more than 38 digits or is out of
    ///   range, ``GranaryError/Code/overflow`` for a divisor of zero.
    package static func apply(_ operation: ArithmeticOperator, _ left: DecimalNumber, _ right: DecimalNumber) throws
        -> DecimalNumber
    {
        switch operation {
        case .add: return try sum(left, right)
        case .subtract: return try sum(left, right.negated)
        case .multiply: return try product(left, right)
        case .divide:
            guard right.magnitude != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
            return try quotient(left, right)
        case .remainder:
            guard right.magnitude != 0 else { throw ArithmeticFailure.divisionByZero(operation) }
            return try remainder(left, right)
        }
    }

    private static func sum(_ left: DecimalNumber, _ right: DecimalNumber) throws -> DecimalNumber {
        if left.magnitude == 0 { return right }
        if right.magnitude == 0 { return left }
        let (high, low) = left.exponent >= right.exponent ? (left, right) : (right, left)
        // The last digit of `low` is not zero and stays the last of the sum, so a sum that needs more than 128 bits to
        // align has more than 38 digits.
        guard let aligned = shifted(high.magnitude, by: high.exponent - low.exponent) else {
            throw ArithmeticFailure.decimalTooLong()
        }
        guard high.isNegative == low.isNegative else {
            let isLarger = aligned >= low.magnitude
            return try DecimalNumber(
                magnitude: isLarger ? aligned - low.magnitude : low.magnitude - aligned, exponent: low.exponent,
                isNegative: isLarger ? high.isNegative : low.isNegative)
        }
        let (magnitude, overflow) = aligned.addingReportingOverflow(low.magnitude)
        guard !overflow else { throw ArithmeticFailure.decimalTooLong() }
        return try DecimalNumber(magnitude: magnitude, exponent: low.exponent, isNegative: low.isNegative)
    }

    private static func product(_ left: DecimalNumber, _ right: DecimalNumber) throws -> DecimalNumber {
        var (high, low) = left.magnitude.multipliedFullWidth(by: right.magnitude)
        var exponent = left.exponent + right.exponent
        // Factors of 2 and 5 may have met; zeros at the end do not count as digits.
        while high != 0 {
            let (quotient, carried) = high.quotientAndRemainder(dividingBy: 10)
            let (lowQuotient, remainder) = UInt128(10).dividingFullWidth((carried, low))
            guard remainder == 0 else { throw ArithmeticFailure.decimalTooLong() }
            (high, low) = (quotient, lowQuotient)
            exponent += 1
        }
        return try DecimalNumber(
            magnitude: low, exponent: exponent, isNegative: left.isNegative != right.isNegative)
    }

    /// Computes 38 digits and one more exactly, notes whether there is a remainder, and rounds once.
    private static func quotient(_ left: DecimalNumber, _ right: DecimalNumber) throws -> DecimalNumber {
        guard left.magnitude != 0 else { return zero }
        let leftDigits = digitCount(left.magnitude)
        let rightDigits = digitCount(right.magnitude)
        let aligned = left.magnitude * powerOfTen(maximumDigits - leftDigits)
        // The aligned dividend times 10^(digits - 1), divided, has 37 or 38 digits.
        var power = rightDigits - 1
        var (digits, rest) = right.magnitude.dividingFullWidth(aligned.multipliedFullWidth(by: powerOfTen(power)))
        if digits < powerOfTen(maximumDigits - 1) {
            power += 1
            (digits, rest) = right.magnitude.dividingFullWidth(aligned.multipliedFullWidth(by: powerOfTen(power)))
        }
        let (next, remainder) = right.magnitude.dividingFullWidth(rest.multipliedFullWidth(by: 10))
        return try DecimalNumber(
            rounding: decimalDigits(digits) + [UInt8(truncatingIfNeeded: next)],
            exponent: left.exponent - right.exponent - (maximumDigits - leftDigits) - power - 1,
            isInexact: remainder != 0, isNegative: left.isNegative != right.isNegative)
    }

    private static func remainder(_ left: DecimalNumber, _ right: DecimalNumber) throws -> DecimalNumber {
        if left.exponent < right.exponent {
            guard let divisor = shifted(right.magnitude, by: right.exponent - left.exponent),
                divisor <= left.magnitude
            else { return left }
            return try DecimalNumber(
                magnitude: left.magnitude % divisor, exponent: left.exponent, isNegative: left.isNegative)
        }
        // left * 10^shift mod right, 38 powers at a time.
        var rest = left.magnitude % right.magnitude
        var shift = left.exponent - right.exponent
        while shift > 0 && rest != 0 {
            let step = min(shift, maximumDigits)
            rest = right.magnitude.dividingFullWidth(rest.multipliedFullWidth(by: powerOfTen(step))).remainder
            shift -= step
        }
        return try DecimalNumber(magnitude: rest, exponent: right.exponent, isNegative: left.isNegative)
    }

    /// magnitude * 10^power, if that fits 128 bits.
    private static func shifted(_ magnitude: UInt128, by power: Int) -> UInt128? {
        guard power <= maximumDigits else { return nil }
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: powerOfTen(power))
        return overflow ? nil : product
    }
}
