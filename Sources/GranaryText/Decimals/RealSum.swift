/// The exact sum of any number of doubles, of any size and in any order.
///
/// Every finite double is a whole multiple of 2^-1074 below 2^2098. So their sum is kept as one whole number, cut into
/// chunks of 32 bits, each in a signed 64-bit integer. A double touches two neighbouring chunks, and the upper half of
/// a chunk takes up the carries of a thousand doubles before they must be passed on. The sum is rounded once, at the
/// end. This is the small superaccumulator of R. M. Neal, "Fast exact summation using small and large
/// superaccumulators", 2015.
package struct RealSum: Sendable {
    /// Least first, empty before the first double. The last has no chunk above it and keeps the sign: with bits 2112 to
    /// 2175 it has room for 2^63 of the greatest doubles.
    private var chunks: [Int64] = []
    /// How many more doubles can be added before the carries must be passed on.
    private var room = 0
    private var sawPositiveInfinity = false
    private var sawNegativeInfinity = false
    private var sawNaN = false

    private static let chunkCount = 67
    /// One double adds less than 2^53 to a chunk: the sum of a thousand doubles and the old value of the chunk stays
    /// below 2^63.
    private static let roomBetweenCarries = 1000

    package init() {}

    package mutating func add(_ value: Double) {
        let bits = value.bitPattern
        let field = Int(truncatingIfNeeded: bits >> 52) & 0x7FF
        guard field != 0x7FF else { return addSpecial(value) }
        if room == 0 { makeRoom() }
        room &-= 1
        // Subnormal numbers have no implicit bit; their exponent is that of the smallest normal numbers.
        let isNormal = field != 0
        let significand = Int64(truncatingIfNeeded: bits & 0xF_FFFF_FFFF_FFFF) | (isNormal ? 1 << 52 : 0)
        let position = isNormal ? field &- 1 : 0
        let shift = Int64(truncatingIfNeeded: position & 31)
        let index = position >> 5
        let low = (significand &<< shift) & 0xFFFF_FFFF
        let high = significand &>> (32 &- shift)
        // 0 or -1: (x ^ sign) - sign is x or -x.
        let sign = Int64(bitPattern: bits) &>> 63
        chunks[index] &+= (low ^ sign) &- sign
        chunks[index &+ 1] &+= (high ^ sign) &- sign
    }

    package mutating func merge(_ other: RealSum) {
        sawPositiveInfinity = sawPositiveInfinity || other.sawPositiveInfinity
        sawNegativeInfinity = sawNegativeInfinity || other.sawNegativeInfinity
        sawNaN = sawNaN || other.sawNaN
        guard !other.chunks.isEmpty else { return }
        var added = other
        added.makeRoom()
        makeRoom()
        for index in chunks.indices { chunks[index] &+= added.chunks[index] }
        makeRoom()
    }

    @inline(never) private mutating func addSpecial(_ value: Double) {
        if value.isNaN {
            sawNaN = true
        } else if value > 0 {
            sawPositiveInfinity = true
        } else {
            sawNegativeInfinity = true
        }
    }

    @inline(never) private mutating func makeRoom() {
        if chunks.isEmpty { chunks = Array(repeating: 0, count: RealSum.chunkCount) }
        RealSum.passCarries(&chunks)
        room = RealSum.roomBetweenCarries
    }

    /// Leaves 0 ..< 2^32 in every chunk but the last.
    private static func passCarries(_ chunks: inout [Int64]) {
        for index in 0..<(chunks.count - 1) {
            chunks[index + 1] &+= chunks[index] >> 32
            chunks[index] &= 0xFFFF_FFFF
        }
    }
}

extension RealSum {
    /// The double nearest to the exact sum; infinity beyond the greatest double, or if infinities of one sign were
    /// added.
    ///
    /// - Throws: ``GranaryError/Code/range`` if infinities of both signs were added.
    package func sum() throws -> Double {
        if let special = try special() { return special }
        let (magnitude, isNegative) = total()
        let sum = magnitude.nearestDouble(exponent: -1074)
        return isNegative ? -sum : sum
    }

    /// The double nearest to the exact sum divided by a count that is not 0.
    ///
    /// - Throws: ``GranaryError/Code/range`` if infinities of both signs were added.
    package func average(of count: UInt64) throws -> Double {
        if let special = try special() { return special }
        var (magnitude, isNegative) = total()
        // 128 bits more than the sum has. The quotient by a 64-bit count then has more bits than any double.
        magnitude.shiftLeft(limbs: 2)
        let remainder = magnitude.divide(by: count)
        let average = magnitude.nearestDouble(exponent: -1074 - 128, isInexact: remainder != 0)
        return isNegative ? -average + 0.0 : average
    }

    private func special() throws -> Double? {
        if sawNaN || (sawPositiveInfinity && sawNegativeInfinity) { throw ArithmeticFailure.notANumber() }
        return sawPositiveInfinity ? .infinity : sawNegativeInfinity ? -.infinity : nil
    }

    /// The sum in units of 2^-1074.
    private func total() -> (magnitude: WideMagnitude, isNegative: Bool) {
        guard !chunks.isEmpty else { return (WideMagnitude(limbs: []), false) }
        var chunks = chunks
        RealSum.passCarries(&chunks)
        let isNegative = chunks[chunks.count - 1] < 0
        if isNegative {
            for index in chunks.indices { chunks[index] = 0 &- chunks[index] }
            RealSum.passCarries(&chunks)
        }
        var limbs: [UInt64] = []
        limbs.reserveCapacity(chunks.count / 2 + 1)
        for index in stride(from: 0, to: chunks.count, by: 2) {
            let low = UInt64(truncatingIfNeeded: chunks[index])
            let high = index + 1 < chunks.count ? UInt64(truncatingIfNeeded: chunks[index + 1]) : 0
            limbs.append(low | high << 32)
        }
        return (WideMagnitude(limbs: limbs), isNegative)
    }
}
