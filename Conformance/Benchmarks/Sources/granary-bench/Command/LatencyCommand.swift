import ArgumentParser
import Foundation

/// How long finds by key take at a fixed rate, alone and beside a writer.
struct LatencyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Times finds by key that come at a fixed rate, alone and beside a writer.",
        discussion: """
            A find does not wait for the one before it, and its latency is counted from the time at which it should \
            have started: a stall counts for all finds that came in it. Target: the 99th percentile beside a writer is \
            at most twice that without one.
            """)

    @OptionGroup var output: FigureOutput
    @Option(help: "How many rows the stores have.")
    var rows = 100_000
    @Option(help: "How many finds come in a second.")
    var rate = 2_000
    @Option(help: "How long finds come in a round, in seconds.")
    var seconds = 5.0
    @Option(help: "How many threads find. With fewer, a stall holds up more of the finds after it.")
    var threads = 16
    @Option(help: "How many counted rounds, of which all finds count together; a short one runs before them.")
    var rounds = 3
    @Option(help: "Only this subject; can be given several times.")
    var subject: [SubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard 1...1_000_000 ~= rate else { throw ValidationError("--rate must be 1 to 1000000.") }
        guard seconds > 0, seconds <= 600 else { throw ValidationError("--seconds must be more than 0, at most 600.") }
        guard 1...100 ~= threads else { throw ValidationError("--threads must be 1 to 100.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
        try SubjectName.checkShared(subject)
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            try output.begin(Self.self, folder: folder, head: LatencyFigures.head)
            let benches = try makeBenches(folder)
            for bench in benches {
                // Not counted: fills caches and starts threads.
                for isBesideWriter in [false, true] {
                    _ = try bench.run(loop(seconds: seconds / 5), isBesideWriter: isBesideWriter)
                }
                var (alone, beside): ([LatencyOutcome], [LatencyOutcome]) = ([], [])
                for _ in 0..<rounds {
                    if let one = try bench.run(loop(seconds: seconds), isBesideWriter: false) { alone.append(one) }
                    if let one = try bench.run(loop(seconds: seconds), isBesideWriter: true) { beside.append(one) }
                }
                try bench.finish()
                let figures = LatencyFigures(bench.name, "alone", alone)
                try output.show(figures.row(nil), figures.lines)
                guard !beside.isEmpty else { continue }
                let others = LatencyFigures(bench.name, "beside a writer", beside)
                try output.show(others.row(figures), others.lines + [others.comparison(with: figures)])
            }
            if !output.json {
                print("Target: p99 beside a writer is at most \(LatencyFigures.limit.inWords) times that alone.")
            }
        }
    }

    private func loop(seconds: Double) -> OpenLoop {
        OpenLoop(rate: rate, count: max(1, Int(Double(rate) * seconds)))
    }

    /// Stores are opened and filled one after the other, and all before the first is measured.
    private func makeBenches(_ folder: String) throws -> [any LatencyBench] {
        var benches: [any LatencyBench] = []
        if subject.isEmpty { benches = [EmptyLatencyBench(threads: threads), EmptyLatencyBench(threads: nil)] }
        for (name, store) in try SubjectName.openShared(subject, rows: rows, folder: folder) {
            benches.append(ThreadLatencyBench(name, store, rows: rows, threads: threads))
        }
        let granary: [(SubjectName, any StoreChoice.Type)] = [
            (.granarySQLite, SQLiteChoice.self), (.granaryLMDB, LMDBChoice.self), (.granaryMemory, MemoryChoice.self),
        ]
        for (name, choice) in granary where subject.isEmpty || subject.contains(name) {
            let place = URL(fileURLWithPath: "\(folder)/\(name.rawValue)-tasks")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let stack = try choice.open(TrackForm.original, folder: place)
            try TrackGenerator().batches(rows) { tracks in try stack.blocking.write { _ = try $0.insert(tracks) } }
            benches.append(TaskLatencyBench(name, stack, rows: rows))
        }
        return benches
    }
}
