import ArgumentParser
import Foundation
import GranaryCore
import GranaryFormats
import GranaryImport

/// What importing a record costs in stores of different sizes: it must not grow.
struct ImportGrowthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-growth", abstract: "Times imports of one size into stores that are ever larger.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many cities the store has; can be given several times.")
    var cities: [Int] = [10_000, 100_000, 1_000_000]
    @Option(help: "How many cities each import changes, all over the store.")
    var changes = 10_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(help: "Where the files and stores are made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard changes >= 1, cities.allSatisfy({ $0 >= changes }) else {
            throw ValidationError("--changes must be 1 or more, and --cities no less than that.")
        }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        let stores: [(name: String, choice: any StoreChoice.Type)] = [
            ("sqlite", SQLiteChoice.self), ("lmdb", LMDBChoice.self), ("memory", MemoryChoice.self),
        ]
        try output.begin(Self.self, folder: folder, head: "store    cities     us a record")
        for (name, choice) in stores {
            for count in cities {
                let median = try measure(choice, count)
                let start =
                    name.padding(toLength: 9, withPad: " ", startingAt: 0)
                    + "\(count)".padding(toLength: 9, withPad: " ", startingAt: 0)
                let cost = median / .microseconds(1) / Double(changes)
                try output.show(
                    start + String(format: "%13.2f", cost),
                    [
                        FigureLine(
                            "import of changes", "granary-" + name, measure: "time of one record", value: cost,
                            unit: "us"
                        ).at(Double(count), "cities")
                    ])
            }
        }
    }

    private func measure(_ choice: any StoreChoice.Type, _ count: Int) throws -> Duration {
        var times: [Duration] = []
        try TemporaryFolder.with(in: folder) { folder in
            let (all, some) = (folder + "/all.jsonl", folder + "/some.jsonl")
            try write(all, count: count, step: 1, population: 0)
            let stack = try choice.open(Schema(ImportedCity.self), folder: URL(fileURLWithPath: folder))
            var importer = Importer()
            importer.commits = .every(100_000)
            try stack.blocking.import(URL(fileURLWithPath: all), as: ImportedCity.self, with: importer)
            for round in 0...rounds {
                try write(some, count: changes, step: count / changes, population: round + 1)
                let start = ContinuousClock.now
                let report = try stack.blocking.import(URL(fileURLWithPath: some), as: ImportedCity.self)
                let time = ContinuousClock.now - start
                guard report.updated == changes else {
                    throw BenchmarkError("\(report.updated) of \(changes) cities were changed.")
                }
                if round > 0 { times.append(time) }
            }
            try stack.blocking.close()
        }
        return Comparison.median(times)
    }

    /// Writes cities as JSON lines, of which each is `step` keys after the one before.
    private func write(_ path: String, count: Int, step: Int, population: Int) throws {
        let sink = try FileSink(path)
        for number in 0..<count {
            var line =
                #"{"geonameid":\#(number * step + 1),"name":"Reykjavik","latitude":64.135,"longitude":-21.895,"#
                + #""countrycode":"IS","population":\#(population),"timezone":"Atlantic/Reykjavik","admin1code":"39"}"#
                + "\n"
            try line.withUTF8 { try sink.write(UnsafeRawBufferPointer($0)) }
        }
        try sink.finish()
    }
}
