import ArgumentParser
import Foundation

/// How fast files are read as events and rows, without a store, next to Foundation in the same run.
struct ReadingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reading", abstract: "Times reading JSON, JSON lines and CSV, next to JSONSerialization.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many cities the files have; about 350 bytes each.")
    var cities = 100_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(help: "Where the files are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard cities >= 1 else { throw ValidationError("--cities must be 1 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let files = try CityFiles(cities: cities, folder: folder)
            // Before Foundation holds whole files in memory.
            for workload in ReadingWorkload.allCases {
                let content = try workload.read(workload.file(files))
                guard content == workload.expected(files) else {
                    throw BenchmarkError("\(workload.rawValue): \(content) was read of \(workload.expected(files)).")
                }
            }
            let peak = PeakMemory.current().resident
            try output.begin(
                Self.self, folder: folder,
                head: "workload           MB  Granary MB/s  JSONSerialization MB/s  times as fast")
            for workload in ReadingWorkload.allCases { try report(workload, files) }
            try output.show(
                String(format: "peak memory of writing and reading all files with Granary: %.1f MB", peak),
                [FigureLine("all files", "granary", measure: "resident at most", value: peak, unit: "MB")])
        }
    }

    private func report(_ workload: ReadingWorkload, _ files: CityFiles) throws {
        let path = workload.file(files)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        let clock = ContinuousClock()
        var (own, foundation): ([Duration], [Duration]) = ([], [])
        for round in 0...rounds {
            let time = try clock.measure { _ = try workload.read(path) }
            var byFoundation: CityFiles.Content?
            let otherTime = try clock.measure { byFoundation = try workload.readByFoundation(path) }
            guard round > 0 else { continue }
            own.append(time)
            guard let byFoundation else { continue }
            guard byFoundation.population == files.content.population else {
                throw BenchmarkError("\(workload.rawValue): Foundation read other cities.")
            }
            foundation.append(otherTime)
        }
        let megabytes = Double(size) / 1e6
        let median = Comparison.median(own)
        let speed = megabytes / (median / .seconds(1))
        var row = workload.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
        row += String(format: "%9.1f  %12.0f", megabytes, speed)
        var line = FigureLine(workload.rawValue, "granary", measure: "speed", value: speed, unit: "MB/s")
        var lines: [FigureLine] = []
        if !foundation.isEmpty {
            let other = Comparison.median(foundation)
            let otherSpeed = megabytes / (other / .seconds(1))
            row += String(format: "  %22.0f  %13.1f", otherSpeed, other / median)
            line = line.compared(other / median, to: "JSONSerialization").expected(atLeast: 5)
            lines = [
                FigureLine(
                    workload.rawValue, "JSONSerialization", measure: "speed", value: otherSpeed, unit: "MB/s")
            ]
        }
        try output.show(row, [line] + lines)
    }
}
