import Foundation
import GranaryCore
import Synchronization

/// Finds by key at a fixed rate, in one store or in none.
protocol LatencyBench {
    var name: String { get }
    /// Makes the requests of a loop, alone or beside a writer; nil if it has no store to write to.
    func run(_ loop: OpenLoop, isBesideWriter: Bool) throws -> LatencyOutcome?
    /// Checks that all commits of the writers are in the store.
    func finish() throws
}

struct LatencyOutcome {
    var latencies: Latencies
    /// From before the first request until after the last.
    var time: Duration
    var commits: Int
}

/// The keys to find, and what each track must be. The keys above are for writers.
final class LatencyKeys: Sendable {
    let rows: Int
    private let keys: [Int64]
    /// By key.
    private let plays: [Int16]
    private let written = Atomic<Int64>(0)

    init(rows: Int) {
        self.rows = rows
        let generator = TrackGenerator()
        keys = generator.shuffledKeys(rows)
        plays = (1...Int64(rows)).map { Int16(generator.track($0).plays) }
    }

    func key(of request: Int) -> Int64 { keys[request % rows] }

    func check(_ track: Track, _ key: Int64) throws {
        guard track.id == key, track.plays == Int(plays[Int(key) - 1]) else {
            throw BenchmarkError("In place of track \(key), track \(track.id) was found.")
        }
    }

    /// A track that is not in the store yet.
    func nextTrack() -> Track {
        TrackGenerator().track(Int64(rows) + written.add(1, ordering: .relaxed).newValue)
    }

    var writtenCount: Int { Int(written.load(ordering: .relaxed)) }
}

extension LatencyBench {
    /// Runs a loop, and a writer as long as it takes.
    fileprivate func run(
        writer start: ((SteadyWriter) -> Void)?, _ loop: () throws -> Latencies
    ) throws -> LatencyOutcome {
        let writer = SteadyWriter()
        start?(writer)
        let begin = ContinuousClock.now
        let result = Result { try loop() }
        let time = ContinuousClock.now - begin
        let commits = start == nil ? 0 : try writer.stop()
        return LatencyOutcome(latencies: try result.get(), time: time, commits: commits)
    }
}

/// By threads, each of which has a finder of its own.
struct ThreadLatencyBench: LatencyBench {
    let name: String
    private let store: any SharedStore
    private let keys: LatencyKeys
    private let threads: Int

    init(_ name: SubjectName, _ store: any SharedStore, rows: Int, threads: Int) {
        self.name = name.rawValue
        (self.store, self.threads) = (store, threads)
        keys = LatencyKeys(rows: rows)
    }

    func run(_ loop: OpenLoop, isBesideWriter: Bool) throws -> LatencyOutcome? {
        let (store, keys) = (store, keys)
        let finders = try (0..<threads).map { _ in try store.makeFinder() }
        let outcome = try run(
            writer: isBesideWriter ? { $0.start { try store.commit([keys.nextTrack()]) } } : nil
        ) {
            try loop.run(threads: threads) { number, thread in
                let key = keys.key(of: number)
                let track = try finders[thread].find(key)
                return { try keys.check(track, key) }
            }
        }
        for finder in finders { try finder.close() }
        return outcome
    }

    func finish() throws {
        let count = try store.count()
        guard count == keys.rows + keys.writtenCount else {
            throw BenchmarkError("\(name) has \(count) tracks after \(keys.writtenCount) commits to \(keys.rows).")
        }
        try store.close()
    }
}

/// By a task for each find, and a task that writes.
struct TaskLatencyBench: LatencyBench {
    let name: String
    private let stack: Stack
    private let keys: LatencyKeys

    init(_ name: SubjectName, _ stack: Stack, rows: Int) {
        self.name = name.rawValue + " by tasks"
        self.stack = stack
        keys = LatencyKeys(rows: rows)
    }

    func run(_ loop: OpenLoop, isBesideWriter: Bool) throws -> LatencyOutcome? {
        let (stack, keys) = (stack, keys)
        let write: @Sendable () async throws -> Void = {
            let track = keys.nextTrack()
            try await stack.write { _ = try $0.insert(track) }
        }
        return try run(writer: isBesideWriter ? { $0.start(write) } : nil) {
            try loop.run { number in
                let key = keys.key(of: number)
                let track = try await stack.read { try $0.find(Track.self, key) }
                return {
                    guard let track else { throw BenchmarkError("There is no track \(key).") }
                    try keys.check(track, key)
                }
            }
        }
    }

    func finish() throws {
        let count = try stack.blocking.read { try $0.count(Track.all) }
        guard count == keys.rows + keys.writtenCount else {
            throw BenchmarkError("\(name) has \(count) tracks after \(keys.writtenCount) commits to \(keys.rows).")
        }
        try stack.blocking.close()
    }
}

/// Requests that do nothing: how much of a latency is the waking of a thread, or the start of a task.
struct EmptyLatencyBench: LatencyBench {
    /// Nil: by tasks.
    let threads: Int?

    var name: String { threads == nil ? "nothing by tasks" : "nothing" }

    func run(_ loop: OpenLoop, isBesideWriter: Bool) throws -> LatencyOutcome? {
        if isBesideWriter { return nil }
        return try run(writer: nil) {
            if let threads { return try loop.run(threads: threads) { _, _ in {} } }
            return try loop.run { _ in {} }
        }
    }

    func finish() {}
}
