import ConformanceKit
import Foundation
import GranaryCore
import GranaryPlatform
import GranaryTool
import StoreSubjects
import TestSupport
import Testing

/// Compacting a store among several processes, and processes that are killed.
struct CompactingTests {
    private func code(_ body: () async throws -> Void) async -> GranaryError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? GranaryError)?.code
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func generations(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("gen-") }.sorted()
    }

    @Test(arguments: WorkerProgram.kinds)
    func `a store that another process has open is busy, and is compacted once that one is gone`(
        _ kind: StoreKind
    ) async throws {
        try await withFolder { folder in
            let path = folder + "/Shared.granary"
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            try await stack.write { tx in _ = try tx.insert(Ticket(id: .timeOrdered())) }
            let (process, pipe) = try WorkerProgram.start(kind, path, ["hold", "1"])
            _ = try pipe.fileHandleForReading.read(upToCount: 1)
            #expect(await code { try await stack.compact() } == .busy)
            try await stack.write { tx in _ = try tx.insert(Ticket(id: .timeOrdered())) }
            #expect(try generations(path) == ["gen-0001"])
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try await stack.compact()
            #expect(try generations(path) == ["gen-0002"])
            #expect(try await stack.read { try $0.count(Ticket.all) } == 2)
            try await stack.close()
        }
    }

    @Test(arguments: WorkerProgram.kinds)
    func `of processes that compact at one instant none loses the store`(_ kind: StoreKind) async throws {
        try await withFolder { folder in
            let path = folder + "/Shared.granary"
            try await kind.subject.open(SuiteSchema.standard, at: path).close()
            // They are killed, so that none has the store alone before the others have begun or when they have ended.
            let workers = try (0..<3).map { _ in try WorkerProgram.start(kind, path, ["compact", "100000"]) }
            var reports = [String](repeating: "", count: workers.count)
            for (index, (_, pipe)) in workers.enumerated() {
                while reports[index].components(separatedBy: "busy").count < 60 {
                    guard let more = try pipe.fileHandleForReading.read(upToCount: 64) else { break }
                    reports[index] += String(decoding: more, as: UTF8.self)
                }
            }
            for (process, _) in workers { kill(process.processIdentifier, SIGKILL) }
            for (index, (process, pipe)) in workers.enumerated() {
                reports[index] += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal, "it went on until it was killed")
            }
            let promised = reports.flatMap { $0.split(separator: "\n") }.compactMap { Int($0) }.max() ?? 0
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            #expect(try await stack.read { try $0.count(Ticket.all) } >= promised)
            #expect(try stack.blocking.verify() == [])
            try await stack.close()
        }
    }

    @Test(arguments: WorkerProgram.kinds)
    func `a process killed while it compacts leaves the old store or the new, whole`(_ kind: StoreKind) async throws {
        try await withFolder { folder in
            let path = folder + "/Killed.granary"
            var promised = 0
            var random = SystemRandomNumberGenerator()
            for round in 0..<24 {
                let (process, pipe) = try WorkerProgram.start(kind, path, ["compact", "100000"])
                var report = Data()
                while report.count < 12 + round * 5 {
                    guard let more = try pipe.fileHandleForReading.read(upToCount: 1) else { break }
                    report.append(more)
                }
                // Somewhere in the next compaction.
                usleep(UInt32.random(in: 0..<3000, using: &random))
                kill(process.processIdentifier, SIGKILL)
                report.append(pipe.fileHandleForReading.readDataToEndOfFile())
                process.waitUntilExit()
                let lines = String(decoding: report, as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false)
                promised = max(promised, lines.dropLast().compactMap { Int($0) }.max() ?? 0)

                let stack = try kind.subject.open(SuiteSchema.standard, at: path)
                let (number, tickets) = try await stack.read {
                    (Int(try $0.find(Shelf.self, 1)?.name ?? "0") ?? 0, try $0.count(Ticket.all))
                }
                #expect(number >= promised && tickets == number)
                #expect(try stack.blocking.verify() == [])
                #expect(try generations(path).count == 1, "what was left over is gone")
                try await stack.close()
            }
            #expect(promised > 24)
        }
    }

    @Test(arguments: WorkerProgram.kinds)
    func `a reader that was killed does not keep the file growing`(_ kind: StoreKind) async throws {
        try await withFolder { folder in
            let path = folder + "/Dead.granary"
            // Open before the reader comes, and never again after it is dead.
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            try await stack.write { tx in
                for number in 0..<200 {
                    try tx.insert(Shelf(id: Int64(number), name: String(repeating: "x", count: 400)))
                }
            }
            let (process, pipe) = try WorkerProgram.start(kind, path, ["hold", "1"])
            _ = try pipe.fileHandleForReading.read(upToCount: 1)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            for round in 0..<600 {
                try await stack.write { tx in
                    _ = try Shelf.all.updateAll(in: tx) {
                        $0.set(\.name, to: String(repeating: "y", count: 400 + round % 7))
                    }
                }
            }
            let location = try #require(stack.location)
            let size = try FileManager.default.attributesOfItem(atPath: location)[.size] as? Int ?? 0
            #expect(size < 20_000_000, "\(size) bytes for 100 000 of data")
            try await stack.close()
        }
    }
}
