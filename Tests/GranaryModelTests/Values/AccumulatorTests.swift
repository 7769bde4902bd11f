import Foundation
import Testing

@testable import GranaryModel
import TestSupport

struct AccumulatorTests {
    private func aggregate(
        _ function: AggregateFunction, _ type: AttributeType, _ values: [StoredValue]
    ) throws -> StoredValue {
        var whole = Accumulator(function, of: type)
        for value in values { value.withCell { whole.add($0) } }
        // In two parts and backwards the result is the same.
        var (first, second) = (Accumulator(function, of: type), Accumulator(function, of: type))
        for value in values.reversed().prefix(values.count / 2) { value.withCell { first.add($0) } }
        for value in values.reversed().dropFirst(values.count / 2) { value.withCell { second.add($0) } }
        first.merge(second)
        let result = try whole.result()
        #expect(try first.result() == result)
        return result
    }

    @Test func `of nothing, and of nil, sums and counts are zero and the others nil`() throws {
        for values: [StoredValue] in [[], [.null, .null]] {
            #expect(try aggregate(.count, .string, values) == .integer(0))
            #expect(try aggregate(.sum, .int64, values) == .integer(0))
            #expect(try aggregate(.sum, .double, values) == .real(0))
            #expect(try aggregate(.sum, .decimal, values) == decimal("0"))
            #expect(try aggregate(.sum, .scaledDecimal(places: 2), values) == .integer(0))
            for function in [AggregateFunction.average, .minimum, .maximum] {
                for type in [AttributeType.int32, .double, .decimal, .scaledDecimal(places: 2)] {
                    #expect(try aggregate(function, type, values) == .null)
                }
            }
        }
    }

    @Test func `sums of integers may pass beyond Int64 on the way, not at the end`() throws {
        let (most, least) = (StoredValue.integer(.max), StoredValue.integer(.min))
        #expect(try aggregate(.sum, .int64, [most, .integer(1), .null, .integer(-1)]) == most)
        #expect(try aggregate(.sum, .int64, [most, most, least, least]) == .integer(-2))
        #expect(try aggregate(.sum, .int8, [.integer(100), .integer(100)]) == .integer(200))
        #expect(code { _ = try aggregate(.sum, .int64, [most, .integer(1)]) } == .overflow)
        #expect(code { _ = try aggregate(.sum, .int64, [least, .integer(-1)]) } == .overflow)
    }

    @Test func `the average of integers is the nearest double to the exact quotient`() throws {
        let (most, least) = (StoredValue.integer(.max), StoredValue.integer(.min))
        #expect(try aggregate(.average, .int64, [.integer(1), .integer(2), .null]) == .real(1.5))
        #expect(try aggregate(.average, .int64, [.integer(-1), .integer(0), .integer(0)]) == .real(-1.0 / 3))
        #expect(try aggregate(.average, .int64, [.integer(2), .integer(0), .integer(0)]) == .real(2.0 / 3))
        #expect(try aggregate(.average, .int64, [most, most, most]) == .real(0x1p63))
        #expect(try aggregate(.average, .int64, [least, least]) == .real(-0x1p63))
        #expect(try aggregate(.average, .int64, [most, least]) == .real(-0.5))
        // 2^53 + 1 is in the middle of two doubles, and a third above it decides.
        let odd = StoredValue.integer(1 << 53 + 1)
        #expect(try aggregate(.average, .int64, [odd, odd, odd]) == .real(0x1p53))
        #expect(try aggregate(.average, .int64, [odd, odd, .integer(1 << 53 + 2)]) == .real(0x1p53 + 2))
    }

    @Test func `integers are the same by the sums of their halves`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(6))
        for _ in 0..<200 {
            let shift = Int.random(in: 0...63, using: &numbers)
            let values = (0..<50).map { _ in Int64(bitPattern: numbers.next()) >> shift } + [.max, .min]
            let high = values.reduce(0) { $0 + ($1 >> 32) }
            let low = values.reduce(0) { $0 + ($1 & 0xFFFF_FFFF) }
            for function in [AggregateFunction.count, .sum, .average] {
                var one = Accumulator(function, of: .integer)
                for value in values { one.add(.integer(value)) }
                let expected = Result { try one.result() }
                let halves = Result { try Accumulator.result(function, high: high, low: low, count: 52) }
                #expect((try? halves.get()) == (try? expected.get()))
            }
        }
    }

    @Test func `doubles that an engine hands out as integers are doubles`() throws {
        #expect(try aggregate(.sum, .double, [.integer(2), .real(0.5)]) == .real(2.5))
        #expect(try aggregate(.maximum, .double, [.integer(2), .real(0.5)]) == .real(2))
        #expect(try aggregate(.average, .double, [.integer(2), .real(1)]) == .real(1.5))
    }

    @Test func `decimals are summed exactly and averaged to 38 digits`() throws {
        #expect(try aggregate(.sum, .decimal, [decimal("0.1"), decimal("0.2"), .null]) == decimal("0.3"))
        #expect(
            try aggregate(.sum, .decimal, [decimal("1e127"), decimal("1e-128"), decimal("-1e127")]) == decimal("1e-128")
        )
        #expect(try aggregate(.sum, .decimal, [decimal("-5"), decimal("2.5")]) == decimal("-2.5"))
        #expect(try aggregate(.sum, .decimal, [decimal("-5"), decimal("5")]) == decimal("0"))
        let nines = try decimal("99999999999999999999999999999999999999")
        #expect(try aggregate(.sum, .decimal, [nines, decimal("1")]) == decimal("1e38"))
        #expect(
            try aggregate(.sum, .decimal, [nines, nines, decimal("-99999999999999999999999999999999999998")])
                == decimal("1e38"))
        #expect(code { _ = try aggregate(.sum, .decimal, [nines, nines]) } == .range)
        #expect(code { _ = try aggregate(.sum, .decimal, [decimal("1e127"), decimal("9e127")]) } == .range)
        #expect(try aggregate(.average, .decimal, [nines, nines, nines]) == nines)
        #expect(
            try aggregate(.average, .decimal, [decimal("1"), decimal("0"), decimal("0")])
                == decimal("0.33333333333333333333333333333333333333"))
        #expect(
            try aggregate(.average, .decimal, [decimal("-2"), decimal("0"), decimal("0")])
                == decimal("-0.66666666666666666666666666666666666667"))
        #expect(try aggregate(.average, .decimal, [decimal("1e127"), decimal("1e127")]) == decimal("1e127"))
    }

    @Test func `random decimals give the plain method's sum in every order`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(7))
        for round in 0..<40 {
            let values = try (0..<200).map { _ in
                try DecimalNumber(
                    magnitude: (UInt128(numbers.next()) << 48) >> (numbers.next() % 100),
                    exponent: -Int(numbers.next() % (round.isMultiple(of: 2) ? 3 : 30)),
                    isNegative: numbers.next() & 1 == 0)
            }
            let exact = values.reduce(NaiveInteger.zero) { sum, value in
                let units = NaiveNatural(value.magnitude) * NaiveNatural.powerOfTen(value.exponent + 30)
                return sum + NaiveInteger(units, isNegative: value.isNegative)
            }
            let digits = exact.magnitude.description
            let shortest = String(digits.reversed().drop { $0 == "0" }.reversed())
            let stored = values.map { StoredValue.bytes($0.bytes) }
            if shortest.count > 38 {
                #expect(code { _ = try aggregate(.sum, .decimal, stored.shuffled(using: &numbers)) } == .range)
            } else {
                let sign = exact.isNegative ? "-" : ""
                let expected = try decimal("\(sign)\(shortest)e\(digits.count - shortest.count - 30)")
                #expect(try aggregate(.sum, .decimal, stored.shuffled(using: &numbers)) == expected)
            }
        }
    }

    @Test func `scaled decimals are summed as they are and averaged as decimals`() throws {
        let prices: [StoredValue] = [.integer(999), .integer(1000), .null, .integer(-1)]
        #expect(try aggregate(.sum, .scaledDecimal(places: 2), prices) == .integer(1998))
        #expect(try aggregate(.average, .scaledDecimal(places: 2), prices) == decimal("6.66"))
        #expect(
            try aggregate(.average, .scaledDecimal(places: 2), [.integer(1), .integer(0), .integer(0)])
                == decimal("0.0033333333333333333333333333333333333333"))
        #expect(
            try aggregate(.average, .scaledDecimal(places: 0), [.integer(.max), .integer(.max)])
                == .bytes(DecimalNumber(.max).bytes))
        #expect(try aggregate(.maximum, .scaledDecimal(places: 2), prices) == .integer(1000))
    }

    @Test func `minimum and maximum order as stores do`() throws {
        let texts: [StoredValue] = [
            .string("b"), .string("é"), .null, .string("e\u{301}"), .string("B"), .string("bb"),
        ]
        #expect(try aggregate(.minimum, .string, texts) == .string("B"))
        #expect(try aggregate(.maximum, .string, texts) == .string("é"))
        #expect(try aggregate(.minimum, .data, [.bytes([1]), .bytes([]), .bytes([0])]) == .bytes([]))
        #expect(try aggregate(.maximum, .data, [.bytes([1]), .bytes([1, 0]), .bytes([0, 9])]) == .bytes([1, 0]))
        #expect(try aggregate(.minimum, .int64, [.integer(3), .integer(-3), .null]) == .integer(-3))
        #expect(try aggregate(.maximum, .double, [.real(.infinity), .real(1)]) == .real(.infinity))
        #expect(try aggregate(.maximum, .decimal, [decimal("9"), decimal("100"), decimal("-1000")]) == decimal("100"))
        #expect(try aggregate(.count, .string, texts) == .integer(5))
    }

    @Test func `cells that are no such number are an error at the end`() {
        #expect(code { _ = try aggregate(.sum, .int64, [.integer(1), .real(1)]) } == .typeMismatch)
        #expect(code { _ = try aggregate(.sum, .string, [.string("1")]) } == .typeMismatch)
        #expect(code { _ = try aggregate(.sum, .decimal, [.bytes([1, 2, 3])]) } == .corrupt)
        #expect(code { _ = try aggregate(.sum, .double, [.real(.infinity), .real(-.infinity)]) } == .range)
        #expect(code { _ = try aggregate(.maximum, .double, [.real(.nan)]) } == .range)
    }

    @Test func `the types of results`() {
        let table: [(AggregateFunction, AttributeType, AttributeType?)] = [
            (.count, .string, .int64), (.sum, .uint8, .int64), (.sum, .float, .double), (.sum, .decimal, .decimal),
            (.sum, .scaledDecimal(places: 2), .scaledDecimal(places: 2)), (.sum, .string, nil), (.sum, .date, nil),
            (.average, .int8, .double), (.average, .float, .double), (.average, .decimal, .decimal),
            (.average, .scaledDecimal(places: 2), .decimal), (.average, .date, .date), (.average, .uuid, nil),
            (.minimum, .string, .string), (.maximum, .float, .float),
        ]
        for (function, type, result) in table { #expect(function.resultType(of: type) == result) }
    }
}
