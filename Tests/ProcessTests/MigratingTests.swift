import ConformanceKit
import GranaryTool
import Testing

/// Migrations that rewrite records, of several processes at once. Those of processes that are killed: ``FaultSweepTests``.
struct MigratingTests {
    private static let count = 300

    @Test(arguments: WorkerProgram.kinds)
    func `of processes that migrate at one instant none loses the store, and none is kept waiting`(
        _ kind: StoreKind
    ) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            try MigrationWorker.make(kind.subject, at: path, count: Self.count)
            let workers = try (0..<3).map { _ in try WorkerProgram.start(kind, path, ["migrate", "8"]) }
            for (process, pipe) in workers {
                let lines = WorkerProgram.lines(pipe)
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                #expect(lines.contains("7"))
                #expect(!lines.contains("busy"))
            }
            try MigrationWorker.check(kind.subject, at: path, count: Self.count)
        }
    }
}
