import ArgumentParser
import Foundation

/// Runs one workload of one subject again and again, for a profiler to watch:
///
/// ```sh
/// perf record -g .build/release/granary-bench profile --subject granary-sqlite --workload fetch
/// ```
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Runs one workload of one subject again and again, for a profiler to watch.")

    @Option(help: "How many rows.")
    var rows = 100_000
    @Option(help: "How often.")
    var times = 20
    @Option(help: "The workload.")
    var workload: Workload
    @Option(help: "The subject.")
    var subject: SubjectName
    @Option(help: "Where the store is made, in a folder that is deleted afterwards.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1 else { throw ValidationError("--rows must be 1 or more.") }
        guard times >= 1 else { throw ValidationError("--times must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in
            let bench = subject.makeBench(rows: rows, folder: folder)
            let keys = TrackGenerator().shuffledKeys(rows)
            if workload != .insert { try bench.fill() }
            for _ in 0..<times { print(try bench.run(workload, keys: keys).time) }
            try bench.close()
        }
    }
}

enum TemporaryFolder {
    /// A new folder, deleted with what is in it when the closure is done.
    static func with(in parent: String, _ body: (String) throws -> Void) throws {
        let folder = "\(parent)/granary-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
