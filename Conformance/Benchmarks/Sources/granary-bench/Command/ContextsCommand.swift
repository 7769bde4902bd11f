import ArgumentParser
import Foundation

struct ContextsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contexts",
        abstract: "Times contexts beside snapshots and transactions of the same store, and what observers cost.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many songs: a multiple of 1000.")
    var rows = 100_000
    @Option(help: "How many reviews are inserted and saved.")
    var reviews = 10_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 7
    @Option(help: "Only this workload; can be given several times.")
    var workload: [ContextWorkload] = []
    @Option(help: "Only this subject; can be given several times.")
    var subject: [ContextSubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1000, rows % 1000 == 0 else { throw ValidationError("--rows must be a multiple of 1000.") }
        guard reviews >= 1, reviews <= rows else { throw ValidationError("--reviews must be 1 to --rows.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let subjects = ContextSubjectName.allCases.filter { subject.isEmpty || subject.contains($0) }
            let comparison = ContextComparison(
                workloads: ContextWorkload.allCases.filter { workload.isEmpty || workload.contains($0) },
                subjects: subjects, rows: rows, reviewCount: reviews, rounds: rounds, folder: folder)
            try output.begin(
                Self.self, folder: folder,
                head: QueryTable.line("workload", ["target"] + subjects.flatMap { $0.columnHeads }))
            try comparison.medians { workload, medians in
                try output.show(tableLine(workload, subjects, medians), lines(workload, medians))
            }
        }
    }

    private func tableLine(
        _ workload: ContextWorkload, _ subjects: [ContextSubjectName],
        _ medians: [ContextSubjectName: ContextBench.Times]
    ) -> String {
        let fields = subjects.compactMap { medians[$0] }.flatMap { times in
            [
                QueryTable.milliseconds(times.yardstick), QueryTable.milliseconds(times.measured),
                String(format: "%.2f", times.measured / times.yardstick),
            ]
        }
        return QueryTable.line(workload.rawValue, ["\(workload.target)"] + fields)
    }

    private func lines(
        _ workload: ContextWorkload, _ medians: [ContextSubjectName: ContextBench.Times]
    ) -> [FigureLine] {
        ContextSubjectName.allCases.compactMap { subject in
            guard let times = medians[subject] else { return nil }
            let line = FigureLine(workload.rawValue, subject.rawValue, median: times.measured)
            let ratio = times.measured / times.yardstick
            switch workload.target {
            case .ratio(let limit): return line.compared(ratio, to: "the yardstick").expected(atMost: limit)
            case .time(let limit):
                // The limit is one of time, not of the ratio.
                return line.expected(atMost: limit / .milliseconds(1)).compared(ratio, to: "the yardstick")
            }
        }
    }
}

extension ContextWorkload.Target: CustomStringConvertible {
    var description: String {
        switch self {
        case .ratio(let ratio): String(format: "%.2f", ratio)
        case .time(let time): String(format: "%.0f ms", time / .milliseconds(1))
        }
    }
}

extension ContextSubjectName {
    /// The yardstick's time, the context's and the ratio.
    fileprivate var columnHeads: [String] {
        switch self {
        case .granarySQLite: ["sqlite", "context ms", "ratio"]
        case .granaryLMDB: ["lmdb", "context ms", "ratio"]
        case .granaryMemory: ["memory", "context ms", "ratio"]
        }
    }
}
