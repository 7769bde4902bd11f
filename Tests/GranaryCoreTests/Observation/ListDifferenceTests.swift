import Testing

@testable import GranaryCore
import TestSupport

struct ListDifferenceTests {
    /// Does to a list what a difference says.
    private func apply(_ difference: ListDifference, to old: [Int], _ new: [Int]) -> [Int?] {
        var result = [Int?](repeating: nil, count: new.count)
        for place in difference.insertions { result[place] = new[place] }
        for move in difference.moves { result[move.to] = old[move.from] }
        let gone = Set(difference.deletions + difference.moves.map(\.from))
        var staying = old.indices.filter { !gone.contains($0) }.map { old[$0] }.makeIterator()
        for place in result.indices where result[place] == nil { result[place] = staying.next() }
        return staying.next() == nil ? result : []
    }

    /// The length of a longest increasing part, by trying all.
    private func longest(_ numbers: [Int]) -> Int {
        var best = [Int](repeating: 1, count: numbers.count)
        for index in numbers.indices {
            for earlier in 0..<index where numbers[earlier] < numbers[index] {
                best[index] = max(best[index], best[earlier] + 1)
            }
        }
        return best.max() ?? 0
    }

    @Test func `a difference leads from every small list to every other with as few moves as can be`() {
        let lists = subsets([1, 2, 3, 4]).flatMap(permutations)
        #expect(lists.count == 65)
        for old in lists {
            for new in lists {
                let difference = ListDifference(from: old, to: new) { _, _ in false }
                #expect(apply(difference, to: old, new) == new.map { $0 })
                #expect(difference.deletions.map { old[$0] } == old.filter { !new.contains($0) })
                #expect(difference.insertions.map { new[$0] } == new.filter { !old.contains($0) })
                let kept = new.compactMap { old.firstIndex(of: $0) }
                #expect(difference.moves.count == kept.count - longest(kept))
            }
        }
    }

    @Test func `long lists are compared in little time, whatever has moved`() {
        var random = SeededNumbers(seed: TestSeed.of(7))
        let old = Array(0..<100_000)
        for new in [old.reversed(), old.shuffled(using: &random), Array(old.dropFirst(50_000)) + old.prefix(50_000)] {
            let start = ContinuousClock.now
            let difference = ListDifference(from: old, to: new) { _, _ in false }
            #expect(difference.deletions.isEmpty && difference.insertions.isEmpty)
            #expect(ContinuousClock.now - start < .seconds(20))
        }
        let rotated = ListDifference(from: old, to: Array(old.dropFirst()) + [0]) { _, _ in false }
        #expect(rotated.moves == [.init(from: 0, to: 99_999)])
    }

    @Test func `what has changed is an update, and a move too if it has moved`() {
        let difference = ListDifference(from: [1, 2, 3, 4, 5], to: [1, 4, 2, 6, 5]) { old, _ in old != 1 }
        #expect(difference.deletions == [2])
        #expect(difference.insertions == [3])
        #expect(difference.moves == [.init(from: 3, to: 1)])
        #expect(
            difference.updates == [
                .init(from: 0, to: 0), .init(from: 3, to: 1), .init(from: 4, to: 4),
            ])
    }

    @Test func `what must have moved is a move even where its neighbours are the same`() {
        let difference = ListDifference(from: [1, 2, 3], to: [1, 2, 3], movesAnyway: { old, _ in old == 1 }) { _, _ in
            false
        }
        #expect(difference.moves == [.init(from: 1, to: 1)])
        #expect(difference.deletions.isEmpty && difference.insertions.isEmpty)
    }

    private func subsets(_ list: [Int]) -> [[Int]] {
        list.reduce([[]]) { known, element in known + known.map { $0 + [element] } }
    }

    private func permutations(_ list: [Int]) -> [[Int]] {
        if list.isEmpty { return [[]] }
        return list.flatMap { first in permutations(list.filter { $0 != first }).map { [first] + $0 } }
    }
}
