import Foundation

/// Finds all tracks of stores by key, by different numbers of threads, each of which finds a part of them.
struct ThreadsBench {
    /// How many tracks a read finds.
    enum Way: String, CaseIterable {
        case one = "one find a read"
        case hundred = "100 finds a read"
    }

    /// What was measured for one store, one way and one number of threads. Medians.
    struct Medians {
        var wall: Duration
        var processor: Duration

        init(_ times: [ThreadTimes]) {
            wall = Comparison.median(times.map(\.wall))
            processor = Comparison.median(times.map(\.processor))
        }
    }

    private let keys: [Int64]
    private let expected: StreamSum

    init(rows: Int) {
        let generator = TrackGenerator()
        keys = generator.shuffledKeys(rows)
        var sum = StreamSum()
        for key in keys { sum.add(generator.track(key)) }
        expected = sum
    }

    /// - Throws: If the tracks are not those that were inserted.
    func find(in store: any SharedStore, _ way: Way, threads count: Int) throws -> ThreadTimes {
        let finders = try (0..<count).map { _ in try store.makeFinder() }
        let keys = keys
        let (sums, times) = try ThreadGroup.run(count) { number in
            let part = keys[(keys.count * number / count)..<(keys.count * (number + 1) / count)]
            return try ThreadsBench.find(part, finders[number], way)
        }
        for finder in finders { try finder.close() }
        let sum = sums.reduce(StreamSum(), +)
        guard sum == expected else { throw BenchmarkError("Threads found \(sum), not \(expected).") }
        return times
    }

    private static func find(_ keys: ArraySlice<Int64>, _ finder: any TrackFinder, _ way: Way) throws -> StreamSum {
        var sum = StreamSum()
        switch way {
        case .one:
            for key in keys { sum.add(try finder.find(key)) }
        case .hundred:
            for start in stride(from: keys.startIndex, to: keys.endIndex, by: 100) {
                for track in try finder.find(keys[start..<min(start + 100, keys.endIndex)]) { sum.add(track) }
            }
        }
        return sum
    }
}
