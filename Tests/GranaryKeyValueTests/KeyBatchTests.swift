import GranaryStoreKit
import TestSupport
import Testing

@testable import GranaryKeyValue

/// Batches of keys give them back in the order of their bytes, whatever they begin with.
@Suite struct KeyBatchTests {
    private func sorted(_ keys: [[UInt8]]) -> [[UInt8]] {
        var batch = KeyBatch()
        for key in keys { key.withUnsafeBytes { batch.add($0) } }
        var found: [[UInt8]] = []
        batch.removeAll { found = $0.map(Array.init) }
        #expect(batch.isEmpty && batch.byteCount == 0)
        return found
    }

    private func ordered(_ keys: [[UInt8]]) -> [[UInt8]] { keys.sorted { $0.lexicographicallyPrecedes($1) } }

    @Test func `keys that differ in their length or after their first bytes alone are in their order`() {
        let same = [UInt8](repeating: 7, count: 20)
        for keys: [[UInt8]] in [
            [], [[3]], [[2], [1]], [[1, 0], [1], [1, 0, 0]], [[0xFF], [0x7F], [0x80]], [[1], [1]],
            [same + [2], same + [1], same, same + [1, 0], same + [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
            [[9] + same, same, [9] + same + [0]],
        ] {
            #expect(sorted(keys) == ordered(keys), "\(keys)")
        }
    }

    @Test func `random keys with random beginnings are in their order`() {
        var generator = SeededNumbers(seed: TestSeed.of(11))
        for _ in 0..<200 {
            let beginning = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: 0...1, using: &generator)
            }
            let keys = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                beginning
                    + (0..<Int.random(in: 0...14, using: &generator)).map { _ in
                        [0, 1, 0xFF].randomElement(using: &generator) ?? 0
                    }
            }
            #expect(sorted(keys) == ordered(keys), "\(keys)")
        }
    }

    @Test func `a batch takes other keys once it gave its own`() {
        var batch = KeyBatch()
        for keys: [[UInt8]] in [[[5, 5, 5, 2], [5, 5, 5, 1]], [[6, 1], [5], [6]]] {
            for key in keys { key.withUnsafeBytes { batch.add($0) } }
            batch.removeAll { #expect($0.map(Array.init) == ordered(keys)) }
        }
    }
}
