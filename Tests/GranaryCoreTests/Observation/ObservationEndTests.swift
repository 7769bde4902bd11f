import GranaryMemory
import Testing

@testable import GranaryCore

/// How observations of contexts, and fetched results, end.
@MainActor struct ObservationEndTests {
    private let stack: Stack

    init() throws {
        stack = try Plant.stack()
        _ = try stack.blocking.write { try $0.insert([Plant(1, "a", height: 1), Plant(2, "b", height: 2)]) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an observation of a context ends quietly when the stack closes`() async throws {
        let context = try stack.makeContext()
        var values = context.observe(Plant.all).makeAsyncIterator()
        #expect(try await values.next()?.count == 2)
        // Marked, and closed before it has looked again.
        try context.insert(Plant(3))
        try await stack.close()
        #expect(try await values.next() == nil)
        #expect(try await values.next() == nil)
        var late = context.observe(Plant.all).makeAsyncIterator()
        #expect(try await late.next() == nil)
        context.reset()
    }

    @Test func `a read that the closing stack refuses is an end, not a failure`() throws {
        let context = try stack.makeContext()
        let live = LiveContextQuery(context, ObservedQueries.outputs(Plant.all))
        _ = try live.current()
        #expect(!ObservationEnd.isEnd(GranaryError(.corrupt, "")))
        func close() throws { try stack.blocking.close() }
        try close()
        #expect { try live.read() } throws: { ObservationEnd.isEnd($0) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an observation of a context ends with its task`() async throws {
        let context = try stack.makeContext()
        let task = Task {
            var count = 0
            for try await _ in context.observe(Plant.all) { count += 1 }
            return count
        }
        while context.overlay.observers.hooks.count == 0 { await Task.yield() }
        task.cancel()
        #expect(try await task.value <= 1)
        #expect(context.overlay.observers.hooks.count == 0 && !stack.store.coordinator.hasListeners)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `fetched results that are dropped are let go, and nobody works for them`(_ overContext: Bool) async throws {
        let context = try stack.makeContext()
        let hub = stack.companion(ObservationHub.self)
        var results: FetchedResults<Plant>? =
            overContext ? FetchedResults(Plant.all, in: context) : FetchedResults(Plant.all, in: stack)
        weak let known = results
        results?.onFailure = { Issue.record($0) }
        try await results?.performFetch()
        #expect(hub.count == 1)
        results = nil
        #expect(known == nil)
        while hub.count > 0 || stack.store.coordinator.hasListeners { await Task.yield() }
        #expect(!stack.store.coordinator.hasListeners && context.overlay.observers.hooks.count == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `fetched results do not fail when the stack closes`(_ overContext: Bool) async throws {
        let context = try stack.makeContext()
        let results = overContext ? FetchedResults(Plant.all, in: context) : FetchedResults(Plant.all, in: stack)
        results.onFailure = { Issue.record($0) }
        try await results.performFetch()
        if overContext { try context.insert(Plant(3)) }
        try await stack.close()
        for _ in 0..<1000 { await Task.yield() }
        #expect(results.fetchedRecords.map(\.id).starts(with: [1, 2]))
        context.reset()
    }
}
