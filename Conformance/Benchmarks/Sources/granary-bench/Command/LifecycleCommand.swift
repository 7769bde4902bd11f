import ArgumentParser
import Foundation

/// How long what happens to whole stores takes: migrations, copies, backups, checks.
struct LifecycleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifecycle", abstract: "Times migrations, copies, backups and checks of whole stores.")

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
            print("what                         median ms     ratio  to            target")
            for place in all[0].indices { report(all.map { $0[place] }) }
        }
    }

    private func report(_ rounds: [LifecycleBench.Figure]) {
        let figure = rounds[0]
        let median = Comparison.median(rounds.map(\.time))
        var line = figure.name.padding(toLength: 28, withPad: " ", startingAt: 0)
        line += String(format: "%10.1f", median / .milliseconds(1))
        if let yardstick = figure.yardstick {
            let other = Comparison.median(rounds.compactMap { $0.yardstick?.time })
            line += String(format: "%10.2f", median / other) + "  "
            line += yardstick.name.padding(toLength: 14, withPad: " ", startingAt: 0)
        } else {
            line += "".padding(toLength: 26, withPad: " ", startingAt: 0)
        }
        print(line + figure.target)
    }
}
