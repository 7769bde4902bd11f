/// The exact sum of any number of decimals, of any size and in any order.
///
/// There is one sum of magnitudes for each exponent, in 192 bits; the sums are joined at the end. The values of an
/// attribute usually have few different exponents, about as many as they have places.
package struct DecimalSum: Sendable {
    /// A sum of magnitudes of one exponent, in two's complement: 2^63 magnitudes below 2^127 fit.
    private struct Slot: Sendable {
        let exponent: Int
        var low: UInt128 = 0
        var high: Int64 = 0

        mutating func add(_ magnitude: UInt128, isNegative: Bool) {
            let overflow: Bool
            if isNegative {
                (low, overflow) = low.subtractingReportingOverflow(magnitude)
                if overflow { high -= 1 }
            } else {
                (low, overflow) = low.addingReportingOverflow(magnitude)
                if overflow { high += 1 }
            }
        }

        mutating func add(_ other: Slot) {
            add(other.low, isNegative: false)
            high += other.high
        }

        var isNegative: Bool { high < 0 }

        var magnitude: WideMagnitude {
            var (low, high) = (low, UInt64(bitPattern: high))
            if isNegative {
                low = 0 &- low
                high = ~high &+ (low == 0 ? 1 : 0)
            }
            return WideMagnitude(
                limbs: [UInt64(truncatingIfNeeded: low), UInt64(truncatingIfNeeded: low >> 64), high])
        }
    }

    private var slots: [Slot] = []
    /// The slot of the last number's exponent. The next number probably has the same exponent.
    private var recent = 0

    package init() {}

    package mutating func add(_ number: DecimalNumber) {
        if number.magnitude == 0 { return }
        find(number.exponent)
        slots[recent].add(number.magnitude, isNegative: number.isNegative)
    }

    package mutating func merge(_ other: DecimalSum) {
        for slot in other.slots {
            find(slot.exponent)
            slots[recent].add(slot)
        }
    }

    private mutating func find(_ exponent: Int) {
        if recent < slots.count && slots[recent].exponent == exponent { return }
        if let index = slots.firstIndex(where: { $0.exponent == exponent }) {
            recent = index
        } else {
            recent = slots.count
            slots.append(Slot(exponent: exponent))
        }
    }
}

extension DecimalSum {
    /// - Throws: ``GranaryError/Code/range`` if the sum has more than 38 digits or is out of range.
    package func sum() throws -> DecimalNumber {
        let (magnitude, exponent, isNegative) = total()
        return try DecimalNumber(exactly: magnitude.decimalDigits(), exponent: exponent, isNegative: isNegative)
    }

    /// The decimal nearest to the sum divided by a count that is not 0.
    ///
    /// - Throws: ``GranaryError/Code/range`` if it is out of range.
    package func average(of count: UInt64) throws -> DecimalNumber {
        let (magnitude, exponent, isNegative) = total()
        return try DecimalSum.average(magnitude, exponent: exponent, isNegative: isNegative, of: count)
    }

    /// The decimal nearest to a quotient: a sum of scaled decimals with `places` places, divided by a count that is not
    /// 0.
    package static func average(_ sum: Int128, places: Int, of count: UInt64) throws -> DecimalNumber {
        try average(WideMagnitude(sum.magnitude), exponent: -places, isNegative: sum < 0, of: count)
    }

    private static func average(_ sum: WideMagnitude, exponent: Int, isNegative: Bool, of count: UInt64) throws
        -> DecimalNumber
    {
        var quotient = sum
        // A count has at most 20 digits. With 59 more digits in the dividend the quotient has at least 39: one more to
        // round by.
        quotient.multiply(byPowerOfTen: 59)
        let remainder = quotient.divide(by: count)
        return try DecimalNumber(
            rounding: quotient.decimalDigits(), exponent: exponent - 59, isInexact: remainder != 0,
            isNegative: isNegative)
    }

    private func total() -> (magnitude: WideMagnitude, exponent: Int, isNegative: Bool) {
        let exponent = slots.map(\.exponent).min() ?? 0
        var positive = WideMagnitude(0)
        var negative = WideMagnitude(0)
        for slot in slots {
            var magnitude = slot.magnitude
            magnitude.multiply(byPowerOfTen: slot.exponent - exponent)
            if slot.isNegative { negative += magnitude } else { positive += magnitude }
        }
        let isNegative = positive < negative
        if isNegative {
            negative -= positive
            return (negative, exponent, true)
        }
        positive -= negative
        return (positive, exponent, false)
    }
}
