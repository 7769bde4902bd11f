import Foundation
import Testing

@testable import GranaryModel

struct DecimalEncodingTests {
    private func hex(_ text: String) throws -> String {
        let value = try #require(Decimal(string: text))
        return try DecimalEncoding.encode(value).map { String(format: "%02X", $0) }.joined()
    }

    @Test func `digits stand two to a byte as hex shows them`() throws {
        #expect(try hex("0") == "80")
        #expect(try hex("12.5") == "C080021250")
        #expect(try hex("-12.5") == "407FFD8749FF")
        #expect(try hex("0.001") == "C07FFE10")
        #expect(try hex("100") == "C0800310")
    }

    @Test func `equal numbers are equal bytes however they are written`() throws {
        #expect(try hex("1.0") == hex("1.00"))
        #expect(try hex("10") == hex("1e1"))
    }

    @Test func `the order of the bytes is the order of the numbers`() throws {
        let texts = [
            "-1e127", "-99999999999999999999999999999999999999", "-100", "-10.5", "-10", "-9.99", "-1.25", "-1.2", "-1",
            "-0.5", "-1e-128", "0", "1e-128", "0.05", "0.5", "1", "1.2", "1.25", "9", "9.99", "10", "10.5", "100",
            "99999999999999999999999999999999999999", "1e127",
        ]
        let encoded = try texts.map { try DecimalEncoding.encode(try #require(Decimal(string: $0))) }
        for (smaller, larger) in zip(encoded, encoded.dropFirst()) {
            #expect(smaller.lexicographicallyPrecedes(larger))
        }
        for (text, bytes) in zip(texts, encoded) {
            #expect(bytes.withUnsafeBytes { DecimalEncoding.decode($0) } == Decimal(string: text))
        }
    }

    @Test func `what does not fit is refused`() throws {
        let tooManyDigits = try #require(Decimal(string: "123456789012345678901234567890123456789"))
        #expect(throws: GranaryError.self) { try DecimalEncoding.encode(tooManyDigits) }
        #expect(throws: GranaryError.self) { try DecimalEncoding.encode(.nan) }
    }

    @Test func `no damaged bytes decode to another spelling of a number`() throws {
        let good = try DecimalEncoding.encode(try #require(Decimal(string: "-1234.5678")))
        for index in good.indices {
            for bit in 0..<8 {
                var bad = good
                bad[index] ^= 1 << bit
                guard let value = bad.withUnsafeBytes({ DecimalEncoding.decode($0) }) else { continue }
                #expect(try DecimalEncoding.encode(value) == bad)
            }
        }
        for length in 0..<good.count {
            let cut = Array(good.prefix(length))
            if let value = cut.withUnsafeBytes({ DecimalEncoding.decode($0) }) {
                #expect(try DecimalEncoding.encode(value) == cut)
            }
        }
    }
}
