import Foundation
import Testing
import TestSupport

@testable import GranaryModel

struct ValueConversionTests {
    private func converted(_ value: StoredValue, _ old: AttributeType, _ new: AttributeType) -> StoredValue? {
        guard let conversion = ValueConversion(from: old, to: new) else { return nil }
        return value.withCell(conversion.converted)
    }

    private func decimal(_ text: String) throws -> StoredValue {
        try StoredValue(encoding: try #require(Decimal(string: text)))
    }

    @Test func `numbers become the same numbers, or nothing`() throws {
        #expect(converted(.integer(127), .int64, .int8) == .integer(127))
        #expect(converted(.integer(128), .int64, .int8) == nil)
        #expect(converted(.integer(-1), .int64, .uint64) == nil)
        #expect(converted(.integer(1 << 53), .int64, .double) == .real(0x1p53))
        #expect(converted(.integer(1 << 53 + 1), .int64, .double) == nil)
        #expect(converted(.real(3), .double, .int64) == .integer(3))
        #expect(converted(.real(3.5), .double, .int64) == nil)
        #expect(converted(.real(.infinity), .double, .int64) == nil)
        #expect(converted(.real(0.1), .double, .float) == nil)
        #expect(converted(.real(0.5), .double, .float) == .real(0.5))
        #expect(try converted(.real(0.1), .double, .decimal) == decimal("0.1"))
        #expect(try converted(decimal("0.1"), .decimal, .double) == .real(0.1))
        #expect(try converted(decimal("0.10000000000000000001"), .decimal, .double) == nil)
        #expect(try converted(.integer(1234), .scaledDecimal(places: 2), .decimal) == decimal("12.34"))
        #expect(try converted(decimal("12.34"), .decimal, .scaledDecimal(places: 2)) == .integer(1234))
        #expect(try converted(decimal("12.345"), .decimal, .scaledDecimal(places: 2)) == nil)
        #expect(converted(.integer(1200), .scaledDecimal(places: 2), .int64) == .integer(12))
        #expect(converted(.integer(1234), .scaledDecimal(places: 2), .int64) == nil)
        #expect(converted(.integer(12), .int64, .scaledDecimal(places: 2)) == .integer(1200))
        #expect(converted(.integer(.max), .int64, .scaledDecimal(places: 2)) == nil)
        #expect(converted(.integer(.min), .int64, .string) == .string("-9223372036854775808"))
        #expect(converted(.string("-9223372036854775808"), .string, .int64) == .integer(.min))
        #expect(converted(.string("-9223372036854775809"), .string, .int64) == nil)
    }

    @Test func `texts become what they say, or nothing`() throws {
        #expect(converted(.string("12"), .string, .int64) == .integer(12))
        #expect(converted(.string("12abc"), .string, .int64) == nil)
        #expect(converted(.string(" 12"), .string, .int64) == nil)
        #expect(converted(.string(""), .string, .int64) == nil)
        #expect(converted(.string("0.1"), .string, .double) == .real(0.1))
        #expect(converted(.string("1.50"), .string, .double) == .real(1.5))
        #expect(converted(.string("inf"), .string, .double) == .real(.infinity))
        #expect(converted(.string("nan"), .string, .double) == nil)
        #expect(converted(.string("0.1000000000000000000001"), .string, .double) == nil)
        #expect(try converted(.string("1.50"), .string, .decimal) == decimal("1.5"))
        #expect(converted(.string("true"), .string, .bool) == .integer(1))
        #expect(converted(.string("yes"), .string, .bool) == nil)
        #expect(converted(.string("no UUID"), .string, .uuid) == nil)
        #expect(converted(.bytes([0xFF]), .data, .string) == nil)
        #expect(converted(.bytes(Array("é".utf8)), .data, .string) == .string("é"))
        #expect(converted(.bytes([1]), .data, .uuid) == nil)
        #expect(converted(.null, .string, .int64) == .null)
        #expect(ValueConversion(from: .date, to: .string) == nil)
        #expect(ValueConversion(from: .json, to: .int64) == nil)
    }

    /// What every value survives, there and back.
    @Test func `a conversion without loss can be undone, for any value`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(7))
        let types: [AttributeType] = [
            .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal,
            .scaledDecimal(places: 3), .string, .data, .date, .uuid, .url, .json,
        ]
        for old in types {
            for new in types {
                guard let there = ValueConversion(from: old, to: new), there.isLossless else { continue }
                let back = try #require(ValueConversion(from: new, to: old) ?? (old == .json ? there : nil))
                if old == .json { continue }
                for _ in 0..<200 {
                    let value = try random(old, &numbers)
                    let converted = try #require(value.withCell(there.converted), "\(value) of \(old) as \(new)")
                    #expect(converted.withCell(back.converted) == value, "\(value) of \(old) as \(new): \(converted)")
                    if there.keepsCells { #expect(converted == value) }
                }
            }
        }
    }

    private func random(_ type: AttributeType, _ numbers: inout SeededNumbers) throws -> StoredValue {
        let bits = numbers.next()
        if let range = type.integerRange {
            let edges = [range.lowerBound, range.upperBound, 0]
            return .integer(bits % 4 == 0 ? edges[Int(bits >> 8 % 3)] : Int64.random(in: range, using: &numbers))
        }
        switch type {
        case .float:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return .real(value.isNaN ? 0.5 : Double(value) + 0.0)
        case .double:
            let value = Double(bitPattern: bits)
            return .real(value.isNaN ? 0.1 : value + 0.0)
        case .date: return .real(Double(Int64(bitPattern: bits) >> 20) / 1024)
        case .decimal:
            return try StoredValue(
                encoding: Decimal(sign: .plus, exponent: Int(bits % 40) - 20, significand: Decimal(Int64(bits >> 8))))
        case .uuid: return .bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &numbers) })
        case .data: return .bytes(Array(String(bits).utf8))
        case .url: return .string("https://example.com/\(bits)")
        default: return .string(String(bits, radix: 36))
        }
    }
}
