/// A whole number of any size, for the results of aggregates: made once per query or group, not per row.
package struct WideMagnitude {
    /// 64 bits each, least first, without zeros at the end.
    private(set) var limbs: [UInt64]

    package init(limbs: [UInt64]) {
        self.limbs = limbs
        trim()
    }

    package init(_ value: UInt128) {
        self.init(limbs: [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)])
    }

    var isZero: Bool { limbs.isEmpty }

    /// The number of bits up to the highest set bit.
    var bitWidth: Int { limbs.last.map { limbs.count * 64 - $0.leadingZeroBitCount } ?? 0 }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
    }
}

extension WideMagnitude {
    static func < (left: WideMagnitude, right: WideMagnitude) -> Bool {
        guard left.limbs.count == right.limbs.count else { return left.limbs.count < right.limbs.count }
        for (a, b) in zip(left.limbs.reversed(), right.limbs.reversed()) where a != b { return a < b }
        return false
    }

    static func += (left: inout WideMagnitude, right: WideMagnitude) {
        var carry: UInt64 = 0
        for index in 0..<max(left.limbs.count, right.limbs.count) {
            if index == left.limbs.count { left.limbs.append(0) }
            let other = index < right.limbs.count ? right.limbs[index] : 0
            let (partial, first) = left.limbs[index].addingReportingOverflow(other)
            let (total, second) = partial.addingReportingOverflow(carry)
            left.limbs[index] = total
            carry = first || second ? 1 : 0
        }
        if carry != 0 { left.limbs.append(carry) }
    }

    /// `right` is at most `left`.
    static func -= (left: inout WideMagnitude, right: WideMagnitude) {
        var borrow: UInt64 = 0
        for index in left.limbs.indices {
            let other = index < right.limbs.count ? right.limbs[index] : 0
            let (partial, first) = left.limbs[index].subtractingReportingOverflow(other)
            let (rest, second) = partial.subtractingReportingOverflow(borrow)
            left.limbs[index] = rest
            borrow = first || second ? 1 : 0
        }
        left.trim()
    }

    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for index in limbs.indices {
            let (high, low) = limbs[index].multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            limbs[index] = sum
            carry = high + (overflow ? 1 : 0)
        }
        if carry != 0 { limbs.append(carry) }
        trim()
    }

    mutating func multiply(byPowerOfTen power: Int) {
        var power = power
        while power > 0 {
            let step = min(power, 19)
            multiply(by: UInt64(DecimalNumber.powerOfTen(step)))
            power -= step
        }
    }

    /// Multiplies by 2^64, `count` times.
    package mutating func shiftLeft(limbs count: Int) {
        if !isZero { limbs.insert(contentsOf: repeatElement(0, count: count), at: 0) }
    }

    /// Divides, and returns the remainder. The divisor is not zero.
    package mutating func divide(by divisor: UInt64) -> UInt64 {
        var remainder: UInt64 = 0
        for index in limbs.indices.reversed() {
            (limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
        }
        trim()
        return remainder
    }

    /// The digits, most significant first; empty for 0.
    func decimalDigits() -> [UInt8] {
        var rest = self
        var digits: [UInt8] = []
        while !rest.isZero {
            var group = rest.divide(by: 10_000_000_000_000_000_000)
            for _ in 0..<19 {
                digits.append(UInt8(group % 10))
                group /= 10
            }
        }
        while digits.last == 0 { digits.removeLast() }
        return digits.reversed()
    }
}
