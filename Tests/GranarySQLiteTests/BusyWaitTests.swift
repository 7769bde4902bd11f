import GranaryCore
import GranaryPlatform
import Testing

@testable import GranarySQLite
import TestSupport

@Suite struct BusyWaitTests {
    @Test(arguments: [0.001, 0.1, 1, 10, 3600, 1e8]) func `pauses get shorter, and end with the time`(_ limit: Double) {
        let wait = BusyWait()
        wait.limit = limit
        var last = Double.infinity
        for step in 0..<1_000 {
            let waited = limit * Double(step) / 1_000
            guard let pause = wait.pause(after: waited, attempts: 100) else {
                Issue.record("it was over after \(waited) s")
                return
            }
            #expect(pause > 0 && pause <= 0.01 && pause <= last && waited + pause <= limit * 1.000_001)
            last = pause
        }
        #expect(wait.pause(after: limit, attempts: 0) == nil)
        #expect(wait.pause(after: .infinity, attempts: 0) == nil)
    }

    @Test func `the first pauses are short`() {
        let wait = BusyWait()
        wait.limit = 10
        #expect((0..<6).map { wait.pause(after: 0, attempts: $0) } == [0.0005, 0.001, 0.002, 0.004, 0.008, 0.01])
    }

    @Test func `without time there is no pause`() {
        #expect(BusyWait().pause(after: 0, attempts: 0) == nil)
    }

    @Test func `a connection waits for a lock as long as it may`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        func connection() throws -> Connection {
            try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions(durability: .off))
        }
        let (first, second) = (try connection(), try connection())
        defer {
            first.close()
            second.close()
        }
        try first.execute("BEGIN IMMEDIATE")
        let watch = Stopwatch()
        let error = failure { try second.changing(busyAfter: 0.2) {} }
        #expect(error?.code == .busy)
        #expect(watch.seconds >= 0.2, "it gave up after \(watch.seconds) s")
        #expect(failure { try second.changing(busyAfter: 0) {} }?.code == .busy)
        try first.execute("COMMIT")
        try second.changing(busyAfter: 0) {}
    }
}
