import ConformanceKit
import GranaryCore

/// How contexts are followed while they are edited, and how that ends.
var observationEditedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.context-ends", in: .observation,
            "what observes a context ends with its task, and quietly when the stack closes", modes: [.fresh]
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            let stack = try trial.stack
            try await withDeadline { try await endObserving(stack) }
        },
        ConformanceCase(
            "observation.context-monitor", in: .observation,
            "a context's monitor tells each change of it, and ends with the context", modes: [.fresh]
        ) { trial in
            try trial.insert([Person(id: 1, age: 20), Person(id: 2, age: 40, number: 2)])
            let stack = try trial.stack
            try await withDeadline { try await monitor(stack) }
        },
        ConformanceCase(
            "observation.context-results", in: .observation,
            "fetched results over a context follow its unsaved changes and what is committed", modes: [.fresh]
        ) { trial in
            try trial.insert([Person(id: 1, age: 20, country: "a"), Person(id: 2, age: 40, country: "b")])
            let stack = try trial.stack
            try await withDeadline { try await followContext(stack) }
        },
    ]
}

@MainActor private func endObserving(_ stack: Stack) async throws {
    let context = try stack.makeContext()
    let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
    var counts = seen.makeAsyncIterator()
    let cancelled = Task {
        for try await shelves in context.observe(Shelf.all) { continuation.yield(shelves.count) }
        return true
    }
    var count = await counts.next()
    try expectEqual(count, 1)
    cancelled.cancel()
    var ended = try await cancelled.value
    try expect(ended, "it did not end")
    let closed = Task {
        for try await shelves in context.observe(Shelf.all) { continuation.yield(shelves.count) }
        return true
    }
    count = await counts.next()
    try expectEqual(count, 1)
    // Both a change that has not been looked at and the end wait for it.
    try context.insert(Shelf(id: 2))
    try await stack.close()
    ended = try await closed.value
    try expect(ended, "it did not end")
    context.reset()
}

@MainActor private func monitor(_ stack: Stack) async throws {
    var context: EditContext? = try stack.makeContext()
    guard let changes = try context?.monitor(Person.self, where: { $0.age >= 30 }) else { return }
    try context?.savepoint {
        try context?.update(Person(id: 1, age: 50))
        try context?.delete(Person.self, 2)
        try context?.insert(Person(id: 3, age: 30, number: 3))
        try context?.insert(Person(id: 4, age: 3, number: 4))
    }
    try context?.update(Person(id: 1, age: 10))
    // A commit of others is not its own change.
    _ = try await stack.write { try $0.insert(Person(id: 9, age: 90, number: 9)) }
    context?.rollback()
    context = nil
    var told = changes.makeAsyncIterator()
    let first = try await told.next()
    try expectEqual(first?.inserted.map(\.id), [3])
    try expectEqual(first?.began.map(\.id), [1])
    try expectEqual(first?.deleted, [2])
    let second = try await told.next()
    try expectEqual(second?.ceased, [1])
    // Taken back.
    let third = try await told.next()
    try expectEqual(third?.inserted.map(\.id), [2])
    try expectEqual(third?.deleted, [3])
    let last = try await told.next()
    try expect(last == nil, "it goes on without its context")
}

@MainActor private func followContext(_ stack: Stack) async throws {
    let context = try stack.makeContext()
    let results = FetchedResults(
        Person.sorted(by: { $0.country }).sorted(by: { $0.age }), in: context, sections: .by { $0.country })
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    var gone: [Int64?] = []
    results.onWillChange = { changes in gone += changes.deletions.map { results[$0]?.id } }
    results.onChange = { continuation.yield($0) }
    results.onFailure = { _ in continuation.finish() }
    var changes = stream.makeAsyncIterator()
    try await results.performFetch()
    try expectEqual(results.sections.map(\.name), ["a", "b"])
    try context.delete(Person.self, 2)
    var found = await changes.next()
    try expectEqual(try found?.deletedKeys(of: Person.self), [2])
    try expectEqual(found?.deletedSectionNames, ["b"])
    try expectEqual(gone, [2])
    _ = try await stack.write { try $0.insert(Person(id: 3, age: 5, country: "a", number: 3)) }
    found = await changes.next()
    try expectEqual(found?.insertions, [FetchedPath(section: 0, item: 0)])
    try expectEqual(results.fetchedRecords.map(\.id), [3, 1])
    results.onWillChange = nil
    context.rollback()
    found = await changes.next()
    try expectEqual(found?.insertedSections, [1])
    try expectEqual(results.fetchedRecords.map(\.id), [3, 1, 2])
}
