import ArgumentParser
import Foundation

struct GrowthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth", abstract: "Times answers of one size from indexes of tables that grow.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many songs; can be given several times.")
    var rows: [Int] = [10_000, 100_000, 1_000_000]
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(help: "Only this subject; can be given several times. raw-sqlite runs in any case.")
    var subject: [CatalogueSubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows.allSatisfy({ $0 >= 100 && $0 % 100 == 0 }) else {
            throw ValidationError("--rows must be a multiple of 100.")
        }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        let subjects = CatalogueSubjectName.allCases.filter {
            subject.isEmpty || subject.contains($0) || $0 == .rawSQLite
        }
        var times: [QueryWorkload: [CatalogueSubjectName: [Duration]]] = [:]
        for rows in rows {
            try TemporaryFolder.with(in: folder) { folder in
                let comparison = QueryComparison(
                    workloads: QueryWorkload.fixedSize, subjects: subjects, rows: rows, rounds: rounds, counted: 1000,
                    folder: folder)
                try comparison.medians { workload, medians in
                    for (name, median) in medians { times[workload, default: [:]][name, default: []].append(median) }
                }
            }
        }
        try output.begin(
            Self.self, folder: folder, head: QueryTable.line("ms", ["subject"] + rows.map { "\($0)" }))
        for workload in QueryWorkload.fixedSize {
            for subject in subjects {
                let medians = times[workload]?[subject] ?? []
                try output.show(
                    QueryTable.line(
                        workload.rawValue,
                        [String(subject.rawValue.suffix(10))] + medians.map { QueryTable.milliseconds($0) }),
                    zip(rows, medians).map { rows, median in
                        FigureLine(workload.rawValue, subject.rawValue, median: median).at(Double(rows), "songs")
                    })
            }
        }
    }
}
