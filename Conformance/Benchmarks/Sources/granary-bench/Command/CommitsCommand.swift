import ArgumentParser
import CSlowSync
import Foundation

/// How many records a second tasks commit that each write one record, wait until it is on the disk, and write the next.
struct CommitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits",
        abstract: "Times tasks that each commit one record after the other.",
        discussion: """
            The yardsticks are the C libraries with one record a transaction on one thread (raw), and with the records \
            of all tasks in one transaction (grouped by hand).
            """)

    @OptionGroup var output: FigureOutput
    @Option(help: "How many tasks write at once; can be given several times.")
    var tasks: [Int] = [1, 8, 64, 512]
    @Option(help: "How long each subject writes in a round, in seconds.")
    var seconds = 0.5
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(
        help: "How long a sync takes, in microseconds: it then sleeps and leaves the disk alone. 0: as the disk does.")
    var sync = 0
    @Option(help: "Only this subject; can be given several times.")
    var subject: [CommitSubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard tasks.allSatisfy({ 1...100_000 ~= $0 }) else { throw ValidationError("--tasks must be 1 to 100000.") }
        guard seconds > 0, seconds <= 60 else { throw ValidationError("--seconds must be more than 0, at most 60.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
        guard 0...1_000_000 ~= sync else { throw ValidationError("--sync must be 0 to 1000000.") }
    }

    func run() throws {
        slow_sync_set_microseconds(sync)
        try TemporaryFolder.with(in: folder) { folder in
            let names = CommitSubjectName.allCases.filter { subject.isEmpty || subject.contains($0) }
            let subjects = try names.map { name in
                let place = "\(folder)/\(name.rawValue)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                return (name: name, subject: try name.make(folder: place))
            }
            try output.begin(
                Self.self, folder: folder, head: Self.line("subject", "tasks", "records/s", "to raw"))
            // The rates of the C libraries with one record a transaction.
            var raw: [CommitSubjectName: Double] = [:]
            for count in tasks {
                var rates: [CommitSubjectName: [Double]] = [:]
                for round in 0...rounds {
                    for (name, subject) in subjects where count == 1 || !name.isAlone {
                        let begin = ContinuousClock.now
                        let written = try subject.commits(tasks: count, until: begin + .seconds(seconds))
                        let rate = Double(written) / ((ContinuousClock.now - begin) / .seconds(1))
                        if round > 0 { rates[name, default: []].append(rate) }
                    }
                }
                let medians = rates.mapValues { $0.sorted()[$0.count / 2] }
                for (name, rate) in medians where name.isAlone { raw[name] = rate }
                for name in names {
                    guard let rate = medians[name] else { continue }
                    try report(name, count, rate, to: name.yardstick.flatMap { raw[$0] })
                }
            }
            for (_, subject) in subjects { try subject.close() }
        }
    }

    private func report(_ name: CommitSubjectName, _ tasks: Int, _ rate: Double, to raw: Double?) throws {
        let ratio = raw.map { rate / $0 }
        try output.show(
            Self.line(
                name.rawValue, "\(tasks)", "\(Int(rate))", ratio.map { String(format: "%.2f", $0) } ?? ""),
            [
                FigureLine("commits", name.rawValue, measure: "records a second", value: rate, unit: "1/s")
                    .at(Double(tasks), "tasks").compared(ratio, to: name.yardstick?.rawValue ?? "")
            ])
    }

    private static func line(_ name: String, _ fields: String...) -> String {
        name.padding(toLength: 24, withPad: " ", startingAt: 0)
            + fields.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }.joined()
    }
}
