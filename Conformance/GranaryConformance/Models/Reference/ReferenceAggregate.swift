import ConformanceKit
import Foundation
package import GranaryCore

/// Aggregates by whole numbers without bound: every value is one, times a power of two or ten.
package enum ReferenceAggregate {
    /// The aggregate of values of a type, nil among them; each once if distinct.
    ///
    /// - Throws: `overflow` or `range` where a sum does not fit.
    package static func result(
        _ function: AggregateFunction, _ values: [StoredValue], _ type: AttributeType, isDistinct: Bool
    ) throws -> StoredValue {
        var values = values.filter { $0 != .null }
        if isDistinct { values = Array(Set(values)) }
        switch function {
        case .count: return .integer(Int64(values.count))
        case .minimum: return values.min { ReferenceOrder.compare($0, $1) < 0 } ?? .null
        case .maximum: return values.max { ReferenceOrder.compare($0, $1) < 0 } ?? .null
        case .sum: return try sum(values, type)
        case .average: return values.isEmpty ? .null : try average(values, type)
        }
    }

    private static func sum(_ values: [StoredValue], _ type: AttributeType) throws -> StoredValue {
        switch type.storage {
        case .real: return .real(try nearest(try bits(values), dividedBy: 1))
        case .bytes:
            let (sum, places) = try decimals(values)
            return try decimal(sum, places, mayRound: false)
        default:
            guard let sum = integers(values).int64 else { throw GranaryError(.overflow, "The sum is too large.") }
            return .integer(sum)
        }
    }

    private static func average(_ values: [StoredValue], _ type: AttributeType) throws -> StoredValue {
        let count = UInt32(values.count)
        if case .scaledDecimal(let places) = type { return try quotient(integers(values), count, places) }
        switch type.storage {
        case .real: return .real(try nearest(try bits(values), dividedBy: count))
        case .bytes:
            let (sum, places) = try decimals(values)
            return try quotient(sum, count, places)
        default:
            var sum = integers(values)
            sum.shiftLeft(1074)
            return .real(try nearest(.finite(sum), dividedBy: count))
        }
    }

    private static func integers(_ values: [StoredValue]) -> ReferenceInteger {
        values.reduce(ReferenceInteger()) { sum, value in
            if case .integer(let integer) = value { sum + ReferenceInteger(integer) } else { sum }
        }
    }

    // MARK: - Doubles

    /// A sum of doubles: infinite, or a whole number of 2^-1074.
    private enum RealTotal {
        case finite(ReferenceInteger)
        case infinite(Double)
    }

    private static func bits(_ values: [StoredValue]) throws -> RealTotal {
        var sum = ReferenceInteger()
        var infinite: Double?
        for case .real(let value) in values {
            if value.isInfinite {
                if let infinite, infinite != value { throw GranaryError(.range, "Infinities of both signs.") }
                infinite = value
            } else if value != 0 {
                var part = ReferenceInteger(Int64(value.significandBitPattern))
                if value.isNormal { part = part + ReferenceInteger(1 << 52) }
                part.shiftLeft(Int(max(value.exponentBitPattern, 1)) - 1)
                sum = sum + (value < 0 ? part.negated : part)
            }
        }
        return infinite.map { .infinite($0) } ?? .finite(sum)
    }

    /// The double nearest to a sum divided by a count, half to even.
    private static func nearest(_ total: RealTotal, dividedBy count: UInt32) throws -> Double {
        guard case .finite(let sum) = total else {
            if case .infinite(let value) = total { return value }
            return 0
        }
        var magnitude = sum.magnitude
        // 64 bits more, so that the remainder decides nothing but a tie.
        magnitude.shiftLeft(64)
        let isInexact = magnitude.divide(by: count) != 0
        let lowest = max(magnitude.bitCount - 53, 64)
        var kept: UInt64 = 0
        for place in (lowest..<max(magnitude.bitCount, lowest)).reversed() {
            kept = kept << 1 | (magnitude.bit(place) ? 1 : 0)
        }
        if magnitude.bit(lowest - 1) {
            let isMore = isInexact || (0..<(lowest - 1)).contains { magnitude.bit($0) }
            if isMore || kept & 1 == 1 { kept += 1 }
        }
        let value = scaled(Double(kept), lowest - 64 - 1074)
        return sum.isNegative && value != 0 ? -value : value
    }

    /// A double times a power of two that changes no digit of it.
    private static func scaled(_ value: Double, _ exponent: Int) -> Double {
        exponent < -1022
            ? value * 0x1p-1022 * Double(sign: .plus, exponent: exponent + 1022, significand: 1)
            : value * Double(sign: .plus, exponent: exponent, significand: 1)
    }

    // MARK: - Decimals

    /// The sum of decimals, and how many of its digits stand after the point.
    private static func decimals(_ values: [StoredValue]) throws -> (ReferenceInteger, places: Int) {
        let places = 128
        var sum = ReferenceInteger()
        for case .bytes(let bytes) in values {
            guard let decimal = bytes.withUnsafeBytes({ DecimalEncoding.decode($0) }) else {
                throw GranaryError(.corrupt, "Not a decimal.")
            }
            var text = decimal.description[...]
            let isNegative = text.first == "-"
            if isNegative { text = text.dropFirst() }
            let parts = text.split(separator: ".")
            let fraction = parts.count > 1 ? parts[1] : ""
            var part = ReferenceInteger(digits: parts[0] + fraction)
            part.multiplyByTen(times: places - fraction.utf8.count)
            sum = sum + (isNegative ? part.negated : part)
        }
        return (sum, places)
    }

    /// A sum divided by a count, of 38 digits, half to even.
    private static func quotient(_ sum: ReferenceInteger, _ count: UInt32, _ places: Int) throws -> StoredValue {
        var quotient = sum.magnitude
        quotient.multiplyByTen(times: 60)
        let remainder = quotient.divide(by: count)
        // A digit more, which is not 0 where there is a rest.
        quotient.multiply(by: 10)
        if remainder != 0 { quotient = quotient + ReferenceInteger(1) }
        return try decimal(sum.isNegative ? quotient.negated : quotient, places + 61, mayRound: true)
    }

    private static func decimal(_ value: ReferenceInteger, _ places: Int, mayRound: Bool) throws -> StoredValue {
        if value.isZero { return .bytes(try DecimalEncoding.encode(0)) }
        var digits = value.digits
        var exponent = -places
        func trim() {
            while digits.last == "0" {
                digits.removeLast()
                exponent += 1
            }
        }
        trim()
        if digits.utf8.count > 38 && mayRound {
            let dropped = digits.dropFirst(38)
            exponent += dropped.utf8.count
            let half = "5" + String(repeating: "0", count: dropped.utf8.count - 1)
            digits = String(digits.prefix(38))
            let isOdd = digits.utf8.last.map { $0 % 2 == 1 } ?? false
            if String(dropped) > half || (String(dropped) == half && isOdd) {
                digits = (ReferenceInteger(digits: digits) + ReferenceInteger(1)).digits
            }
            trim()
        }
        guard digits.utf8.count <= 38 else { throw GranaryError(.range, "The sum has more than 38 digits.") }
        let text = (value.isNegative ? "-" : "") + digits + "e\(exponent)"
        guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
            throw GranaryError(.range, "The sum is no decimal.")
        }
        return .bytes(try DecimalEncoding.encode(decimal))
    }
}
