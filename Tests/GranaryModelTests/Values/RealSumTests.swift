import Testing

@testable import GranaryModel
import TestSupport

/// Sums and averages of doubles against whole numbers in units of 2^-1074, rounded by searching among the doubles.
struct RealSumTests {
    /// 2^0 ... 2^2046.
    private static let powersOfTwo: [NaiveNatural] = {
        var powers = [NaiveNatural("1")]
        for _ in 0..<2046 { powers.append(powers[powers.count - 1] + powers[powers.count - 1]) }
        return powers
    }()

    /// A finite double without its sign, by its bits; those of infinity stand for 2^1024.
    private static func units(_ bits: UInt64) -> NaiveNatural {
        let (field, fraction) = (Int(bits >> 52), bits & 0xF_FFFF_FFFF_FFFF)
        if field == 0 { return NaiveNatural(fraction) }
        return NaiveNatural(fraction | 1 << 52) * powersOfTwo[field - 1]
    }

    private static func exactSum(_ values: [Double]) -> NaiveInteger {
        values.reduce(.zero) { sum, value in
            sum + NaiveInteger(units(value.magnitude.bitPattern), isNegative: value < 0)
        }
    }

    /// The double nearest to sum / count.
    private static func nearest(_ sum: NaiveInteger, dividedBy count: Int) -> Double {
        let count = NaiveNatural(UInt(count))
        var (low, high) = (UInt64(0), Double.infinity.bitPattern)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if sum.magnitude < units(middle) * count { high = middle } else { low = middle }
        }
        let (below, above) = (units(low) * count, units(high) * count)
        guard sum.magnitude < above else { return sum.isNegative ? -.infinity : .infinity }
        let (down, up) = (sum.magnitude - below, above - sum.magnitude)
        let bits = down < up || (down == up && low.isMultiple(of: 2)) ? low : high
        return Double(bitPattern: bits) * (sum.isNegative && bits != 0 ? -1 : 1)
    }

    private enum Mixture: CaseIterable {
        case anyBits, prices, subnormal, greatest, cancelling, ties, wholeExponents

        func values(_ count: Int, _ numbers: inout SeededNumbers) -> [Double] {
            (0..<count).map { index in
                let bits = numbers.next()
                switch self {
                case .anyBits:
                    let value = Double(bitPattern: bits)
                    return value.isFinite ? value : 1
                case .prices: return Double(bits % 1_000_000) / 100
                case .subnormal: return Double(bitPattern: bits & 0x8007_FFFF_FFFF_FFFF)
                case .greatest: return Double(bitPattern: 0x7FE0_0000_0000_0000 | bits & 0x8003_FFFF_FFFF_FFFF)
                case .cancelling:
                    return index.isMultiple(of: 2) ? 0x1p900 : index % 4 == 1 ? -0x1p901 : Double(bits % 9) * 0.1
                case .ties: return index == 0 ? 0x1p53 : [0.5, 0.25, -0.25, 1, -1, 0x1p-60][Int(bits % 6)]
                case .wholeExponents:
                    return Double(
                        sign: bits & 1 == 0 ? .plus : .minus, exponent: Int(bits >> 8 % 2000) - 1000, significand: 1)
                }
            }
        }
    }

    @Test func `every order gives the nearest double to the exact sum and average, bit for bit`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(5))
        for mixture in Mixture.allCases {
            for count in [1, 2, 3, 10, 300, 1500] {
                let values = mixture.values(count, &numbers)
                let exact = RealSumTests.exactSum(values)
                let sum = RealSumTests.nearest(exact, dividedBy: 1)
                let average = RealSumTests.nearest(exact, dividedBy: count)
                for _ in 0..<3 {
                    let order = values.shuffled(using: &numbers)
                    var whole = RealSum()
                    for value in order { whole.add(value) }
                    #expect(try whole.sum().bitPattern == sum.bitPattern, "\(mixture) \(count)")
                    #expect(
                        try whole.average(of: UInt64(count)).bitPattern == average.bitPattern, "\(mixture) \(count)")
                    var (first, second) = (RealSum(), RealSum())
                    for value in order.prefix(count / 3) { first.add(value) }
                    for value in order.dropFirst(count / 3) { second.add(value) }
                    first.merge(second)
                    #expect(try first.sum().bitPattern == sum.bitPattern, "\(mixture) \(count)")
                }
            }
        }
    }

    @Test func `the carries of many of the greatest doubles are kept`() throws {
        var sum = RealSum()
        for _ in 0..<20_000 { sum.add(.greatestFiniteMagnitude) }
        #expect(try sum.sum() == .infinity)
        #expect(try sum.average(of: 20_000) == .greatestFiniteMagnitude)
        for _ in 0..<40_000 { sum.add(-.greatestFiniteMagnitude) }
        #expect(try sum.sum() == -.infinity)
        for _ in 0..<20_000 { sum.add(.greatestFiniteMagnitude) }
        sum.add(-.leastNonzeroMagnitude)
        #expect(try sum.sum() == -.leastNonzeroMagnitude)
        #expect(try sum.average(of: 3).bitPattern == 0)
    }

    @Test func `sums whose last bit depends on the order elsewhere`() throws {
        let table: [([Double], Double)] = [
            ([], 0), ([-0.0], 0), ([0.1, 0.2, 0.3], 0.6), ([1e100, 1, -1e100], 1), ([0x1p53, 1], 0x1p53),
            ([0x1p53, 1, 0x1p-1074], 0x1p53 + 2), ([0x1p53, 3], 0x1p53 + 4), ([1e308, 1e308, -1e308], 1e308),
            ([.greatestFiniteMagnitude, 0x1p969], .greatestFiniteMagnitude),
            ([.greatestFiniteMagnitude, 0x1p970], .infinity), ([.infinity, -1e308], .infinity),
            ([-.infinity, -.infinity], -.infinity),
        ]
        for (values, expected) in table {
            for order in [values, values.reversed()] {
                var sum = RealSum()
                for value in order { sum.add(value) }
                #expect(try sum.sum().bitPattern == expected.bitPattern, "\(values)")
            }
        }
    }

    @Test func `infinities of both signs have no sum`() {
        var sum = RealSum()
        sum.add(.infinity)
        var other = RealSum()
        other.add(-.infinity)
        sum.merge(other)
        #expect(code { _ = try sum.sum() } == .range)
        #expect(code { _ = try sum.average(of: 2) } == .range)
    }
}
