import Foundation
import Testing

@testable import GranaryModel

struct ComparingTests {
    @Test func `an integer and a double compare without rounding`() {
        let big = Int64(1) << 53
        #expect(compareExactly(big + 1, 0x1p53) > 0)
        #expect(compareExactly(big, 0x1p53) == 0)
        #expect(compareExactly(.max, 0x1p63) < 0)
        #expect(compareExactly(.min, -0x1p63) == 0)
        #expect(compareExactly(2, 2.5) < 0)
        #expect(compareExactly(-2, -2.5) > 0)
        #expect(compareExactly(0, .infinity) < 0)
        #expect(compareExactly(0, -.infinity) > 0)
    }

    @Test func `stored values order nil first, numbers as numbers, bytes as bytes`() {
        let ascending: [StoredValue] = [
            .null, .integer(.min), .integer(-1), .real(-0.5), .integer(0), .real(0.5), .integer(1), .integer(.max),
            .string(""), .string("a"), .string("aa"), .string("e\u{301}"), .string("z"), .string("é"), .bytes([]),
            .bytes([0]), .bytes([0, 0]), .bytes([1]),
        ]
        #expect(ascending.shuffled().sorted() == ascending)
    }

    @Test func `strings that Swift holds equal are different stored values`() {
        #expect("é" == "e\u{301}")
        #expect(StoredValue.string("é") != .string("e\u{301}"))
    }

    @Test func `time-ordered UUIDs increase, also from many threads`() async {
        let batches = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in UUID.timeOrdered() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        func bytes(_ uuid: UUID) -> [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }
        for batch in batches {
            for (earlier, later) in zip(batch, batch.dropFirst()) {
                #expect(bytes(earlier).lexicographicallyPrecedes(bytes(later)))
            }
        }
        #expect(Set(batches.flatMap { $0 }).count == 20000)
        let one = bytes(.timeOrdered())
        #expect(one[6] >> 4 == 7)
        #expect(one[8] >> 6 == 0b10)
    }
}
