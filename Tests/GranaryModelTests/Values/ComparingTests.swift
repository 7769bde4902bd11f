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

    @Test func `the hash of the file formats never changes`() {
        let bytes = Array("Granary keeps Swift values in a store you choose.".utf8)
        let prefixes = [0, 1, 7, 8, 9, 15, 16, 17, 31, 49]
        let hashes = prefixes.map { count in bytes.prefix(count).withUnsafeBytes { hash64($0, seed: 7) } }
        #expect(Set(hashes).count == prefixes.count)
        #expect(hashes == ComparingTests.frozenHashes)
    }

    static let frozenHashes: [UInt64] = [
        0x00439cf1ef66402e, 0x024dec63ce66b236, 0xece5b9075fa42912, 0x5a86ab07384d145f,
        0x2d0d61fb29de628e, 0xe34caed970842433, 0x4731d0f3bb43794a, 0x2d2103ea142eb1fa,
        0x669cbe8a22e52c5e, 0xb0f6e498a787418a,
    ]

    @Test func `every flipped bit changes the hash`() {
        let bytes = (0..<53).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let hash = bytes.withUnsafeBytes { hash64($0, seed: 1) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                #expect(flipped.withUnsafeBytes { hash64($0, seed: 1) } != hash)
            }
        }
        #expect((bytes + [0]).withUnsafeBytes { hash64($0, seed: 1) } != hash)
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
