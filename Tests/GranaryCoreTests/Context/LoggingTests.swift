import GranaryPlatform
import GranaryMemory
import TestSupport
import Testing

@testable import GranaryCore

@MainActor struct LoggingTests {
    init() { LoggedLines.begin() }

    @Test func `a main context whose stack is let go logs what it has not saved`() throws {
        var stack: Stack? = try Plant.stack()
        let before = LoggedLines.of(context: "main").count
        try stack?.mainContext.insert(Plant(1))
        stack = nil
        let lines = LoggedLines.of(context: "main").dropFirst(before)
        #expect(lines.map(\.level) == [.warning] && lines.first?.metadata["records"] == "1")
    }

    @Test func `a context that is dropped with changes logs it, a child quietly, a clean one not at all`() throws {
        let stack = try Plant.stack()
        do {
            let dropped = try stack.makeContext(named: "dropped")
            try dropped.insert(Plant(1))
            try dropped.insert(Plant(2))
            let child = try dropped.makeChild(named: "child of dropped")
            try child.insert(Plant(3))
            _ = try stack.makeContext(named: "clean").count(Plant.all)
        }
        let lines = LoggedLines.of(context: "dropped")
        #expect(lines.map(\.level) == [.warning] && lines.first?.metadata["records"] == "2")
        #expect(LoggedLines.of(context: "child of dropped").map(\.level) == [.debug])
        #expect(LoggedLines.of(context: "clean").isEmpty)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a conflict that a policy settles in the background is logged and handed over`() async throws {
        let stack = try Plant.stack()
        try await stack.write { _ = try $0.insert(Plant(1, "a")) }
        let handed = Handed()
        try await stack.perform(
            named: "losing import", mergePolicy: .storeWins, onConflicts: { handed.add($0) }
        ) { context in
            try context.update(Plant(1, "mine"))
            try stack.blocking.write { try $0.update(Plant(1, "theirs")) }
        }
        #expect(try await stack.read { try $0.find(Plant.self, 1)?.name } == "theirs")
        // That nothing was left to save is logged, too, at `debug`.
        let line = try #require(LoggedLines.of(context: "losing import").first { $0.level != .debug })
        #expect(line.level == .notice && line.metadata["entity"] == "Plant" && line.metadata["attributes"] == "name")
        #expect(line.metadata["key"]?.contains("1") == true)
        #expect(handed.conflicts.map(\.attributes) == [["name"]])
        try await stack.perform(named: "quiet import") { try $0.update(Plant(1, "again")) }
        #expect(LoggedLines.of(context: "quiet import").isEmpty)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a worker's conflicts, and those of an update from an old value, are handed over, too`() async throws {
        let stack = try Plant.stack()
        try await stack.write { _ = try $0.insert(Plant(1, "a")) }
        let context = try stack.makeContext()
        context.mergePolicy = .contextWins
        let handed = Handed()
        let gate = Gate()
        let work = Task {
            try await context.performInWorker(named: "losing worker", onConflicts: { handed.add($0) }) {
                worker in
                gate.worksNow()
                try worker.update(Plant(1, "worker"))
                gate.waitUntilOpen()
            }
        }
        while !gate.isWorking { await Task.yield() }
        try context.update(Plant(1, "context"))
        gate.open()
        try await work.value
        #expect(handed.conflicts.map(\.kind) == [.changedTwice])
        #expect(LoggedLines.of(context: "losing worker").map(\.level) == [.notice])
        context.reset()

        try stack.blocking.write { transaction in
            var conflicts: [MergeConflict] = []
            let kept = try transaction.update(
                Plant(1, "new"), from: Plant(1, "old"), mergePolicy: .storeWins, onConflict: { conflicts.append($0) })
            #expect(kept?.name == "a" && conflicts.map(\.attributes) == [["name"]])
        }
    }
}

private final class Handed: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var all: [MergeConflict] = []

    func add(_ more: [MergeConflict]) { lock.withLock { all += more } }
    var conflicts: [MergeConflict] { lock.withLock { all } }
}

/// Holds a worker until the test lets it go on.
private final class Gate: Sendable {
    private let lock = Lock()
    private let changed = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isOpen = false
    nonisolated(unsafe) private var works = false

    func worksNow() { lock.withLock { works = true } }
    var isWorking: Bool { lock.withLock { works } }

    func open() {
        lock.withLock {
            isOpen = true
            changed.broadcast()
        }
    }

    func waitUntilOpen() {
        lock.lock()
        while !isOpen { changed.wait(lock) }
        lock.unlock()
    }
}
