import ArgumentParser
import Foundation

/// As ``ProfileCommand``, for queries; first the plan.
struct ProfileQueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile-query",
        abstract: "Shows the plan of a query workload, and runs it again and again, for a profiler to watch.")

    @Option(help: "How many songs.")
    var rows = 100_000
    @Option(help: "How often.")
    var times = 20
    @Option(help: "The workload.")
    var workload: QueryWorkload
    @Option(help: "The subject.")
    var subject: CatalogueSubjectName
    @Option(help: "Where the store is made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 100, rows % 100 == 0 else { throw ValidationError("--rows must be a multiple of 100.") }
        guard times >= 0 else { throw ValidationError("--times must be 0 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let bench = CatalogueBench(subject, rows: rows, folder: folder)
            print(try bench.plan(workload, count: rows / 10))
            for _ in 0..<times { print(try bench.run(workload, count: rows / 10).time) }
            try bench.close()
        }
    }
}
