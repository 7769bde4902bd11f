import GranaryFormats
import TestSupport

/// Objects with mostly the same keys, written in every way that JSON allows, and now and then in one that it does not.
struct RandomRecords {
    private let keys: [[UInt8]]

    private static let numbers = [
        "0", "-0", "1", "-1", "7", "10", "123456789012345678", "1234567890123456789", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "12345678901234567890123", "1.5", "-0.0",
        "0.1", "1e5", "1E+5", "1e-7", "-12.5E3", "1e400", "5e-324", "0.30000000000000004", "01", "1.", "-",
    ]
    private static let escapes = [
        "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\u0000", "\\ud83d\\ude00",
    ]
    private static let bad: [[UInt8]] = [
        Array("\\ud800".utf8), Array("\\udc00\\ud800".utf8), Array("\\x".utf8), [0xFF], [0xC3], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0], [0x1F],
    ]
    private static let spaces = [" ", " ", " ", "  ", "\t", "\r", "\n", " \n "]

    init(_ random: inout SeededNumbers) {
        let count = Int.random(in: 0..<20, using: &random) == 0 ? 70 : Int.random(in: 1...7, using: &random)
        keys = (0..<count).map { number in
            switch Int.random(in: 0..<8, using: &random) {
            case 0: RandomRecords.string(&random)
            case 1: Array("a key that is so long \(number)".utf8) + RandomRecords.letters(0...12, &random)
            case 2: Array("k\(number % 3)".utf8)
            default: Array("k\(number)".utf8) + RandomRecords.letters(0...4, &random)
            }
        }
    }

    func bytes(_ layout: JSONOptions.Layout, _ random: inout SeededNumbers) -> [UInt8] {
        let records = (0..<Int.random(in: 2...6, using: &random)).map { _ in
            value(.random(in: 0..<6, using: &random), 3, &random)
        }
        if layout == .lines { return Array(records.joined(separator: [0x0A])) }
        var bytes = [UInt8(ascii: "[")]
        for (number, record) in records.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += RandomRecords.space(&random) + record
        }
        return bytes + RandomRecords.space(&random) + [UInt8(ascii: "]")]
    }

    /// An object of the first kinds, an array, or a plain value.
    private func value(_ kind: Int, _ depth: Int, _ random: inout SeededNumbers) -> [UInt8] {
        switch kind {
        case 0...4: object(depth, &random)
        case 5: array(depth, &random)
        case 6...8: Array((RandomRecords.numbers.randomElement(using: &random) ?? "0").utf8)
        case 9...10: Array("\(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))".utf8)
        case 11: Array("\(Double.random(in: -1e6...1e6, using: &random))".utf8)
        case 12...14: Array((["true", "false", "null"].randomElement(using: &random) ?? "null").utf8)
        default: [0x22] + RandomRecords.string(&random) + [0x22]
        }
    }

    private func object(_ depth: Int, _ random: inout SeededNumbers) -> [UInt8] {
        var order = Array(keys.indices)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: order.shuffle(using: &random)
        case 1: order.removeAll { _ in Int.random(in: 0..<3, using: &random) == 0 }
        case 2: if let first = order.first { order.append(first) }
        default: break
        }
        var bytes = [UInt8(ascii: "{")]
        for (number, key) in order.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += RandomRecords.space(&random) + [0x22] + keys[key] + [0x22] + RandomRecords.space(&random)
            bytes.append(UInt8(ascii: ":"))
            bytes += RandomRecords.space(&random) + inner(depth, &random) + RandomRecords.space(&random)
        }
        return bytes + [UInt8(ascii: "}")]
    }

    private func array(_ depth: Int, _ random: inout SeededNumbers) -> [UInt8] {
        let count = Int.random(in: 0..<20, using: &random) == 0 ? 130 : Int.random(in: 0...6, using: &random)
        var bytes = [UInt8(ascii: "[")]
        for number in 0..<count {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += RandomRecords.space(&random) + inner(count > 6 ? 0 : depth, &random) + RandomRecords.space(&random)
        }
        return bytes + [UInt8(ascii: "]")]
    }

    /// A value within another: mostly a plain one.
    private func inner(_ depth: Int, _ random: inout SeededNumbers) -> [UInt8] {
        let isNested = depth > 0 && keys.count < 10 && Int.random(in: 0..<12, using: &random) == 0
        return value(.random(in: isNested ? 0..<6 : 6..<20, using: &random), depth - 1, &random)
    }

    /// Mostly none.
    private static func space(_ random: inout SeededNumbers) -> [UInt8] {
        switch Int.random(in: 0..<60, using: &random) {
        case 0: Array((spaces.randomElement(using: &random) ?? " ").utf8)
        case 1...8: [0x20]
        default: []
        }
    }

    private static func letters(_ count: ClosedRange<Int>, _ random: inout SeededNumbers) -> [UInt8] {
        (0..<Int.random(in: count, using: &random)).map { _ in .random(in: 0x61...0x7A, using: &random) }
    }

    /// What lies between the quotes of a string.
    private static func string(_ random: inout SeededNumbers) -> [UInt8] {
        var bytes = letters(0...20, &random)
        for _ in 0..<max(0, Int.random(in: -6...3, using: &random)) {
            let part =
                switch Int.random(in: 0..<80, using: &random) {
                case 0: bad.randomElement(using: &random) ?? []
                case 1...20: Array((escapes.randomElement(using: &random) ?? "").utf8)
                default: Array((["é", "€", "漢", "😀", "\u{7F}"].randomElement(using: &random) ?? "").utf8)
                }
            bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &random))
            bytes += letters(0...5, &random)
        }
        return bytes
    }
}
