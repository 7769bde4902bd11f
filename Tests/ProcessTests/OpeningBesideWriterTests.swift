import ConformanceKit
import Foundation
import GranaryCore
import GranaryLMDB
import GranaryTool
import StoreSubjects
import TestSupport
import Testing

/// Opening and reading a store while another process holds a write transaction.
struct OpeningBesideWriterTests {
    @Test(.timeLimit(.minutes(1)), arguments: WorkerProgram.kinds)
    func `a store that needs no migration opens while another process writes`(_ kind: StoreKind) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Occupied.granary"
            try withWriter(kind, path, after: 2) {
                let stack = try kind.subject.open(SuiteSchema.standard, at: path)
                #expect(try stack.blocking.read { try $0.count(Ticket.all) } == 2)
                try stack.blocking.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: WorkerProgram.kinds)
    func `a store opens with its stored schema while another process writes`(_ kind: StoreKind) throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Occupied.granary"
            try withWriter(kind, path, after: 2) {
                let store = try kind.provider(at: path).openStored()
                #expect(store.schema.entities.count == SuiteSchema.standard.entities.count)
                try store.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a read in LMDB whose map must grow does not wait for a write of another process`() throws {
        try WorkerProgram.withFolder { folder in
            let path = folder + "/Occupied.granary"
            let stack = try Stack(SuiteSchema.standard, store: .lmdb(atPath: path, options: .init(mapSize: 1 << 20)))
            #expect(try stack.blocking.read { try $0.count(Ticket.all) } == 0)
            try withWriter(.lmdb, path, after: 3_000) {
                let count = try stack.blocking.read { try $0.count(Ticket.all) }
                #expect(count == 3_000)
            }
            try stack.blocking.close()
        }
    }

    /// Runs `body` while another process holds a write transaction, which it began after a commit of `count` tickets.
    private func withWriter(_ kind: StoreKind, _ path: String, after count: Int, _ body: () throws -> Void) throws {
        let (process, pipe) = try WorkerProgram.start(kind, path, ["occupy", "\(count)"])
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(try pipe.fileHandleForReading.read(upToCount: 8) == Data("writing\n".utf8))
        let start = ContinuousClock.now
        try body()
        #expect(ContinuousClock.now - start < .seconds(20), "the write lasts 30 seconds")
    }
}
