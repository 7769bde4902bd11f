import ArgumentParser
import Foundation

/// How long what happens to whole stores takes: migrations, copies, backups, checks.
struct LifecycleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifecycle", abstract: "Times migrations, copies, backups and checks of whole stores.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many tracks the stores have.")
    var rows = 1_000_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 3
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let bench = try LifecycleBench(rows: rows, folder: folder)
            var all: [[LifecycleBench.Figure]] = []
            for round in 0...rounds {
                let figures = try bench.figures()
                if round > 0 { all.append(figures) }
            }
            try output.begin(
                Self.self, folder: folder,
                head: "what                         median ms     ratio  to            target")
            for place in all[0].indices { try report(all.map { $0[place] }) }
        }
    }

    private func report(_ rounds: [LifecycleBench.Figure]) throws {
        let figure = rounds[0]
        let median = Comparison.median(rounds.map(\.time))
        var row = figure.name.padding(toLength: 28, withPad: " ", startingAt: 0)
        row += String(format: "%10.1f", median / .milliseconds(1))
        let (what, subject) = figure.whatAndSubject
        var line = FigureLine(what, subject, median: median)
        if let yardstick = figure.yardstick {
            let ratio = median / Comparison.median(rounds.compactMap { $0.yardstick?.time })
            row += String(format: "%10.2f", ratio) + "  "
            row += yardstick.name.padding(toLength: 14, withPad: " ", startingAt: 0)
            line = line.compared(ratio, to: yardstick.name)
        } else {
            row += "".padding(toLength: 26, withPad: " ", startingAt: 0)
        }
        // "2.0" or "5 ms"; a figure without a target has no number.
        if let limit = Double(figure.target.prefix { $0 != " " }) { line = line.expected(atMost: limit) }
        try output.show(row + figure.target, [line])
    }
}

extension LifecycleBench.Figure {
    /// `verify` and `granary-lmdb` for the name `lmdb verify`.
    fileprivate var whatAndSubject: (String, String) {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, LifecycleBench.kinds.contains(where: { $0.0 == parts[0] }) else {
            return (name, "granary")
        }
        return (parts[1], "granary-" + parts[0])
    }
}
