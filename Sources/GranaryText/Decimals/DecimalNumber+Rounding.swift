extension DecimalNumber {
    /// The decimal nearest to digits * 10^exponent, half to even, with at most 38 digits, none of them beyond the 128th
    /// place.
    ///
    /// - Parameters:
    ///   - digits: Most significant first, each 0...9; if `isInexact`, at least 39 digits, the first of which is not
    ///     zero.
    ///   - isInexact: Whether the number is greater than `digits`, by less than one unit of the last digit.
    /// - Throws: ``GranaryError/Code/range`` if the number is too large.
    init(rounding digits: [UInt8], exponent: Int, isInexact: Bool, isNegative: Bool) throws {
        let significant = digits.drop { $0 == 0 }
        let places = significant.count + exponent - DecimalNumber.exponents.lowerBound
        let kept = min(significant.count, DecimalNumber.maximumDigits, places)
        guard kept >= 0 else {
            self = .zero
            return
        }
        var magnitude: UInt128 = 0
        for digit in significant.prefix(kept) { magnitude = magnitude * 10 + UInt128(digit) }
        let dropped = significant.dropFirst(kept)
        if let first = dropped.first {
            let isMoreThanFirst = isInexact || dropped.dropFirst().contains { $0 != 0 }
            if first > 5 || (first == 5 && (isMoreThanFirst || magnitude & 1 == 1)) { magnitude += 1 }
        }
        try self.init(magnitude: magnitude, exponent: exponent + dropped.count, isNegative: isNegative)
    }

    /// The number digits * 10^exponent, exactly.
    ///
    /// - Throws: ``GranaryError/Code/range`` if it has more than 38 digits or its exponent is out of range.
    init(exactly digits: [UInt8], exponent: Int, isNegative: Bool) throws {
        let significant = digits.drop { $0 == 0 }
        let zeros = significant.reversed().prefix { $0 == 0 }.count
        guard significant.count - zeros <= DecimalNumber.maximumDigits else { throw ArithmeticFailure.decimalTooLong() }
        var magnitude: UInt128 = 0
        for digit in significant.dropLast(zeros) { magnitude = magnitude * 10 + UInt128(digit) }
        try self.init(magnitude: magnitude, exponent: exponent + zeros, isNegative: isNegative)
    }

    /// The digits of a magnitude, most significant first; empty for 0.
    static func decimalDigits(_ magnitude: UInt128) -> [UInt8] {
        WideMagnitude(magnitude).decimalDigits()
    }
}
