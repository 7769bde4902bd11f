import Foundation
import GranaryConformance
import GranaryPlatform
import GranaryTool
import Testing

/// Migrations that rewrite records, among several processes, and in processes that are killed.
struct MigratingTests {
    /// How often a process is killed, for each kind of store.
    private static let kills = ProcessInfo.processInfo.environment["GRANARY_KILLS"].flatMap { Int($0) } ?? 40

    @Test(arguments: WorkerProgram.kinds)
    func `a process killed while it migrates leaves the old store or the new, whole`(_ kind: StoreKind) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Killed.granary"
            try MigrationWorker.make(kind.subject, at: path)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<MigratingTests.kills {
                let (process, pipe) = try WorkerProgram.start(kind, path, ["migrate", "100000"])
                // It has begun; somewhere in the next migrations it ends.
                _ = try pipe.fileHandleForReading.read(upToCount: 1)
                usleep(UInt32.random(in: 0..<120_000, using: &random))
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal, "it went on until it was killed")
                try MigrationWorker.check(kind.subject, at: path)
                let names = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(names.count { $0.hasPrefix("gen-") } == 1, "what was left over is gone")
            }
        }
    }

    @Test(arguments: WorkerProgram.kinds)
    func `of processes that migrate at one instant none loses the store`(_ kind: StoreKind) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            try MigrationWorker.make(kind.subject, at: path)
            let workers = try (0..<3).map { _ in try WorkerProgram.start(kind, path, ["migrate", "8"]) }
            for (process, pipe) in workers {
                let lines = WorkerProgram.lines(pipe)
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                #expect(lines.contains("7"))
            }
            try MigrationWorker.check(kind.subject, at: path)
        }
    }
}
