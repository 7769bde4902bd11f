import Foundation
import Testing

@testable import GranaryModel
import TestSupport

/// Arithmetic of decimals against the plain method, on numbers of many lengths and exponents.
struct DecimalNumberTests {
    private static func random(_ numbers: inout SeededNumbers, exponents: ClosedRange<Int>) throws -> DecimalNumber {
        let length = Int.random(in: 1...38, using: &numbers)
        // Few different digits, so that zeros, nines and ties are frequent.
        let choices = Bool.random(using: &numbers) ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : [0, 0, 5, 9]
        var magnitude: UInt128 = 0
        for _ in 0..<length { magnitude = magnitude * 10 + UInt128(choices.randomElement(using: &numbers) ?? 0) }
        return try DecimalNumber(
            magnitude: magnitude, exponent: min(Int.random(in: exponents, using: &numbers), 127 - length),
            isNegative: Bool.random(using: &numbers))
    }

    /// The number in units of 10^exponent.
    private static func whole(_ number: DecimalNumber, unit exponent: Int) -> NaiveInteger {
        NaiveInteger(
            NaiveNatural(number.magnitude)
                * NaiveNatural.powerOfTen(number.magnitude == 0 ? 0 : number.exponent - exponent),
            isNegative: number.isNegative)
    }

    /// Whether an exact result has too many digits, or an exponent out of range.
    private static func fits(_ exact: NaiveInteger, unit exponent: Int) -> Bool {
        let digits = exact.magnitude.description
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        return exact.magnitude.isZero || (digits.count - zeros <= 38 && (-128...127).contains(exponent + zeros))
    }

    @Test func `bytes are those of the encoding of attributes`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(1))
        for _ in 0..<2000 {
            let number = try DecimalNumberTests.random(&numbers, exponents: -128...90)
            let text = "\(number.isNegative ? "-" : "")\(number.magnitude)"
            let significand = try #require(Decimal(string: text))
            let value = Decimal(
                sign: number.isNegative ? .minus : .plus, exponent: number.exponent, significand: abs(significand))
            let expected = try DecimalEncoding.encode(value)
            #expect(number.bytes == expected)
            #expect(try expected.withUnsafeBytes { try DecimalNumber(encoded: $0) } == number)
        }
    }

    @Test func `damaged bytes are refused where the encoding of attributes refuses them`() throws {
        for text in ["-1234.5678", "90.5", "3e-128", "1e127"] {
            let good = try decimalNumber(text).bytes
            for index in good.indices {
                for byte in 0...UInt8.max {
                    var bad = good
                    bad[index] = byte
                    let isDecimal = bad.withUnsafeBytes { DecimalEncoding.decode($0) } != nil
                    #expect(
                        (code { _ = try bad.withUnsafeBytes { try DecimalNumber(encoded: $0) } } == nil) == isDecimal)
                }
            }
        }
    }

    @Test func `sums and products are exact or an error`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(2))
        var (fitting, refused) = (0, 0)
        for _ in 0..<3000 {
            let left = try DecimalNumberTests.random(&numbers, exponents: -20...10)
            let right = try DecimalNumberTests.random(&numbers, exponents: -20...10)
            let unit = min(left.exponent, right.exponent)
            let sum = DecimalNumberTests.whole(left, unit: unit) + DecimalNumberTests.whole(right, unit: unit)
            let product = NaiveInteger(
                NaiveNatural(left.magnitude) * NaiveNatural(right.magnitude),
                isNegative: left.isNegative != right.isNegative)
            for (operation, exact, exponent) in [
                (ArithmeticOperator.add, sum, unit), (.multiply, product, left.exponent + right.exponent),
            ] {
                if DecimalNumberTests.fits(exact, unit: exponent) {
                    let result = try DecimalNumber.apply(operation, left, right)
                    let shared = min(exponent, result.exponent)
                    let scaled = NaiveInteger(
                        exact.magnitude * NaiveNatural.powerOfTen(exponent - shared), isNegative: exact.isNegative)
                    #expect(DecimalNumberTests.whole(result, unit: shared) == scaled)
                    fitting += 1
                } else {
                    #expect(code { _ = try DecimalNumber.apply(operation, left, right) } == .range)
                    refused += 1
                }
            }
        }
        #expect(fitting > 1000 && refused > 1000)
    }

    @Test func `quotients are within half a unit of the 38th digit, to even in the middle`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(3))
        for _ in 0..<3000 {
            let left = try DecimalNumberTests.random(&numbers, exponents: -90...20)
            let right = try DecimalNumberTests.random(&numbers, exponents: -20...30)
            guard right.magnitude != 0 else { continue }
            let result = try DecimalNumber.apply(.divide, left, right)
            let length = result.magnitude == 0 ? 0 : "\(result.magnitude)".count
            let unit = max(result.exponent - (38 - length), -128)
            // |left - result * right|, in shares of the least power, against half of unit * right.
            let least = min(left.exponent, unit + right.exponent)
            let product = NaiveNatural(right.magnitude) * NaiveNatural.powerOfTen(unit + right.exponent - least)
            let back = NaiveInteger(
                product * NaiveNatural(result.magnitude) * NaiveNatural.powerOfTen(max(result.exponent - unit, 0)),
                isNegative: !(result.isNegative != right.isNegative))
            let error = (DecimalNumberTests.whole(left, unit: least) + back).magnitude * NaiveNatural("2")
            #expect(!(product < error), "\(left) / \(right)")
            if error == product {
                #expect(result.exponent > unit || result.magnitude.isMultiple(of: 2), "\(left) / \(right)")
            }
        }
    }

    @Test func `remainders are what truncated quotients leave`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(4))
        for _ in 0..<3000 {
            let left = try DecimalNumberTests.random(&numbers, exponents: -10...10)
            let right = try DecimalNumberTests.random(&numbers, exponents: -10...10)
            guard right.magnitude != 0 else { continue }
            let result = try DecimalNumber.apply(.remainder, left, right)
            let unit = min(left.exponent, right.exponent)
            // Long division, by subtracting the divisor times powers of ten.
            var rest = DecimalNumberTests.whole(left, unit: unit).magnitude
            let divisor = DecimalNumberTests.whole(right, unit: unit).magnitude
            for power in (0...60).reversed() {
                let step = divisor * NaiveNatural.powerOfTen(power)
                while !(rest < step) { rest = rest - step }
            }
            #expect(
                DecimalNumberTests.whole(result, unit: unit) == NaiveInteger(rest, isNegative: left.isNegative),
                "\(left) % \(right)")
        }
    }
}
