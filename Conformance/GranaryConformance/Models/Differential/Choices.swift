import ConformanceKit

/// Where something random gets its choices from: a seed, or a list of choices made before.
///
/// What is made of choices is shrunk by shrinking the list: with a part left out, or smaller numbers in it, the same code
/// makes something smaller, always valid. So 0 is to be the simplest choice; a list that has ended gives 0.
package struct Choices {
    private var random: SeededGenerator
    private let isRandom: Bool
    private var given: [Int]
    private var next = 0
    /// Those made so far.
    package private(set) var taken: [Int] = []

    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        isRandom = true
        given = []
    }

    package init(_ given: [Int]) {
        random = SeededGenerator(seed: 0)
        isRandom = false
        self.given = given
    }

    package mutating func below(_ count: Int) -> Int {
        let choice: Int
        if !isRandom {
            choice = next < given.count ? min(given[next], count - 1) : 0
            next += 1
        } else {
            choice = Int.random(in: 0..<count, using: &random)
        }
        taken.append(choice)
        return choice
    }

    /// True in so many of a hundred cases; false is the simpler.
    package mutating func chance(_ percent: Int) -> Bool { below(100) >= 100 - percent }
    package mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

    /// The smallest list found that still fails.
    package static func shrunk(_ choices: [Int], runs: Int, fails: ([Int]) -> Bool) -> [Int] {
        var best = choices
        var left = runs
        func isBetter(_ candidate: [Int]) -> Bool {
            guard left > 0, candidate.count < best.count || candidate.lexicographicallyPrecedes(best) else {
                return false
            }
            left -= 1
            return fails(candidate)
        }
        var hasShrunk = true
        while hasShrunk && left > 0 {
            hasShrunk = false
            for size in [16, 8, 4, 2, 1] {
                var start = 0
                while start < best.count && left > 0 {
                    var candidate = best
                    candidate.removeSubrange(start..<min(start + size, best.count))
                    if isBetter(candidate) {
                        best = candidate
                        hasShrunk = true
                    } else {
                        start += size
                    }
                }
            }
            for position in best.indices.reversed() {
                for smaller in [0, best.indices.contains(position) ? best[position] / 2 : 0]
                where best.indices.contains(position) && smaller < best[position] {
                    var candidate = best
                    candidate[position] = smaller
                    if isBetter(candidate) {
                        best = candidate
                        hasShrunk = true
                    }
                }
            }
        }
        return best
    }
}
