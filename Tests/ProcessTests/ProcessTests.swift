import ConformanceKit
import Foundation
import GranaryCore
import GranarySQLite
import GranaryTool
import StoreSubjects
import TestSupport
import Testing

/// Several processes on one store, and processes that are killed.
struct ProcessTests {
    @Test(arguments: WorkerProgram.kinds) func `three processes that write at once lose nothing`(_ kind: StoreKind)
        throws
    {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            let workers = try (0..<2).map { _ in try WorkerProgram.start(kind, path, ["count", "60"]) }
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            for _ in 0..<60 {
                try stack.blocking.write { tx in
                    let number = (Int(try tx.find(Shelf.self, 1)?.name ?? "0") ?? 0) + 1
                    try tx.upsert(Shelf(id: 1, name: "\(number)"))
                }
            }
            let seen = workers.flatMap { WorkerProgram.lines($0.1).compactMap { Int($0) } }
            for (process, _) in workers {
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            #expect(seen.count == 120)
            #expect(Set(seen).count == 120)
            let (total, tickets) = try stack.blocking.read {
                (try $0.find(Shelf.self, 1)?.name, try $0.count(Ticket.all))
            }
            #expect(total == "180")
            #expect(tickets == 120)
            #expect(try stack.blocking.verify() == [])
            try stack.blocking.close()
        }
    }

    @Test(arguments: WorkerProgram.kinds) func `a store closes without waiting for a read of another process`(
        _ kind: StoreKind
    ) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            let stack = try kind.subject.open(SuiteSchema.standard, at: path)
            try stack.blocking.write { _ = try $0.insert(Ticket(id: .timeOrdered())) }
            let (process, pipe) = try WorkerProgram.start(kind, path, ["hold", "1"])
            #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data("1".utf8))
            try stack.blocking.write { _ = try $0.insert(Ticket(id: .timeOrdered())) }
            let start = ContinuousClock.now
            try stack.blocking.close()
            #expect(ContinuousClock.now - start < .seconds(5), "the busy time-out is ten seconds")
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let again = try kind.subject.open(SuiteSchema.standard, at: path)
            #expect(try again.blocking.read { try $0.count(Ticket.all) } == 2)
            try again.blocking.close()
        }
    }

    @Test func `LMDB tells which process reads an old state, until it ends`() throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            let stack = try StoreKind.lmdb.subject.open(SuiteSchema.standard, at: path)
            try stack.blocking.write { _ = try $0.insert(Ticket(id: .timeOrdered())) }
            let store = try StoreKind.lmdb.provider(at: path).open(SuiteSchema.standard, migration: .refuse)
            #expect(store.foreignReads() == [], "reads of this process are not of another")
            let (process, pipe) = try WorkerProgram.start(.lmdb, path, ["hold", "1"])
            #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data("1".utf8))
            for behind in 1...3 {
                try stack.blocking.write { _ = try $0.insert(Ticket(id: .timeOrdered())) }
                let read = try #require(store.foreignReads().first)
                #expect(read.process == process.processIdentifier && read.transactionsBehind == behind)
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(store.foreignReads() == [])
            try store.close()
            try stack.blocking.close()
        }
    }

    @Test func `the log tells once that a read of another process keeps SQLite's log, and again of the next read`()
        throws
    {
        LoggedLines.begin()
        let limit = Duration.nanoseconds(29)
        func lines() -> [LoggedLines.Line] {
            LoggedLines.all { $0.metadata["limit"] == "\(limit)" && $0.message.contains("keeps the store's log") }
        }
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Shared.granary"
            var tuning = SQLiteTuning()
            tuning.logSize = 200_000
            let stack = try Stack(
                SuiteSchema.standard, store: .sqlite(atPath: path, options: .init(tuning: tuning)), longestRead: limit)
            func commit(_ times: Int, until isDone: () -> Bool = { false }) throws {
                for _ in 0..<times where !isDone() {
                    let label = String(repeating: "a", count: 150_000)
                    try stack.blocking.write { _ = try $0.insert(Ticket(id: .timeOrdered(), label: label)) }
                }
            }
            try commit(6)
            #expect(lines().isEmpty, "no other process reads")
            for round in 1...2 {
                let (process, pipe) = try WorkerProgram.start(.sqlite, path, ["hold", "1"])
                #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
                try commit(40, until: { lines().count == round })
                let line = try #require(lines().last)
                #expect(line.metadata["age"] != nil && line.metadata["store"] != nil)
                try commit(6)
                #expect(lines().count == round)
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                try commit(6)
                #expect(lines().count == round)
            }
            try stack.blocking.close()
        }
    }

    @Test(arguments: WorkerProgram.kinds) func `a killed process has lost no commit that it was told of`(
        _ kind: StoreKind
    ) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Killed.granary"
            var promised = 0
            for round in 0..<12 {
                let (process, pipe) = try WorkerProgram.start(kind, path, ["count", "100000"])
                // Each round dies at another place: after so many bytes of its report.
                var report = Data()
                while report.count < 20 + round * 17 {
                    guard let more = try pipe.fileHandleForReading.read(upToCount: 1) else { break }
                    report.append(more)
                }
                kill(process.processIdentifier, SIGKILL)
                report.append(pipe.fileHandleForReading.readDataToEndOfFile())
                process.waitUntilExit()
                // The last line may have been cut.
                let lines = String(decoding: report, as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false)
                promised = max(promised, lines.dropLast().compactMap { Int($0) }.max() ?? 0)

                let stack = try kind.subject.open(SuiteSchema.standard, at: path)
                let (number, tickets) = try stack.blocking.read {
                    (Int(try $0.find(Shelf.self, 1)?.name ?? "0") ?? 0, try $0.count(Ticket.all))
                }
                #expect(number >= promised)
                #expect(tickets == number)
                #expect(try stack.blocking.verify() == [])
                try stack.blocking.close()
            }
            #expect(promised > 0)
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: WorkerProgram.kinds) func `what another process commits is observed`(
        _ kind: StoreKind
    ) async throws {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stack = try kind.subject.open(SuiteSchema.standard, at: folder + "/Watched.granary")
        let watch = stack.watchForChanges(every: .milliseconds(5))
        let changes = stack.changes
        let counts = Task {
            var counts: [Int] = []
            for try await count in stack.observeCount(Ticket.all) {
                counts.append(count)
                if count == 20 { break }
            }
            return counts
        }
        let numbers = Task {
            var numbers: [UInt64] = []
            for await change in changes {
                #expect(change.origin.isForeign && change.changes == nil)
                numbers.append(change.transactionNumber)
                if numbers.count == 20 { break }
            }
            return numbers
        }
        let (process, pipe) = try WorkerProgram.start(kind, folder + "/Watched.granary", ["count", "20"])
        let seen = try await counts.value
        #expect(seen.last == 20 && seen == seen.sorted())
        #expect(await numbers.value == Array(1...20))
        #expect(WorkerProgram.lines(pipe).count == 20)
        process.waitUntilExit()
        watch.cancel()
        try await stack.close()
    }

    @Test(.timeLimit(.minutes(5)), arguments: WorkerProgram.kinds)
    func `what another process has committed, and who it was, is known where a history is kept`(
        _ kind: StoreKind
    ) async throws {
        let folder = TemporaryFolder.parent + "/granary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stack = try kind.subject.open(SuiteSchema.standard, at: folder + "/Kept.granary", history: .everything)
        let watch = stack.watchForChanges(every: .milliseconds(5))
        let changes = stack.changes.by("worker")
        let inserted = Task {
            var inserted = 0
            for await change in changes {
                #expect(change.origin.isForeign && change.origin.name == "worker" && !change.isUnknown)
                #expect(try change.inserted(Shelf.self) == (inserted == 0 ? [1] : []))
                inserted += try change.inserted(Ticket.self)?.count ?? 0
                if inserted >= 5 { break }
            }
            return inserted
        }
        let (process, _) = try WorkerProgram.start(kind, folder + "/Kept.granary", ["keep", "5"])
        #expect(try await inserted.value == 5)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        watch.cancel()
        try await stack.close()
    }
}
