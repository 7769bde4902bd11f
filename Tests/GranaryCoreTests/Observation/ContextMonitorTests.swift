import GranaryMemory
import Testing

@testable import GranaryCore

@MainActor struct ContextMonitorTests {
    private let stack: Stack

    init() throws { stack = try Plant.stack() }

    @Test(.timeLimit(.minutes(5)))
    func `a context's monitor ends when the context is gone, with what it was told before`() async throws {
        var context: EditContext? = try stack.makeContext()
        weak let known = context
        let changes = try #require(context).monitor(Plant.self)
        try context?.insert(Plant(1))
        context?.reset()
        context = nil
        #expect(known == nil)
        var ids: [[Int64]] = []
        for try await change in changes { ids.append(change.inserted.map(\.id) + change.deleted) }
        #expect(ids == [[1], [1]])
        #expect(stack.companion(ContextMonitors.self).count == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a context's monitor ends when the stack closes`() async throws {
        let context = try stack.makeContext()
        let changes = try context.monitor(Plant.self)
        let task = Task {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        try context.insert(Plant(1))
        try await stack.close()
        #expect(try await task.value == 1)
        for try await _ in try context.monitor(Plant.self) { Issue.record("a change of a closed stack") }
        context.reset()
    }

    @Test(.timeLimit(.minutes(5)))
    func `the main context's monitor ends when the stack is let go`() async throws {
        var own: Stack? = try Plant.stack()
        let changes = try #require(own).mainContext.monitor(Plant.self)
        own = nil
        for try await _ in changes { Issue.record("a change of nobody") }
    }

    @Test(.timeLimit(.minutes(5)))
    func `two tasks on one monitor share its changes`() async throws {
        let context = try stack.makeContext()
        let changes = try context.monitor(Plant.self)
        let tasks = (0..<2).map { _ in
            Task {
                var ids: [Int64] = []
                for try await change in changes { ids += change.inserted.map(\.id) }
                return ids
            }
        }
        // Both wait when the first change comes.
        for _ in 0..<100 { await Task.yield() }
        for id in 1...20 {
            try context.insert(Plant(Int64(id)))
            await Task.yield()
        }
        try await stack.close()
        let all = try await tasks[0].value + tasks[1].value
        #expect(all.sorted() == Array(1...20))
        context.reset()
    }

    @Test func `a monitor that nobody follows is let go`() throws {
        let context = try stack.makeContext()
        _ = try context.monitor(Plant.self)
        #expect(stack.companion(ContextMonitors.self).count == 0)
        try context.insert(Plant(1))
        #expect(context.overlay.observers.steps.isEmpty)
        context.reset()
    }
}
