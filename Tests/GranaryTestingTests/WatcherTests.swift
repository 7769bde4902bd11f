import Granary
import GranaryMemory
import GranaryTesting
import Testing

struct WatcherTests {
    private func painting(_ id: Int64) -> Painting { Painting(id: id, title: "Untitled", fee: 0) }

    @Test func `values are waited for, those that have come and those that come`() async throws {
        let stack = try await Stack(gallery, store: .inMemory)
        let watcher = Watcher(stack.observe(Painting.sorted(by: \.id)))
        try await watcher.wait { $0.count == 1 }
        async let two = watcher.wait { $0.last?.count == 2 }
        try await stack.write { try $0.insert(painting(1)) }
        try await stack.write { try $0.insert(painting(2)) }
        #expect(try await two.last?.map(\.id) == [1, 2])
        #expect(try await watcher.wait { !$0.isEmpty }.first?.isEmpty == true)
        #expect(watcher.values.last?.count == 2)
        let changes = Watcher(stack.changes.except("import"))
        try await stack.write(as: "import") { try $0.insert(painting(3)) }
        try await stack.write { try $0.insert(painting(4)) }
        let sets = try await changes.wait { $0.count == 1 }
        #expect(try sets.first?.inserted(Painting.self) == [4])
    }

    @Test func `a wait ends at its deadline, with the values so far`() async throws {
        let stack = try await Stack(gallery, store: .inMemory)
        try await stack.write { try $0.insert(painting(1)) }
        let watcher = Watcher(stack.observeCount(Painting.all))
        try await watcher.wait { $0 == [1] }
        let failure = await #expect(throws: ExpectationFailure.self) {
            try await watcher.wait(within: .milliseconds(10)) { $0.count == 9 }
        }
        #expect(failure?.description.contains("1 values have come; the last ones: [1]") == true)
        // It may be waited for again.
        try await stack.write { try $0.insert(painting(2)) }
        #expect(try await watcher.wait { $0.count == 2 } == [1, 2])
    }

    @Test func `a wait ends when the sequence ends or fails, and when its task is cancelled`() async throws {
        let stack = try await Stack(gallery, store: .inMemory)
        let failing = Watcher(stack.observe(try Painting.where("colour == 1")))
        await #expect(throws: GranaryError.self) { try await failing.wait { !$0.isEmpty } }
        let watcher = Watcher(stack.observeCount(Painting.all))
        try await watcher.wait { $0 == [0] }
        let cancelled = Task { try await watcher.wait { $0.count == 9 } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await stack.close()
        await #expect(throws: ExpectationFailure.self) { try await watcher.wait { $0.count == 9 } }
    }
}
