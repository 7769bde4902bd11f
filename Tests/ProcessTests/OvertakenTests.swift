import ConformanceKit
import Foundation
import GranaryCore
import GranaryTool
import TestSupport
import Testing

/// A stack whose store another process has migrated meanwhile.
struct OvertakenTests {
    @Test(arguments: WorkerProgram.kinds)
    func `compacting and resetting an overtaken store throw, and do not migrate it back`(_ kind: StoreKind) async throws
    {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Store.granary"
        try MigrationWorker.make(kind.subject, at: path, count: 20)
        let stack = try kind.subject.open(MigrationWorker.schema(isRequired: false), at: path)
        let (process, pipe) = try WorkerProgram.start(kind, path, ["alter", "1"])
        #expect(WorkerProgram.lines(pipe) == ["done"])
        process.waitUntilExit()
        for attempt in ["compact", "reset"] {
            let error = await #expect(throws: GranaryError.self) {
                if attempt == "compact" { try await stack.compact() } else { try await stack.reset(to: .empty) }
            }
            #expect(error?.code == .schemaMismatch)
        }
        try await stack.close()
        let after = try kind.subject.open(MigrationWorker.alteredSchema, at: path, migration: .refuse)
        #expect(try await after.read { try $0.count(Request("Item")) } == 20)
        try await after.close()
    }
}
