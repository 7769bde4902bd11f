import ConformanceKit

/// A whole number without bound, in the plainest way: a sign and 32 bits a limb, the lowest first.
struct ReferenceInteger: Equatable {
    private(set) var isNegative = false
    /// Without zeros at the end.
    private(set) var limbs: [UInt32] = []

    init() {}

    init(_ value: Int64) {
        isNegative = value < 0
        limbs = [UInt32(truncatingIfNeeded: value.magnitude), UInt32(truncatingIfNeeded: value.magnitude >> 32)]
        trim()
    }

    /// Decimal digits.
    init(digits: some StringProtocol) {
        for digit in digits.utf8 {
            multiply(by: 10)
            self = self + ReferenceInteger(Int64(digit) - 48)
        }
    }

    var isZero: Bool { limbs.isEmpty }
    var negated: ReferenceInteger { isZero ? self : ReferenceInteger(!isNegative, limbs) }
    var magnitude: ReferenceInteger { ReferenceInteger(false, limbs) }

    private init(_ isNegative: Bool, _ limbs: [UInt32]) {
        self.limbs = limbs
        trim()
        self.isNegative = isNegative && !self.limbs.isEmpty
    }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
        if limbs.isEmpty { isNegative = false }
    }

    static func + (left: ReferenceInteger, right: ReferenceInteger) -> ReferenceInteger {
        if left.isNegative == right.isNegative {
            var sum: [UInt32] = []
            var carry: UInt64 = 0
            for place in 0...max(left.limbs.count, right.limbs.count) {
                let next = UInt64(left.limb(place)) + UInt64(right.limb(place)) + carry
                sum.append(UInt32(truncatingIfNeeded: next))
                carry = next >> 32
            }
            return ReferenceInteger(left.isNegative, sum)
        }
        if left.isSmaller(than: right) { return right + left }
        var difference: [UInt32] = []
        var borrow: Int64 = 0
        for place in 0..<left.limbs.count {
            var next = Int64(left.limb(place)) - Int64(right.limb(place)) - borrow
            borrow = next < 0 ? 1 : 0
            if next < 0 { next += 1 << 32 }
            difference.append(UInt32(next))
        }
        return ReferenceInteger(left.isNegative, difference)
    }

    private func limb(_ place: Int) -> UInt32 { place < limbs.count ? limbs[place] : 0 }

    /// By magnitude.
    private func isSmaller(than other: ReferenceInteger) -> Bool {
        if limbs.count != other.limbs.count { return limbs.count < other.limbs.count }
        for place in limbs.indices.reversed() where limbs[place] != other.limbs[place] {
            return limbs[place] < other.limbs[place]
        }
        return false
    }

    mutating func multiply(by factor: UInt32) {
        var carry: UInt64 = 0
        for place in limbs.indices {
            let next = UInt64(limbs[place]) * UInt64(factor) + carry
            limbs[place] = UInt32(truncatingIfNeeded: next)
            carry = next >> 32
        }
        limbs.append(UInt32(carry))
        trim()
    }

    mutating func multiplyByTen(times: Int) { for _ in 0..<times { multiply(by: 10) } }

    mutating func shiftLeft(_ bits: Int) {
        for _ in 0..<(bits % 32) { multiply(by: 2) }
        if !isZero { limbs.insert(contentsOf: Array(repeating: 0, count: bits / 32), at: 0) }
    }

    /// Divides the magnitude and gives the remainder.
    mutating func divide(by divisor: UInt32) -> UInt32 {
        var remainder: UInt64 = 0
        for place in limbs.indices.reversed() {
            let next = remainder << 32 | UInt64(limbs[place])
            limbs[place] = UInt32(next / UInt64(divisor))
            remainder = next % UInt64(divisor)
        }
        trim()
        return UInt32(remainder)
    }

    var bitCount: Int { limbs.last.map { limbs.count * 32 - $0.leadingZeroBitCount } ?? 0 }

    /// A bit of the magnitude.
    func bit(_ place: Int) -> Bool { limb(place / 32) >> UInt32(place % 32) & 1 == 1 }

    /// Decimal digits of the magnitude.
    var digits: String {
        var rest = self
        var digits: [UInt8] = []
        while !rest.isZero { digits.append(48 + UInt8(rest.divide(by: 10))) }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// The number, if it fits.
    var int64: Int64? {
        guard limbs.count <= 2 else { return nil }
        let magnitude = UInt64(limb(1)) << 32 | UInt64(limb(0))
        if !isNegative { return Int64(exactly: magnitude) }
        return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
    }
}
