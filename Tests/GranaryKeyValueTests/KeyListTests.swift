import GranaryCore
import Testing

@testable import GranaryKeyValue

@Suite struct KeyListTests {
    private func sorted(_ keys: [[UInt8]]) -> [[UInt8]] {
        var list = KeyList()
        for key in keys { key.withUnsafeBytes { list.append($0) } }
        return list.withSorted { $0.map { Array($0) } }
    }

    @Test func `keys come as memcmp orders them, also where all begin alike`() {
        var random = SystemRandomNumberGenerator()
        for shared in [0, 1, 9, 30] {
            let beginning = [UInt8](repeating: 0x80, count: shared)
            let keys = (0..<500).map { number in
                beginning + (0..<(number % 20)).map { _ in [0, 1, 0xFF].randomElement(using: &random) ?? 0 }
            }
            #expect(sorted(keys) == keys.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test func `a list of none or one is in order`() {
        #expect(sorted([]) == [])
        #expect(sorted([[1, 2]]) == [[1, 2]])
    }
}

@Suite struct RangeTests {
    private func merged(_ ranges: [Plan.Range]) -> [[[UInt8]?]] {
        Plan.Range.merged(ranges).map { [$0.lower, $0.upper] }
    }

    @Test func `ranges that overlap or touch become one, in whatever order they come`() {
        let ranges = [
            Plan.Range(prefix: [1]), Plan.Range(prefix: [2]), Plan.Range(prefix: [2, 7]),
            Plan.Range(prefix: [5, 0xFF]),
            Plan.Range(lower: [6], upper: [7]), Plan.Range(lower: [9], upper: [8]),
        ]
        let expected: [[[UInt8]?]] = [[[1], [3]], [[5, 0xFF], [7]]]
        #expect(merged(ranges) == expected)
        #expect(merged(ranges.reversed()) == expected)
        #expect(merged(ranges.shuffled()) == expected)
    }

    @Test func `a range without an end takes all that follow`() {
        let ranges = [
            Plan.Range(prefix: [0xFF, 0xFF]), Plan.Range(prefix: [3]), Plan.Range(lower: [0xFF], upper: nil),
        ]
        #expect(merged(ranges) == [[[3], [4]], [[0xFF], nil]])
        #expect(Plan.Range(prefix: [0xFF]).upper == nil)
    }
}
