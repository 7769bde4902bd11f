import ArgumentParser
import Foundation

@main struct GranaryBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "granary-bench",
        abstract: "Compares Granary with the C libraries below it and with GRDB.",
        discussion: """
            Every subject keeps the same rows with the same durability, runs in turn with the others, and has each of \
            its results checked. Times are medians in milliseconds; ratio_to_raw is a median against that of raw-sqlite. \
            Exit codes: 0 all results were right; 1 one was not, or something failed; 64 the arguments make no sense; \
            65 a file of figures is wrong.
            """,
        subcommands: [
            CompareCommand.self, QueriesCommand.self, ContextsCommand.self, GrowthCommand.self, ThreadsCommand.self,
            LatencyCommand.self, CommitsCommand.self, ReadingCommand.self, ImportCommand.self,
            ImportGrowthCommand.self, ImportMemoryCommand.self, LifecycleCommand.self, LargeCommand.self,
            SearchCommand.self, ReportCommand.self, ProfileCommand.self, ProfileQueryCommand.self,
            StreamMemoryCommand.self, LargeRunCommand.self,
        ],
        defaultSubcommand: CompareCommand.self)
}

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Times the workloads. This is what runs without a command.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many rows.")
    var rows = 100_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(help: "Only this workload; can be given several times.")
    var workload: [Workload] = []
    @Option(help: "Only this subject; can be given several times. raw-sqlite runs in any case.")
    var subject: [SubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let comparison = Comparison(
                workloads: Workload.allCases.filter { workload.isEmpty || workload.contains($0) },
                subjects: SubjectName.allCases.filter { subject.isEmpty || subject.contains($0) },
                rows: rows, rounds: rounds, folder: folder)
            try output.begin(Self.self, folder: folder, head: Figure.tableHead)
            try comparison.figures { try output.show($0.tableLine, $0.lines) }
        }
    }
}

/// What ``PeakMemory`` runs in a process of its own.
struct StreamMemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stream-memory", shouldDisplay: false)

    @Option var rows: Int
    @Option var subject: SubjectName
    @Option var folder: String

    func run() throws {
        let bench = subject.makeBench(rows: rows, folder: folder)
        var own = 0.0
        let sum = try bench.streamOnly { own = max(own, PeakMemory.current().own) }
        guard sum.count == rows else { throw BenchmarkError("\(sum.count) of \(rows) rows were streamed.") }
        var peak = PeakMemory.current()
        peak.own = max(peak.own, own)
        print(String(decoding: try JSONEncoder().encode(peak), as: UTF8.self))
        try bench.close()
    }
}
