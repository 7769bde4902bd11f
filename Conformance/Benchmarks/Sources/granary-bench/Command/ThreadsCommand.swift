import ArgumentParser
import Foundation

/// How far finds by key, 100 a read, gain from a second thread: the same finds by one thread and by two.
struct ThreadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads", abstract: "Times finds by key, 100 a read, on one thread and on two.")

    @Option(help: "How many rows.")
    var rows = 100_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 9
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            print("subject           one thread  two threads  times as fast")
            try report(.granarySQLite, GranarySubject<SQLiteChoice>.self, folder)
            try report(.granaryLMDB, GranarySubject<LMDBChoice>.self, folder)
            try report(.granaryMemory, GranarySubject<MemoryChoice>.self, folder)
        }
    }

    private func report<Choice>(
        _ name: SubjectName, _ type: GranarySubject<Choice>.Type, _ parent: String
    ) throws {
        let folder = parent + "/" + name.rawValue
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let subject = try type.init(folder: folder)
        let generator = TrackGenerator()
        try subject.insert((1...Int64(rows)).map { generator.track($0) })
        let keys = generator.shuffledKeys(rows)
        let halves = [Array(keys.prefix(keys.count / 2)), Array(keys.dropFirst(keys.count / 2))]
        var (one, two): ([Duration], [Duration]) = ([], [])
        for round in 0...rounds {
            let times = (
                try time(subject, halves.map { [$0] }), try time(subject, [halves])
            )
            guard round > 0 else { continue }
            one.append(times.0)
            two.append(times.1)
        }
        try subject.close()
        let medians = (Comparison.median(one), Comparison.median(two))
        print(
            name.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0),
            String(
                format: "%11.1f  %11.1f  %13.2f", medians.0 / .milliseconds(1), medians.1 / .milliseconds(1),
                medians.0 / medians.1))
    }

    /// - Parameter steps: One after the other; the lists of a step each on a thread of its own.
    private func time<Choice>(_ subject: GranarySubject<Choice>, _ steps: [[[Int64]]]) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        for lists in steps {
            let found = try subject.findHundreds(lists)
            guard found == lists.map(\.count) else { throw BenchmarkError("\(found) tracks were found.") }
        }
        return start.duration(to: clock.now)
    }
}

extension GranarySubject {
    /// Finds the tracks of each list, 100 a read, each list on a thread of its own.
    ///
    /// - Returns: How many of each list were found.
    func findHundreds(_ lists: [[Int64]]) throws -> [Int] {
        let found = FoundCounts(lists.count)
        let stack = stack
        DispatchQueue.concurrentPerform(iterations: lists.count) { place in
            let list = lists[place]
            var count = 0
            for start in stride(from: 0, to: list.count, by: 100) {
                let some = list[start..<min(start + 100, list.count)]
                count += (try? stack.read { try $0.find(Track.self, some).count }) ?? 0
            }
            found.set(place, count)
        }
        return found.all
    }
}

// @unchecked: `counts` is only touched while `lock` is held.
private final class FoundCounts: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [Int]

    init(_ count: Int) { counts = Array(repeating: 0, count: count) }

    func set(_ place: Int, _ count: Int) { lock.withLock { counts[place] = count } }
    var all: [Int] { lock.withLock { counts } }
}
