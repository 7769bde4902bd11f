import ConformanceKit
import GranaryCore

var observationContextsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.context", in: .observation,
            "a query observed in a context follows its own changes and what is committed", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, age: 20), Person(id: 2, age: 40, number: 2)])
            try await withDeadline {
                let context = try stack.makeContext(named: "editor")
                var values = context.observe(Person.where { $0.age >= 30 }.sorted(by: \.age)).makeAsyncIterator()
                var records = try await values.next()
                try expectEqual(records.map(ids), [2])
                try context.update(Person(id: 1, age: 50))
                records = try await values.next()
                try expectEqual(records.map(ids), [2, 1])
                _ = try await stack.write { try $0.insert(Person(id: 3, age: 45, number: 3)) }
                records = try await values.next()
                try expectEqual(records.map(ids), [2, 3, 1])
                try context.savepoint {
                    try context.delete(Person.self, 2)
                    try context.insert(Person(id: 4, age: 30, number: 4))
                }
                records = try await values.next()
                try expectEqual(records.map(ids), [4, 3, 1])
            }
            try expectEqual(try trial.keys(Person.all), [1, 2, 3])
        },
        ConformanceCase(
            "observation.results", in: .observation,
            "fetched results report sections and records that come, go and move, whatever changed them", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.insert([Artist(id: 1, label: "a"), Artist(id: 2, label: "b"), Artist(id: 3, label: "c")])
            try trial.insert([
                Album(id: 1, title: "x", artist: Ref(1)), Album(id: 2, title: "y", artist: Ref(1)),
                Album(id: 3, title: "z", artist: Ref(2)),
            ])
            try await withDeadline { try await followResults(stack) }
        },
        ConformanceCase(
            "observation.context-values", in: .observation,
            "chosen values, groups, aggregates and records by names are observed in a context", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, age: 1, country: "a"), Person(id: 2, age: 2, country: "b")])
            try await withDeadline {
                let context = try stack.makeContext()
                var names = context.observe(Person.all.select { ($0.id, $0.lastName) }).makeAsyncIterator()
                var groups = context.observe(Person.all.grouped(by: { $0.country }).select { ($0.country, $0.age.sum) })
                    .makeAsyncIterator()
                var total = context.observeAggregate(Person.all.select { ($0.id.count, $0.age.maximum) })
                    .makeAsyncIterator()
                var dynamic = context.observe(Request("Person")).makeAsyncIterator()
                var (shown, sums, oldest) = (try await names.next(), try await groups.next(), try await total.next()?.1)
                var records = try await dynamic.next()
                try expectEqual(shown?.map(\.1), ["", ""])
                try expectEqual(sums?.map { "\($0.0) \($0.1)" }, ["a 1", "b 2"])
                try expectEqual(oldest, 2)
                try expectEqual(records?.count, 2)
                // Its own change, not saved.
                try context.update(Person(id: 2, lastName: "x", age: 5, country: "b"))
                (shown, sums, oldest) = (try await names.next(), try await groups.next(), try await total.next()?.1)
                records = try await dynamic.next()
                try expectEqual(shown?.map(\.1), ["", "x"])
                try expectEqual(sums?.map { "\($0.0) \($0.1)" }, ["a 1", "b 5"])
                try expectEqual(oldest, 5)
                try expectEqual(records?.count, 2)
                _ = try await stack.write { try $0.insert(Person(id: 3, age: 9, country: "c", number: 3)) }
                (shown, sums, oldest) = (try await names.next(), try await groups.next(), try await total.next()?.1)
                records = try await dynamic.next()
                try expectEqual(shown?.count, 3)
                try expectEqual(sums?.count, 3)
                try expectEqual(oldest, 9)
                try expectEqual(records?.count, 3)
                context.reset()
            }
        },
    ]
}

@MainActor private func followResults(_ stack: Stack) async throws {
    let results = FetchedResults(
        Album.sorted(by: { $0.artist.label }).sorted(by: \.title), in: stack, sections: .by { $0.artist.label })
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    results.onChange = { continuation.yield($0) }
    results.onFailure = { _ in continuation.finish() }
    var changes = stream.makeAsyncIterator()
    try await results.performFetch()
    try expectEqual(results.sections.map(\.name), ["a", "b"])
    try expectEqual(results.fetchedRecords.map(\.id), [1, 2, 3])

    // By a record of its own.
    _ = try await stack.write { try $0.update(Album(id: 1, title: "x", artist: Ref(2))) }
    var expected = FetchedChanges()
    let pair = FetchedChanges.Pair(from: .init(section: 0, item: 0), to: .init(section: 1, item: 0))
    (expected.moves, expected.updates) = ([pair], [pair])
    var found = await changes.next()
    try expectEqual(found, expected)
    try expectEqual(results.sections.map(\.range), [0..<1, 1..<3])

    // By a related one: the section's name.
    _ = try await stack.write { try $0.update(Artist(id: 1, label: "d")) }
    expected = FetchedChanges()
    (expected.deletedSections, expected.insertedSections) = ([0], [1])
    expected.deletedSectionNames = ["a"]
    // The album itself has no other values.
    expected.moves = [FetchedChanges.Pair(from: .init(section: 0, item: 0), to: .init(section: 1, item: 0))]
    found = await changes.next()
    try expectEqual(found, expected)
    try expectEqual(results.sections.map(\.name), ["b", "d"])

    // By a delete rule.
    _ = try await stack.write { try $0.delete(Artist.self, 2) }
    found = await changes.next()
    try expectEqual(found?.deletedSections, [0])
    try expectEqual(found?.deletions, [FetchedPath(section: 0, item: 0), FetchedPath(section: 0, item: 1)])
    try expectEqual(try found?.deletedKeys(of: Album.self), [1, 3])
    try expectEqual(found?.deletedSectionNames, ["b"])
    try expectEqual(results.fetchedRecords.map(\.id), [2])
    try expectEqual(try results.path(of: 2), FetchedPath(section: 0, item: 0))
}
