import ArgumentParser
import Foundation

extension CatalogueSubjectName: ExpressibleByArgument {}

struct QueriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queries", abstract: "Times queries and relationships, each beside its twin in C.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many songs: a multiple of 100.")
    var rows = 100_000
    @Option(help: "How many counted rounds; one more runs before them.")
    var rounds = 5
    @Option(help: "Only this workload; can be given several times.")
    var workload: [QueryWorkload] = []
    @Option(help: "Only this subject; can be given several times. raw-sqlite runs in any case.")
    var subject: [CatalogueSubjectName] = []
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 100, rows % 100 == 0 else { throw ValidationError("--rows must be a multiple of 100.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let subjects = CatalogueSubjectName.allCases.filter { subject.isEmpty || subject.contains($0) }
            let comparison = QueryComparison(
                workloads: QueryWorkload.allCases.filter { workload.isEmpty || workload.contains($0) },
                subjects: subjects, rows: rows, rounds: rounds, counted: rows / 10, folder: folder)
            try output.begin(
                Self.self, folder: folder,
                head: QueryTable.line("workload", ["raw ms"] + subjects.flatMap { $0.columnHeads }))
            try comparison.medians { workload, medians in
                try output.show(tableLine(workload, subjects, medians), lines(workload, medians))
            }
        }
    }

    private func tableLine(
        _ workload: QueryWorkload, _ subjects: [CatalogueSubjectName], _ medians: [CatalogueSubjectName: Duration]
    ) -> String {
        guard let raw = medians[.rawSQLite] else { return "" }
        var fields = [QueryTable.milliseconds(raw)]
        for subject in subjects where subject != .rawSQLite {
            guard let median = medians[subject] else { continue }
            fields += [QueryTable.milliseconds(median), String(format: "%.2f", median / raw)]
        }
        return QueryTable.line(workload.rawValue, fields)
    }

    private func lines(_ workload: QueryWorkload, _ medians: [CatalogueSubjectName: Duration]) -> [FigureLine] {
        CatalogueSubjectName.allCases.compactMap { subject in
            medians[subject].map { median in
                FigureLine(workload.rawValue, subject.rawValue, median: median)
                    .compared(medians[.rawSQLite].map { median / $0 }, to: CatalogueSubjectName.rawSQLite.rawValue)
            }
        }
    }
}

extension CatalogueSubjectName {
    /// The time and the ratio.
    fileprivate var columnHeads: [String] {
        switch self {
        case .granarySQLite: ["sqlite ms", "to raw"]
        case .granaryLMDB: ["lmdb ms", "to raw"]
        case .granaryMemory: ["memory ms", "to raw"]
        case .rawSQLite: []
        }
    }
}

enum QueryTable {
    static func line(_ name: String, _ fields: [String]) -> String {
        func padding(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count))
        }
        return name + padding(name, 18) + fields.map { " " + padding($0, 10) + $0 }.joined()
    }

    static func milliseconds(_ time: Duration) -> String {
        let value = time / .milliseconds(1)
        return String(format: value < 1 ? "%.4f" : "%.2f", value)
    }
}
