import ArgumentParser
import Foundation

/// How far finds by key gain from more threads.
struct ThreadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads",
        abstract: "Times finds by key on one thread and on several, one find a read and 100.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many rows.")
    var rows = 100_000
    @Option(parsing: .upToNextOption, help: "How many threads find at once. One thread is measured in any case.")
    var threads: [Int] = [1, 2, 4]
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 9
    @Option(help: "Only this subject; can be given several times.")
    var subject: [SubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard threads.allSatisfy({ 1...100 ~= $0 }) else { throw ValidationError("--threads must be 1 to 100.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
        try SubjectName.checkShared(subject)
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            try output.begin(
                Self.self, folder: folder,
                head: Self.line("subject", "finds", "threads", "finds/s", "to one thread", "by processor", "to raw"))
            let stores = try SubjectName.openShared(subject, rows: rows, folder: folder)
            let bench = ThreadsBench(rows: rows)
            let counts = Set(threads + [1]).sorted()
            for way in ThreadsBench.Way.allCases {
                var times: [Place: [ThreadTimes]] = [:]
                for round in 0...rounds {
                    for (name, store) in stores {
                        for count in counts {
                            let time = try bench.find(in: store, way, threads: count)
                            if round > 0 { times[Place(name: name, threads: count), default: []].append(time) }
                        }
                    }
                }
                let medians = times.mapValues { ThreadsBench.Medians($0) }
                for (name, _) in stores {
                    for count in counts { try report(way, Place(name: name, threads: count), medians) }
                }
            }
            for (_, store) in stores { try store.close() }
        }
    }

    private struct Place: Hashable {
        var name: SubjectName
        var threads: Int
    }

    private func report(_ way: ThreadsBench.Way, _ place: Place, _ medians: [Place: ThreadsBench.Medians]) throws {
        guard let own = medians[place], let one = medians[Place(name: place.name, threads: 1)] else { return }
        let rate = Double(rows) / (own.wall / .seconds(1))
        let gain = one.wall / own.wall
        // What so many processors would give if nothing else used them.
        let processors = min(place.threads, ProcessInfo.processInfo.activeProcessorCount)
        let gainByProcessor = Double(processors) * (one.processor / own.processor)
        let raw = medians[Place(name: .rawSQLite, threads: place.threads)].map { $0.wall / own.wall }
        let name = place.name.rawValue
        try output.show(
            Self.line(
                name, way.rawValue, "\(place.threads)", String(format: "%.0f", rate), String(format: "%.2f", gain),
                String(format: "%.2f", gainByProcessor), raw.map { String(format: "%.2f", $0) } ?? ""),
            [
                FigureLine(way.rawValue, name, measure: "finds a second", value: rate, unit: "1/s")
                    .compared(raw, to: "raw-sqlite"),
                FigureLine(way.rawValue, name, measure: "times as fast as one thread", value: gain, unit: "times"),
                FigureLine(
                    way.rawValue, name, measure: "times as fast as one thread, by processor time",
                    value: gainByProcessor, unit: "times"),
            ].map { $0.at(Double(place.threads), "threads") })
    }

    private static func line(_ fields: String...) -> String {
        zip(fields, [-16, -18, 8, 12, 15, 14, 8]).map { field, width in
            let padding = String(repeating: " ", count: max(0, abs(width) - field.count))
            return width < 0 ? field + padding : padding + field
        }.joined()
    }
}
