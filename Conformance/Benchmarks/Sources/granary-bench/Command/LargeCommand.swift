import ArgumentParser
import Foundation

extension DiskStore: ExpressibleByArgument {}

/// What a record costs in large stores, from the first insert to a change of the schema.
struct LargeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "large",
        abstract: "Times the life of stores of 1 000 000 and of 10 000 000 records.",
        discussion: """
            Every step is divided by its records, finds, pages or openings, and compared with the same step of the \
            smallest store. Target: at most 1.5. Each store runs in a process of its own, whose memory is looked at. A \
            store of 10 000 000 records needs about 15 GB of disk for the time of its run.
            """)

    /// How many times the cost in the smallest store that in a larger one may be.
    private static let limit = 1.5

    @OptionGroup var output: FigureOutput
    @Option(parsing: .upToNextOption, help: "How many records the stores have. The smallest is the yardstick.")
    var rows: [Int] = [1_000_000]
    @Flag(help: "Also 10 000 000 records.")
    var full = false
    @Option(help: "Only this store; can be given several times.")
    var store: [DiskStore] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard !rows.isEmpty, rows.allSatisfy({ 1_000...1_000_000_000 ~= $0 }) else {
            throw ValidationError("--rows must be 1000 to 1000000000.")
        }
    }

    func run() throws {
        try output.begin(
            Self.self, folder: folder,
            head: Self.line("store", "step", "records", "s", "us", "for a", "to smallest", "own MB"))
        let sizes = Set(rows + (full ? [10_000_000] : [])).sorted()
        for kind in DiskStore.allCases where store.isEmpty || store.contains(kind) {
            var smallest: [LargeStep: LargeResult] = [:]
            for size in sizes {
                try TemporaryFolder.with(in: folder) { folder in
                    let arguments = [
                        LargeRunCommand._commandName, "--rows", "\(size)", "--store", kind.rawValue, "--folder", folder,
                    ]
                    try OwnProcess.run(arguments) { line in
                        let result = try JSONDecoder().decode(LargeResult.self, from: Data(line.utf8))
                        if size == sizes[0] { smallest[result.step] = result }
                        try report(kind, size, result, size == sizes[0] ? nil : (sizes[0], smallest[result.step]))
                    }
                }
            }
        }
        if !output.json && sizes.count > 1 {
            print("Target: at most \(Self.limit.inWords) times the cost in the smallest store.")
        }
    }

    private func report(
        _ kind: DiskStore, _ size: Int, _ result: LargeResult, _ smallest: (rows: Int, result: LargeResult?)?
    ) throws {
        let (step, cost) = (result.step, result.microsecondsOfOne)
        let ratio = smallest?.result.map { cost / $0.microsecondsOfOne }
        let subject = "granary-" + kind.rawValue
        var line = FigureLine(
            step.rawValue, subject, measure: "time of one \(step.one)", value: cost, unit: "us"
        ).at(Double(size), "records")
        if let smallest, let ratio {
            line = line.compared(ratio, to: "\(smallest.rows) records").expected(atMost: Self.limit)
        }
        let memory = FigureLine(
            step.rawValue, subject, measure: "own memory at most", value: result.memory, unit: "MB"
        ).at(Double(size), "records")
        let verdict = ratio.map { String(format: "%.2f", $0) + ($0 <= Self.limit ? " met" : " missed") }
        try output.show(
            Self.line(
                kind.rawValue, step.rawValue, "\(size)", String(format: "%.2f", result.seconds),
                String(format: "%.2f", cost), step.one, verdict ?? "", String(format: "%.1f", result.memory)),
            [line, memory])
    }

    private static func line(_ fields: String...) -> String {
        zip(fields, [-8, -19, 11, 10, 12, 9, 14, 9]).map { field, width in
            let padding = String(repeating: " ", count: max(0, abs(width) - field.count))
            return width < 0 ? field + padding : padding + field
        }.joined()
    }
}

/// What `large` runs in a process of its own: the steps of one store, a line of JSON for each.
struct LargeRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "large-run", shouldDisplay: false)

    @Option var rows: Int
    @Option var store: DiskStore
    @Option var folder: String

    func run() throws {
        try LargeBench(store, rows: rows, folder: folder) { result in
            print(try LineCoding.encode(result))
            fflush(nil)
        }.run()
    }
}
