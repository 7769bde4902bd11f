import CMachine
import Foundation
import GranaryCore

/// The life of one large store: one for a process, so that the memory is this store's.
final class LargeBench {
    let kind: DiskStore
    let rows: Int
    let folder: String
    let generator = TrackGenerator()
    let keys: KeyPermutation
    /// What a scan of all records must give, and of all but each tenth.
    private(set) var all = StreamSum()
    private(set) var remaining = StreamSum()
    /// What the index scan must give.
    private(set) var inRange = StreamSum()
    private let report: (LargeResult) throws -> Void

    init(_ kind: DiskStore, rows: Int, folder: String, report: @escaping (LargeResult) throws -> Void) {
        (self.kind, self.rows, self.folder, self.report) = (kind, rows, folder, report)
        keys = KeyPermutation(rows)
    }

    var path: String { folder + "/store" }

    func run() throws {
        try fill()
        try fillAtRandom()
        try openAgain()
        try read()
        try copy()
        try change()
    }

    static let firstArtist = "M"
    static let endArtist = "N"

    static func isDeleted(_ key: Int64) -> Bool { key % 10 == 7 }

    /// Does a step, and reports its time and memory.
    func measure(_ step: LargeStep, count: Int, _ body: () throws -> Void) throws {
        // What was written before is not synced within the time, and what was freed is not counted as memory.
        sync()
        try timing(step, count: count) { add in
            let start = ContinuousClock.now
            try body()
            add(ContinuousClock.now - start)
        }
    }

    /// The same for a body that says itself what is counted of the time.
    func timing(_ step: LargeStep, count: Int, _ body: ((Duration) -> Void) throws -> Void) throws {
        machine_trim_memory()
        let sampler = MemorySampler()
        var time = Duration.zero
        let result = Result { try body { time += $0 } }
        let memory = sampler.stop()
        try result.get()
        try report(LargeResult(step: step, seconds: time / .seconds(1), count: count, memory: memory))
    }

    private func fill() throws {
        let stack = try kind.open(TrackForm.original, path, .automatic)
        try timing(.insert, count: rows) { add in
            try generator.batches(rows) { tracks in
                for track in tracks { note(track) }
                try insert(tracks, stack, add)
            }
        }
        try expectScan(stack, all)
        try stack.blocking.close()
    }

    /// Into a store of its own, which is deleted then.
    private func fillAtRandom() throws {
        let place = folder + "/random"
        let stack = try kind.open(TrackForm.original, place, .automatic)
        try timing(.insertRandom, count: rows) { add in
            for start in stride(from: 0, to: rows, by: 50_000) {
                try insert((start..<min(start + 50_000, rows)).map { generator.track(keys[$0]) }, stack, add)
            }
        }
        try expectScan(stack, all)
        try stack.blocking.close()
        try FileManager.default.removeItem(atPath: place)
    }

    private func insert(_ tracks: [Track], _ stack: Stack, _ add: (Duration) -> Void) throws {
        let start = ContinuousClock.now
        try stack.blocking.write { _ = try $0.insert(tracks) }
        add(ContinuousClock.now - start)
    }

    private func note(_ track: Track) {
        all.add(track)
        if !Self.isDeleted(track.id) { remaining.add(track) }
        if track.artist >= Self.firstArtist && track.artist < Self.endArtist { inRange.add(track) }
    }

    func expectScan(_ stack: Stack, _ expected: StreamSum) throws {
        var sum = StreamSum()
        try stack.blocking.read { snapshot in try Track.all.forEach(in: snapshot) { sum.add($0) } }
        try expect(sum, expected)
    }

    func expect(_ sum: StreamSum, _ expected: StreamSum) throws {
        guard sum == expected else { throw BenchmarkError("The store has \(sum), not \(expected).") }
    }
}
