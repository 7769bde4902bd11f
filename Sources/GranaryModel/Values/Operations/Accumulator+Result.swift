extension Accumulator {
    /// The aggregate of the cells so far. More cells may be added afterwards.
    ///
    /// - Throws: ``GranaryError/Code/overflow`` if an integer sum does not fit Int64; ``GranaryError/Code/range`` if a
    ///   decimal sum has more than 38 digits or is out of range, and if infinities of both signs were added;
    ///   ``GranaryError/Code/typeMismatch`` if a cell was not a number of this kind; ``GranaryError/Code/corrupt`` if
    ///   bytes were not a decimal.
    package func result() throws -> StoredValue {
        switch fault {
        case .kind(let found): throw ArithmeticFailure.mismatch(found, expected: kind)
        case .notANumber: throw ArithmeticFailure.notANumber()
        case .invalidDecimal: throw ArithmeticFailure.invalidDecimal()
        case nil: break
        }
        switch function {
        case .count: return .integer(count)
        case .sum: return try sum()
        case .average: return count <= 0 ? .null : try average()
        case .minimum, .maximum: return extreme.withCell { StoredValue($0) }
        }
    }

    private func sum() throws -> StoredValue {
        switch kind {
        case .integer, nil:
            guard let sum = Int64(exactly: integers) else { throw ArithmeticFailure.sumTooLarge() }
            return .integer(sum)
        case .real: return .real(try reals.sum())
        case .decimal: return .bytes(try decimals.sum().bytes)
        }
    }

    private func average() throws -> StoredValue {
        let divisor = UInt64(count)
        switch (kind, scale) {
        case (.integer, let places?):
            return .bytes(try DecimalSum.average(integers, places: places, of: divisor).bytes)
        case (.integer, nil), (nil, _):
            return .real(Accumulator.average(integers, of: divisor))
        case (.real, _): return .real(try reals.average(of: divisor))
        case (.decimal, _): return .bytes(try decimals.average(of: divisor).bytes)
        }
    }

    /// The double nearest to sum / count.
    private static func average(_ sum: Int128, of count: UInt64) -> Double {
        var quotient = WideMagnitude(sum.magnitude)
        // 128 bits after the point: more than a double can show of a quotient by 64 bits.
        quotient.shiftLeft(limbs: 2)
        let remainder = quotient.divide(by: count)
        let average = quotient.nearestDouble(exponent: -128, isInexact: remainder != 0)
        return sum < 0 ? -average : average
    }
}

extension Accumulator {
    /// Adds many integers by the sums of their halves: `sum(x >> 32)`, `sum(x & 0xffffffff)` and `count(x)` in SQL.
    /// Neither sum overflows below two thousand million rows, for any integers.
    mutating func addIntegerHalves(high: Int64, low: Int64, count added: Int64) {
        integers += Int128(high) << 32 + Int128(low)
        count += added
    }

    /// The sum, average or count of integers, from the sums of their halves.
    ///
    /// - Throws: ``GranaryError/Code/overflow`` if a sum does not fit Int64.
    package static func result(
        _ function: AggregateFunction, high: Int64, low: Int64, count: Int64, scale: Int? = nil
    ) throws -> StoredValue {
        var accumulator = Accumulator(function, of: .integer, scale: scale)
        accumulator.addIntegerHalves(high: high, low: low, count: count)
        return try accumulator.result()
    }
}
