import GranaryMemory
import Testing

@testable import GranaryCore

@MainActor struct ContextObservationTests {
    private let stack: Stack
    private let context: EditContext

    init() throws {
        stack = try Plant.stack()
        _ = try stack.blocking.write { tx in
            try tx.insert([Plant(1, "a", height: 1), Plant(2, "b", height: 2), Plant(3, "c", height: 3)])
        }
        context = try stack.makeContext(named: "edit")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a context's query follows its own changes, its parent's and what is committed`() async throws {
        let child = try context.makeTestChild()
        var values = child.observe(Plant.where { $0.height > 1 }).makeAsyncIterator()
        #expect(try await values.next()?.map(\.id) == [2, 3])
        try child.update(Plant(1, "a", height: 5))
        #expect(try await values.next()?.map(\.id) == [1, 2, 3])
        _ = try context.delete(Plant.self, 2)
        #expect(try await values.next()?.map(\.id) == [1, 3])
        try await stack.write { _ = try $0.insert(Plant(4, "d", height: 4)) }
        #expect(try await values.next()?.map(\.id) == [1, 3, 4])
        try child.update(Plant(1, "x", height: 0))
        try child.update(Plant(3, "x", height: 3))
        #expect(try await values.next()?.map(\.name) == ["x", "d"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `results over a context show its unsaved changes, and those of others`() async throws {
        let results = FetchedResults(Plant.where { $0.height > 1 }.sorted(by: { $0.height }), in: context)
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
        var changes = stream.makeAsyncIterator()
        results.onChange = { continuation.yield($0) }
        try await results.performFetch()
        #expect(results.fetchedRecords.map(\.id) == [2, 3])
        try context.savepoint {
            try context.update(Plant(1, "a", height: 9))
            try context.update(Plant(2, "b", height: 0))
        }
        let first = await changes.next()
        #expect(first?.insertions == [FetchedPath(section: 0, item: 1)])
        #expect(first?.deletions == [FetchedPath(section: 0, item: 0)])
        #expect(results.fetchedRecords.map(\.id) == [3, 1])
        try await stack.write { _ = try $0.insert(Plant(4, "d", height: 4)) }
        #expect(await changes.next()?.insertions == [FetchedPath(section: 0, item: 1)])
        #expect(results.fetchedRecords.map(\.id) == [3, 4, 1])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a context's monitor tells each call, with what came to match and what ceased to`() async throws {
        var changes = try context.monitor(Plant.self) { $0.height > 1 }.makeAsyncIterator()
        try context.insert(Plant(5, "e", height: 5))
        _ = try context.delete(Plant.self, 5)
        try context.insert(Plant(6, "f"))
        try context.savepoint {
            try context.update(Plant(1, "a", height: 9))
            try context.update(Plant(2, "b", height: 0))
            try context.update(Plant(3, "x", height: 3))
            try context.insert(Plant(7, "g", height: 7))
            _ = try context.delete(Plant.self, 7)
        }
        #expect(try await changes.next()?.inserted == [Plant(5, "e", height: 5)])
        #expect(try await changes.next()?.deleted == [5])
        let last = try #require(try await changes.next())
        #expect(last.began.map(\.id) == [1] && last.ceased == [2] && last.updated.map(\.id) == [3])
        #expect(last.inserted.isEmpty && last.deleted.isEmpty)
        #expect(throws: GranaryError.self) { _ = try context.monitor(Plant.self) { $0.neighbour.name == "x" } }
    }

    @Test func `a context that nobody follows tells nobody`() throws {
        _ = context.observe(Plant.all).makeAsyncIterator()
        #expect(!stack.store.coordinator.hasListeners)
        do {
            let live = LiveContextQuery(context, ObservedQueries.outputs(Plant.all))
            #expect(try live.current().count == 3)
            withExtendedLifetime(live) {
                #expect(stack.store.coordinator.hasListeners && context.overlay.observers.hooks.count == 1)
            }
        }
        #expect(!stack.store.coordinator.hasListeners && context.overlay.observers.hooks.count == 0)
    }
}

extension EditContext {
    fileprivate func makeTestChild() throws -> EditContext {
        try EditContext(StackReference(holding: try stack), parent: self, named: nil)
    }
}
