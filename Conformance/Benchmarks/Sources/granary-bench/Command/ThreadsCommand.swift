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
            print("subject           one thread  two threads  times as fast  by processor time")
            try report(.granarySQLite, GranarySubject<SQLiteChoice>.self, folder)
            try report(.granaryLMDB, GranarySubject<LMDBChoice>.self, folder)
            try report(.granaryMemory, GranarySubject<MemoryChoice>.self, folder)
            // Last, so that Granary is the first to use the library and sets it up as it does in programs.
            try report(.rawSQLite, RawSQLiteSubject.self, folder)
        }
    }

    private func report<Tested: Subject & FindingOnThreads>(
        _ name: SubjectName, _ type: Tested.Type, _ parent: String
    ) throws where Tested.Item == Track {
        let folder = parent + "/" + name.rawValue
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let subject = try type.init(folder: folder)
        let generator = TrackGenerator()
        try subject.insert((1...Int64(rows)).map { generator.track($0) })
        let keys = generator.shuffledKeys(rows)
        let halves = [Array(keys.prefix(keys.count / 2)), Array(keys.dropFirst(keys.count / 2))]
        var (one, two): ([Times], [Times]) = ([], [])
        for round in 0...rounds {
            let times = (
                try time(subject, halves.map { [$0] }), try time(subject, [halves])
            )
            guard round > 0 else { continue }
            one.append(times.0)
            two.append(times.1)
        }
        try subject.close()
        let wall = (Comparison.median(one.map(\.wall)), Comparison.median(two.map(\.wall)))
        let processor = (Comparison.median(one.map(\.processor)), Comparison.median(two.map(\.processor)))
        print(
            name.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0),
            String(
                format: "%11.1f  %11.1f  %13.2f  %17.2f", wall.0 / .milliseconds(1), wall.1 / .milliseconds(1),
                wall.0 / wall.1, 2 * (processor.0 / processor.1)))
    }

    /// - Parameter steps: One after the other; the lists of a step each on a thread of its own.
    private func time(_ subject: some FindingOnThreads, _ steps: [[[Int64]]]) throws -> Times {
        let clock = ContinuousClock()
        let start = (clock.now, Times.processorTime)
        for lists in steps {
            let found = try subject.findHundreds(lists)
            guard found == lists.map(\.count) else { throw BenchmarkError("\(found) tracks were found.") }
        }
        return Times(wall: start.0.duration(to: clock.now), processor: Times.processorTime - start.1)
    }

    private struct Times {
        var wall: Duration
        /// The processor time of all threads. Other processes do not make it longer; threads that write to the same cache
        /// lines do.
        var processor: Duration

        static var processorTime: Duration {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }
}

/// A subject that can be read by several threads at once.
protocol FindingOnThreads {
    /// Finds the tracks of each list, 100 a read, each list on a thread of its own.
    ///
    /// - Returns: How many of each list were found.
    func findHundreds(_ lists: [[Int64]]) throws -> [Int]
}

extension RawSQLiteSubject: FindingOnThreads {
    /// Each thread with a connection of its own.
    func findHundreds(_ lists: [[Int64]]) throws -> [Int] {
        let found = FoundCounts(lists.count)
        let path = path
        DispatchQueue.concurrentPerform(iterations: lists.count) { place in
            found.set(place, (try? RawSQLiteSubject.findHundreds(lists[place], path)) ?? 0)
        }
        return found.all
    }
}

extension GranarySubject: FindingOnThreads {
    func findHundreds(_ lists: [[Int64]]) throws -> [Int] {
        let found = FoundCounts(lists.count)
        let stack = stack
        DispatchQueue.concurrentPerform(iterations: lists.count) { place in
            let list = lists[place]
            var count = 0
            for start in stride(from: 0, to: list.count, by: 100) {
                let some = list[start..<min(start + 100, list.count)]
                count += (try? stack.blocking.read { try $0.find(Track.self, some).count }) ?? 0
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
