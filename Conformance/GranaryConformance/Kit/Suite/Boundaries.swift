package import Foundation
package import GranaryCore

/// Values of each type at its edges, distinct and in ascending order by the rules every store obeys.
package enum Boundaries {
    package static let bool = [false, true]
    package static func integer<Value: FixedWidthInteger & SignedInteger>(_ type: Value.Type) -> [Value] {
        [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    }
    package static func unsigned<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) -> [Value] {
        [0, 1, .max / 2, .max / 2 + 1, .max - 1, .max]
    }
    /// As far as an attribute of the type takes them.
    package static let uint64: [UInt64] = [
        0, 1, 255, 256, 1 << 53, 1 << 53 + 1, UInt64(Int64.max) - 1, UInt64(Int64.max),
    ]
    package static let int64: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -256, -255, -1, 0, 1, 127, 128, 1 << 53, 1 << 53 + 1, .max - 1,
        .max,
    ]
    package static let float: [Float] = [
        -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude, 0,
        .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, Float(0.1).nextUp, 1, 16_777_218, .greatestFiniteMagnitude,
        .infinity,
    ]
    package static let double: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude, 0,
        .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, 0.1.nextUp, 1, 2.5, 3, 0x1p53, 0x1p53 + 2, 0x1p63,
        .greatestFiniteMagnitude, .infinity,
    ]
    package static let decimal: [Decimal] = [
        "-1e127", "-99999999999999999999999999999999999999", "-10", "-9.5", "-9.05", "-9", "-0.01", "-1e-128", "0",
        "1e-128", "0.01", "0.1", "9", "10", "12.5", "12.500000000000000000000000000000000001", "99.5", "100",
        "99999999999999999999999999999999999999", "1e127",
    ].map(decimal)
    /// With no character that Swift holds equal to another.
    package static let text: [String] = [
        "", "\0", "\0\0", "\0a", "A", "B", "a", "a\0", "a\0b", "aa", "b", "e\u{301}", "z", "\u{E9}", "\u{3A9}",
        "\u{4E2D}", "\u{FFFD}", "\u{10000}", "\u{1F600}",
    ]
    package static let bytes: [[UInt8]] = [
        [], [0], [0, 0], [0, 1], [0, 255], [1], [127], [128], [255], [255, 0], [255, 255],
    ]
    package static let date: [Date] = [
        -Double.greatestFiniteMagnitude, Date.distantPast.timeIntervalSinceReferenceDate, -978_307_200, -0.1,
        -Double.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1, 0.1.nextUp, 800_000_000.123_456_7,
        Date.distantFuture.timeIntervalSinceReferenceDate, .greatestFiniteMagnitude,
    ].map { Date(timeIntervalSinceReferenceDate: $0) }
    package static let uuid: [UUID] = [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
        "00000000-0000-0000-0000-0000000000FF", "00FF0000-0000-0000-0000-000000000000",
        "7FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "80000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ].compactMap { UUID(uuidString: $0) }
    package static let url: [URL] = [
        "a", "https://example.com", "https://example.com/", "https://example.com/?q=1&r=%C3%A9#part",
        "https://example.com/a%00b", "mailto:a@example.com", "urn:isbn:0451450523",
    ].compactMap { URL(string: $0) }
    /// By raw value.
    package static let mood: [Mood] = [.calm, .sad, .wild]
    /// By the bytes of the JSON, whose keys are sorted: `{"depth":1,"tags":["a"]}`.
    package static let json: [JSON<Extra>] = [
        JSON(Extra(tags: ["a"], depth: 1)), JSON(Extra(tags: ["b"], depth: 1)), JSON(Extra(tags: [], depth: 1)),
        JSON(Extra(tags: [], depth: 10)), JSON(Extra(tags: [], depth: 2)),
    ]

    package static func decimal(_ text: String) -> Decimal {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
    }
}
