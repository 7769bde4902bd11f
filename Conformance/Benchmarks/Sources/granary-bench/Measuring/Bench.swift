import Foundation

/// Times the workloads of one subject and says what they gave, so that it can be compared with what they must give.
protocol Bench: AnyObject {
    /// Opens the store that is read, filled with the rows. Not timed.
    func fill() throws
    func run(_ workload: Workload, keys: [Int64]) throws -> (time: Duration, outcome: Outcome)
    /// Every field of every row as `stream` gives them. Not timed.
    func streamedDigest() throws -> TrackDigest
    /// Opens a store that was filled before, or fills one that keeps no files, and streams it once.
    func streamOnly(_ eachThousand: () -> Void) throws -> StreamSum
    /// Closes what was opened; files stay.
    func close() throws
}

/// What a workload gave.
enum Outcome: Equatable {
    case rows([TrackDigest])
    case sum(StreamSum)
}

final class SubjectBench<S: Subject>: Bench {
    private let rows: Int
    private let folder: String
    private let generator = TrackGenerator()
    private var store: S?

    init(rows: Int, folder: String) {
        self.rows = rows
        self.folder = folder
    }

    func fill() throws {
        guard store == nil else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let store = try S(folder: folder)
        for start in stride(from: 1, through: rows, by: 50_000) {
            try store.insert(items(start...min(start + 49_999, rows)))
        }
        self.store = store
    }

    func run(_ workload: Workload, keys: [Int64]) throws -> (time: Duration, outcome: Outcome) {
        if workload == .insert { return try runInsert() }
        guard let store else { throw BenchmarkError("The store is not filled.") }
        switch workload {
        case .insert: return try runInsert()
        case .fetch:
            let (time, items) = try timed { try store.fetch() }
            return (time, .rows([TrackDigest(items)]))
        case .find:
            let (time, items) = try timed { try store.find(keys) }
            return (time, .rows([TrackDigest(items)]))
        case .findEach:
            let (time, items) = try timed { try store.findEach(keys) }
            return (time, .rows([TrackDigest(items)]))
        case .filterSort:
            let (time, items) = try timed {
                (try store.filterSort(limit: TrackSelection.limit), try store.filterSort(limit: nil))
            }
            return (time, .rows([TrackDigest(items.0), TrackDigest(items.1)]))
        case .stream:
            let (time, sum) = try timed { try store.streamedSum() }
            return (time, .sum(sum))
        }
    }

    func streamedDigest() throws -> TrackDigest {
        var digest = TrackDigest()
        try store?.stream { digest.add($0.track) }
        return digest
    }

    func streamOnly(_ eachThousand: () -> Void) throws -> StreamSum {
        if S.keepsFiles { store = try S(folder: folder) } else { try fill() }
        guard let store else { throw BenchmarkError("The store is not filled.") }
        var sum = StreamSum()
        try store.stream {
            sum.add(plays: $0.plays, length: $0.length)
            if sum.count % 1000 == 0 { eachThousand() }
        }
        return sum
    }

    func close() throws {
        try store?.close()
        store = nil
    }

    /// Into a new store each time; opening it, reading back and deleting it are not timed.
    private func runInsert() throws -> (time: Duration, outcome: Outcome) {
        let folder = folder + "-insert"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let items = items(1...rows)
        let store = try S(folder: folder)
        let (time, _) = try timed { try store.insert(items) }
        let digest = TrackDigest(try store.fetch())
        try store.close()
        return (time, .rows([digest]))
    }

    private func items(_ numbers: ClosedRange<Int>) -> [S.Item] {
        numbers.map { S.Item(generator.track(Int64($0))) }
    }

    // Never inlined, so that a profiler can be told to look at what is timed alone: `--toggle-collect=*timed*`.
    @inline(never) private func timed<T>(_ body: () throws -> T) rethrows -> (Duration, T) {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try body()
        return (start.duration(to: clock.now), result)
    }
}
