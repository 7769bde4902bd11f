import Foundation
import Testing

/// The command as people run it: as a process of its own.
@Suite struct CommandTests {
    /// The load test starts the service on each store, ends it with SIGTERM, and fails if it misses an acknowledged write.
    @Test func `the load test finds every write that was acknowledged`() async throws {
        let (status, output) = try await Self.run(["load", "--seconds", "1", "--connections", "4", "--places", "100"])
        #expect(status == 0)
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.compactMap(\.first).suffix(3) == ["memory", "sqlite", "lmdb"], "\(output)")
        for line in lines.suffix(3) { #expect(line.last == "0", "an answer was an error: \(line)") }
    }

    @Test func `a store of an unknown kind ends the command with its usage`() async throws {
        let (status, output) = try await Self.run(["serve", "--store", "postgres:places"])
        #expect(status == 64)
        #expect(output.contains("--store <store>"))
    }

    /// Runs the command that was built with the tests.
    private static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let tests = try #require(Bundle.main.executableURL)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "places")
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (pipe, pipe)
        let (ends, ending) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ending.finish() }
        try process.run()
        for await _ in ends {}
        // The output is far smaller than what a pipe holds, so the process never waits for it to be read.
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
