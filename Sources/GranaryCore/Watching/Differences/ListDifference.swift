// Elements that are in both lists in the same order stay: a longest such sequence is found as the longest increasing
// sequence of old places in the new order (Fredman, "On computing the length of longest increasing subsequences", 1975:
// piles and binary search). Every other element that is in both lists has moved. A common beginning and a common end of
// both lists are cut off first. O(n log n) in the remaining length.

/// The difference between two lists with unique keys, by places, in the form for a table view.
///
/// Deletions, and the `from` of moves and updates, are places in the old list. Insertions, and the `to` of moves and
/// updates, are places in the new list. A key that disappears at one place and appears at another is one move. A record
/// that has both changed and moved is in ``moves`` and in ``updates``.
public struct ListDifference: Sendable, Hashable {
    /// The old and the new place of one record.
    public struct Pair: Sendable, Hashable {
        public var from: Int
        public var to: Int

        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Old places, ascending.
    public var deletions: [Int] = []
    /// New places, ascending.
    public var insertions: [Int] = []
    /// The smallest possible number of moves, by new place.
    public var moves: [Pair] = []
    /// Records with changed values, by new place.
    public var updates: [Pair] = []

    public init() {}

    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty }

    /// The difference between two lists of unique keys.
    ///
    /// - Parameters:
    ///   - old: The keys before.
    ///   - new: The keys after.
    ///   - movesAnyway: Whether the element at an old and a new place counts as moved even if its neighbours are the
    ///     same.
    ///   - isUpdated: Whether the element at an old and a new place has changed.
    public init<Key: Hashable>(
        from old: [Key], to new: [Key], movesAnyway: ((Int, Int) -> Bool)? = nil,
        isUpdated: (_ old: Int, _ new: Int) -> Bool
    ) {
        let start = ListDifference.common(old, new, movesAnyway)
        for place in 0..<start where isUpdated(place, place) { updates.append(Pair(from: place, to: place)) }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1],
            movesAnyway?(oldEnd - 1, newEnd - 1) != true
        {
            oldEnd -= 1
            newEnd -= 1
        }
        let kept = match(old, start..<oldEnd, new, start..<newEnd)
        for pair in kept where isUpdated(pair.from, pair.to) { updates.append(pair) }
        let candidates = movesAnyway.map { moves in kept.filter { !moves($0.from, $0.to) } } ?? kept
        let staying = ListDifference.longestIncreasing(candidates.map(\.from))
        var next = 0
        for pair in kept {
            if next < staying.count, staying[next] == pair.from { next += 1 } else { moves.append(pair) }
        }
        for place in newEnd..<new.count {
            let pair = Pair(from: place - newEnd + oldEnd, to: place)
            if isUpdated(pair.from, pair.to) { updates.append(pair) }
        }
    }

    /// The length of the common beginning of both lists.
    private static func common<Key: Hashable>(
        _ old: [Key], _ new: [Key], _ movesAnyway: ((Int, Int) -> Bool)?
    ) -> Int {
        var place = 0
        while place < old.count, place < new.count, old[place] == new[place], movesAnyway?(place, place) != true {
            place += 1
        }
        return place
    }

    /// Finds the elements of both parts, by new place. Notes the others as inserted and deleted.
    private mutating func match<Key: Hashable>(
        _ old: [Key], _ oldPart: Range<Int>, _ new: [Key], _ newPart: Range<Int>
    ) -> [Pair] {
        var places: [Key: Int] = [:]
        places.reserveCapacity(oldPart.count)
        for place in oldPart { places[old[place]] = place }
        var kept: [Pair] = []
        for place in newPart {
            if let from = places.removeValue(forKey: new[place]) {
                kept.append(Pair(from: from, to: place))
            } else {
                insertions.append(place)
            }
        }
        deletions = places.values.sorted()
        return kept
    }

    /// A longest increasing subsequence of different numbers.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        // piles[n] is the end of the sequence of n + 1 numbers with the smallest last number; before[i] is the
        // predecessor of i.
        var piles: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for index in numbers.indices {
            var (low, high) = (0, piles.count)
            // Most numbers go to the end.
            if let last = piles.last, numbers[last] < numbers[index] { low = high }
            while low < high {
                let middle = (low + high) / 2
                if numbers[piles[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = piles[low - 1] }
            if low == piles.count { piles.append(index) } else { piles[low] = index }
        }
        var result: [Int] = []
        result.reserveCapacity(piles.count)
        var index = piles.last ?? -1
        while index >= 0 {
            result.append(numbers[index])
            index = before[index]
        }
        return result.reversed()
    }
}
