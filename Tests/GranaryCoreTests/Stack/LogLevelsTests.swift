import GranaryMemory
import GranaryPlatform
import Logging
import TestSupport
import Testing

@testable import GranaryCore

struct LogLevelsTests {
    @Test func `levels of components and of all`() {
        let levels = LogLevels(" sqlite=debug, import = INFO ,warning")
        #expect(levels["sqlite"] == .debug && levels["import"] == .info && levels["merge"] == .warning)
        #expect(levels.wrong.isEmpty && LogLevels("").wrong.isEmpty && LogLevels(",,")["read"] == nil)
    }

    @Test func `parts without a meaning are found, and do not harm the others`() {
        let levels = LogLevels("sqlite=loud,read=debug,a=b=trace,=,merges=info\u{1B}[2J,=debug")
        #expect(levels["read"] == .debug && levels["sqlite"] == nil)
        #expect(levels.wrong == ["sqlite=loud", "a=b=trace", "merges=info\\u{1B}[2J"])
        #expect(LogLevels("merges=info,redis=trace,lmdb=info").unknown(beside: "redis") == ["merges"])
    }

    @Test func `a mistake is reported once in a process`() {
        let mistakes = LogLevelMistakes()
        let levels = LogLevels("merges=info,loud")
        #expect(mistakes.unreported(levels, kind: "memory") == ["loud", "merges"])
        #expect(mistakes.unreported(levels, kind: "memory").isEmpty)
    }

    @Test func `a component has its level and its label; the level of the environment precedes the logger's`() {
        let log = MemoryLog()
        let logs = StackLogs(log.logger(.error), kind: "memory", levels: LogLevels("read=debug,memory=trace"))
        #expect(logs[.read].logLevel == .debug && logs[.merge].logLevel == .error && logs.store.logLevel == .trace)
        #expect(logs[.read].label == "granary.read" && logs.store.label == "granary.memory")
        #expect(logs.followsOperations)
        #expect(!StackLogs(log.logger(.info), kind: "memory", levels: LogLevels()).followsOperations)
        #expect(StackLogs(log.logger(.debug), kind: "memory", levels: LogLevels()).followsOperations)
    }

    @Test func `without watchers a stack has no recorder`() throws {
        let log = MemoryLog()
        func stack(_ level: Logger.Level, slow: Duration? = nil, _ instrument: (any StackInstrument)? = nil) throws
            -> Stack
        {
            try Stack(
                Schema(Plant.self), store: .inMemory, logger: log.logger(level), slow: slow, instrument: instrument)
        }
        #expect(try stack(.info).recorder == nil)
        #expect(try stack(.debug).recorder != nil)
        #expect(try stack(.info, slow: .seconds(1)).recorder != nil)
        #expect(try stack(.info, Nothing()).recorder != nil)
    }

    @Test func `a read and a write log with the metadata of the request that made them`() async throws {
        let log = MemoryLog()
        let stack = try await Stack(Schema(Plant.self), store: .inMemory, logger: log.logger(.debug))
        try await withLogger(log.logger(.debug)) { _ in
            try await withLogger(mergingMetadata: ["request": "r1"]) { _ in
                try await stack.write(as: "plant") { _ = try $0.insert(Plant(1)) }
                _ = try stack.blocking.read(as: "count") { try $0.find(Plant.self, 1) }
            }
        }
        _ = try await stack.read(as: "alone") { try $0.count(Plant.all) }
        let lines = log.lines.filter { $0.metadata["name"] != nil }
        #expect(lines.map(\.message) == ["write", "read", "read"])
        #expect(lines.map { $0.metadata["request"] } == ["r1", "r1", nil])
        #expect(lines.map { $0.metadata["component"] } == ["granary.write", "granary.read", "granary.read"])
        #expect(lines.map { $0.metadata["rows"] } == ["0", "1", "0"])
        try await stack.close()
    }

    @Test func `an error that nobody catches goes to onError and to the log, without the text of other errors`() throws
    {
        let log = MemoryLog()
        let stack = try Stack(Schema(Plant.self), store: .inMemory, logger: log.logger(.info))
        let caught = Caught()
        stack.onError = { caught.add($0) }
        stack.report(GranaryError(.io, "The disk is gone."), of: .purging, "purging failed")
        stack.report(Private(), of: .watching, "watching failed")
        #expect(caught.works == [.purging, .watching])
        #expect(log.lines.map { $0.metadata["error"] } == ["io: The disk is gone.", "Private"])
        #expect(log.lines.allSatisfy { $0.level == .error })
    }

    private struct Nothing: StackInstrument {}

    private struct Private: Error, CustomStringConvertible {
        var description: String { "a name" }
    }

    private final class Caught: Sendable {
        private let lock = Lock()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var all: [UncaughtError.Work] = []

        var works: [UncaughtError.Work] { lock.withLock { all } }
        func add(_ error: UncaughtError) { lock.withLock { all.append(error.work) } }
    }
}
