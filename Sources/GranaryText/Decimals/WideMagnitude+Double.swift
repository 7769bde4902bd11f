extension WideMagnitude {
    /// The double nearest to this number times 2^exponent, half to even; infinity beyond the greatest double.
    ///
    /// - Parameter isInexact: Whether the exact number is greater than this one, by less than one unit. If so, this one
    ///   has at least 55 bits.
    package func nearestDouble(exponent: Int, isInexact: Bool = false) -> Double {
        guard !isZero else { return 0 }
        let top = bitWidth + exponent
        if top > 1024 { return .infinity }
        // The exponent of the last bit of the result. A double has 53 bits, or fewer near 2^-1074.
        let last = max(top - 53, -1074)
        let dropped = last - exponent
        var significand: UInt64
        if dropped <= 0 {
            significand = (limbs.first ?? 0) << UInt64(-dropped)
        } else {
            significand = bits(from: dropped)
            let half = bit(dropped - 1)
            let isMoreThanHalf = isInexact || hasBits(below: dropped - 1)
            if half && (isMoreThanHalf || significand & 1 == 1) { significand += 1 }
        }
        // The implicit bit of a normal number, and a carry out of the significand, add themselves to the exponent
        // field.
        return Double(bitPattern: UInt64(last + 1074) << 52 + significand)
    }

    /// The 64 bits from a position on.
    private func bits(from position: Int) -> UInt64 {
        let (index, shift) = position.quotientAndRemainder(dividingBy: 64)
        guard index < limbs.count else { return 0 }
        let low = limbs[index] >> UInt64(shift)
        guard shift > 0, index + 1 < limbs.count else { return low }
        return low | limbs[index + 1] << UInt64(64 - shift)
    }

    private func bit(_ position: Int) -> Bool { bits(from: position) & 1 == 1 }

    private func hasBits(below position: Int) -> Bool {
        let (whole, rest) = position.quotientAndRemainder(dividingBy: 64)
        if limbs.prefix(whole).contains(where: { $0 != 0 }) { return true }
        return whole < limbs.count && rest > 0 && limbs[whole] << UInt64(64 - rest) != 0
    }
}
