/// The keys 1 to `count` in an order that looks random and is the same on every run, without an array of them.
///
/// A Feistel network permutes the numbers of an even number of bits: each round mixes one half into the other and swaps
/// them, which can be undone, so that no two numbers become the same. A number that is not below `count` is put in
/// again until one is (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", cycle walking).
struct KeyPermutation {
    private let count: UInt64
    private let halfBits: UInt64
    private let mask: UInt64

    init(_ count: Int) {
        self.count = UInt64(count)
        let bits = UInt64(max(2, 64 - (UInt64(count) - 1).leadingZeroBitCount))
        halfBits = (bits + 1) / 2
        mask = (1 << halfBits) - 1
    }

    /// The key at a place from 0 to `count - 1`.
    subscript(_ place: Int) -> Int64 {
        var number = UInt64(place)
        repeat { number = mixed(number) } while number >= count
        return Int64(number) + 1
    }

    private func mixed(_ number: UInt64) -> UInt64 {
        var (left, right) = (number >> halfBits, number & mask)
        for round in 0..<4 as Range<UInt64> {
            var random = SplitMix(seed: right &* 4 &+ round)
            (left, right) = (right, left ^ (random.next() & mask))
        }
        return left << halfBits | right
    }
}
