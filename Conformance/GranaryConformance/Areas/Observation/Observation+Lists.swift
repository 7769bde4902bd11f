import ConformanceKit
import GranaryCore

/// Lists that hold keys, or counts, and a few batches of records.
var observationListsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.list", in: .observation,
            "a list of keys gives the records of the places that are asked for, and follows changes of their values",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert((1...40).map { Person(id: $0, age: Int(100 - $0), number: Int($0)) })
            let lists = Following(stack.observeList(Person.where { $0.age >= 62 }.sorted(by: \.age)), on: trial)
            let first = try lists.wait("the first list") { $0.count == 1 }[0]
            try expectEqual(first.count, 38)
            try expectEqual([try first.key(at: 0), try first.key(at: 37), try first.key(at: 38)], [38, 1, nil])
            func ids(_ list: RecordList<Person, Person>, _ places: Range<Int>) throws -> [Int64?] {
                try stack.blocking.read { try list.fetch(places, in: $0).map { $0?.id } }
            }
            try expectEqual(try ids(first, 0..<3), [38, 37, 36])
            try expectEqual(try ids(first, 36..<50), [2, 1])
            try expectEqual(try ids(first, 50..<60), [])
            // A record that leaves, one that is deleted, and one whose values alone change.
            try trial.write { tx in
                try tx.update(Person.self, 37) { $0.age = 1 }
                try tx.delete(Person.self, 36)
            }
            try expectEqual(try ids(first, 0..<4), [38, nil, nil, 35])
            let second = try lists.wait("a shorter list") { $0.count == 2 }[1]
            try expectEqual(try ids(second, 0..<3), [38, 35, 34])
            try trial.write { try $0.update(Person.self, 34) { $0.lastName = "z" } }
            let third = try lists.wait("a list with other values") { $0.count == 3 }[2]
            try expectEqual(third.count, second.count)
            try expectEqual(
                try stack.blocking.read { try third.fetch(2..<3, in: $0).map { $0?.lastName } }, ["z"])
            // Nothing that is shown: no list.
            try trial.write { try $0.update(Person.self, 40) { $0.lastName = "z" } }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try lists.wait("a list without the last record") { $0.count == 4 && $0[3].count == 35 }
        },
        ConformanceCase(
            "observation.list-of-values", in: .observation,
            "a list of keys gives chosen values and pending changes; what is not one result for each record is refused"
        ) { trial in
            try trial.insert((1...5).map { Person(id: $0, age: Int($0), country: $0 < 3 ? "a" : "b", number: Int($0)) })
            let stack = try trial.stack
            try await withDeadline { try await listOfValues(stack) }
        },
        ConformanceCase(
            "observation.batches", in: .observation,
            "fetched results in batches show the same records, sections and changes, and hold a few batches",
            modes: [.fresh]
        ) { trial in
            try trial.insert(
                (1...200).map { Person(id: $0, age: Int($0 % 7), country: $0 % 3 == 0 ? "a" : "b", number: Int($0)) })
            let stack = try trial.stack
            try await withDeadline { try await compareBatches(stack) }
        },
        ConformanceCase(
            "observation.batches-of-contexts", in: .observation,
            "fetched results in batches show the pending changes of a context", modes: [.fresh]
        ) { trial in
            try trial.insert((1...30).map { Person(id: $0, age: Int($0), number: Int($0)) })
            let stack = try trial.stack
            try await withDeadline { try await batchesOfContext(stack) }
        },
        ConformanceCase(
            "observation.counted-sections", in: .observation,
            "sections by counts come from the values of the records, which are read when they are asked for",
            modes: [.fresh]
        ) { trial in
            try trial.insert(
                (1...50).map {
                    Person(
                        id: $0, email: $0 % 10 == 0 ? nil : "\($0)@x", age: $0 % 10 == 0 ? nil : Int($0 % 10 / 4),
                        number: Int($0))
                })
            let stack = try trial.stack
            try await withDeadline { try await countSections(stack) }
        },
        ConformanceCase(
            "observation.million", in: .observation,
            "a million records are shown in batches and by counts, and a list of them is followed", isHeavy: true,
            modes: [.fresh]
        ) { trial in
            let count: Int64 = 1_000_000
            for start in stride(from: Int64(0), to: count, by: 50_000) {
                try trial.write { transaction in
                    try transaction.insert(
                        (start..<start + 50_000).lazy.map {
                            Person(id: $0, age: Int($0), country: "c\($0 / 10_000)", number: Int($0))
                        })
                }
            }
            let stack = try trial.stack
            try await withDeadline(seconds: 600) { try await showMillion(stack, count) }
        },
    ]
}

@MainActor private func showMillion(_ stack: Stack, _ count: Int64) async throws {
    let request = Person.sorted(by: \.id)
    let batched = FetchedResults(request, in: stack, sections: .by(\.country), batchSize: 100)
    let counted = FetchedResults(request, in: stack, sections: .counted(by: \.country), batchSize: 100)
    let (ofBatched, ofCounted) = (Changes(batched), Changes(counted))
    try await batched.performFetch()
    try await counted.performFetch()
    for results in [batched, counted] {
        try expectEqual(results.count, Int(count))
        try expectEqual(results.sections.count, 100)
        for section in stride(from: 0, to: 100, by: 3) {
            let path = FetchedPath(section: section, item: 9_999 - section)
            try expectEqual(results[path]?.country, results.sections[section].name)
        }
        try expect(results.heldCount <= 1_600, "\(results.heldCount) records are held")
    }
    var lists = stack.observeList(request).makeAsyncIterator()
    var list = try await lists.next()
    try expectEqual(list?.count, Int(count))
    try await stack.write { tx in
        try tx.delete(Person.self, 0)
        try tx.update(Person.self, 500_000) { $0.lastName = "z" }
    }
    let changes = try await ofBatched.next()
    try expectEqual(changes.deletions, [FetchedPath(section: 0, item: 0)])
    try expectEqual(changes.updates.map(\.to), [FetchedPath(section: 50, item: 0)])
    let reloaded = try await ofCounted.next().reloadedSections
    try expectEqual(reloaded, Array(0..<100))
    list = try await lists.next()
    try expectEqual(list?.count, Int(count - 1))
    let last = try await stack.read { [list] snapshot in try list?.fetch(999_998..<1_000_010, in: snapshot) }
    try expectEqual(last?.map { $0?.id }, [count - 1])
}

@MainActor private func listOfValues(_ stack: Stack) async throws {
    let context = try stack.makeContext()
    defer { context.reset() }
    try context.insert(Person(id: 9, age: 0, country: "c", number: 9))
    try context.delete(Person.self, 2)
    let request = Person.sorted(by: \.age).select { ($0.country, $0.age) }
    for try await list in context.observeList(request) {
        try expectEqual(list.count, 5)
        try expectEqual(try list.key(at: 0), 9)
        try expectEqual(try list.fetch(0..<3, in: context).map { $0?.0 }, ["c", "a", "b"])
        break
    }
    do {
        for try await _ in stack.observeList(Person.all.select(\.country).distinct()) { break }
        try expect(false, "a list of distinct values is observed")
    } catch let error as GranaryError {
        try expectEqual(error.code, .invalidQuery)
    }
    do {
        for try await _ in stack.observeList(Artist.all.with { $0.albums }) { break }
        try expect(false, "a list that loads relationships is observed")
    } catch let error as GranaryError {
        try expectEqual(error.code, .invalidQuery)
    }
}

/// Waits for the changes of fetched results.
@MainActor private final class Changes<Fetched: Sendable> {
    let results: FetchedResults<Fetched>
    private let stream: AsyncStream<FetchedChanges>

    init(_ results: FetchedResults<Fetched>) {
        self.results = results
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
        self.stream = stream
        results.onChange = { continuation.yield($0) }
        results.onFailure = { _ in continuation.finish() }
    }

    func next() async throws -> FetchedChanges {
        for await changes in stream { return changes }
        throw ConformanceFailure(message: "the updates have ended", file: #fileID, line: #line)
    }
}

@MainActor private func compareBatches(_ stack: Stack) async throws {
    let request = Person.where { $0.age >= 1 }.sorted(by: \.age)
    let whole = FetchedResults(request, in: stack, sections: .by(\.country))
    let batched = FetchedResults(request, in: stack, sections: .by(\.country), batchSize: 3)
    let (ofWhole, ofBatched) = (Changes(whole), Changes(batched))
    try await whole.performFetch()
    try await batched.performFetch()
    func compare(_ what: String) throws {
        try expectEqual(batched.sections, whole.sections, what)
        try expectEqual(batched.count, whole.fetchedRecords.count, what)
        for (section, shown) in whole.sections.enumerated() {
            for item in 0...shown.count {
                let path = FetchedPath(section: section, item: item)
                try expectEqual(batched[path], whole[path], "\(what), \(path)")
            }
        }
        try expectEqual(batched.fetchedRecords, whole.fetchedRecords, what)
        try expect(batched.heldCount <= 48, "\(batched.heldCount) records are held")
    }
    try expectEqual(batched.heldCount, 0)
    try compare("at first")
    let second = FetchedPath(section: 1, item: 1)
    try await batched.prefetch([second, FetchedPath(section: 0, item: 0), FetchedPath(section: 9, item: 9)])
    try expectEqual(try batched.path(of: batched[second]?.id ?? 0), second)
    try expectEqual(try batched.path(of: Int64(7)), nil)
    try await stack.write { tx in
        try tx.update(Person.self, 8) { $0.country = "c" }
        try tx.update(Person.self, 9) { $0.lastName = "z" }
        try tx.update(Person.self, 10) { $0.age = 0 }
        try tx.update(Person.self, 7) { $0.age = 3 }
        try tx.delete(Person.self, 11)
        try tx.insert(Person(id: 300, age: 3, country: "a", number: 300))
    }
    let (expected, found) = (try await ofWhole.next(), try await ofBatched.next())
    try expectEqual(found, expected)
    try compare("after changes")
    // A record that is gone before its batch is read.
    let gone = try batched.path(of: Int64(300))
    try await stack.write { _ = try $0.delete(Person.self, 300) }
    _ = try await ofBatched.next()
    try expectEqual(gone.flatMap { batched[$0]?.id } == 300, false)
    let nothing = FetchedResults(request, in: stack, batchSize: 0)
    do {
        try await nothing.performFetch()
        try expect(false, "batches of 0 records are read")
    } catch let error as GranaryError {
        try expectEqual(error.code, .invalidQuery)
    }
    let named = FetchedResults(request, in: stack, sections: .named { $0.country }, batchSize: 10)
    do {
        try await named.performFetch()
        try expect(false, "sections by a closure are read in batches")
    } catch let error as GranaryError {
        try expectEqual(error.code, .invalidQuery)
    }
}

@MainActor private func batchesOfContext(_ stack: Stack) async throws {
    let context = try stack.makeContext()
    defer { context.reset() }
    let results = FetchedResults(Person.sorted(by: \.age, .descending), in: context, batchSize: 4)
    let changes = Changes(results)
    try results.blocking.performFetch()
    try expectEqual(results[FetchedPath(section: 0, item: 29)]?.id, 1)
    try context.update(Person.self, 1) { $0.age = 99 }
    let found = try await changes.next()
    let pair = FetchedChanges.Pair(from: FetchedPath(section: 0, item: 29), to: FetchedPath(section: 0, item: 0))
    try expectEqual(found.moves, [pair])
    try expectEqual(found.updates, [pair])
    try await results.prefetch([FetchedPath(section: 0, item: 0)])
    try expectEqual(results[FetchedPath(section: 0, item: 0)]?.age, 99)
    try expectEqual(results.heldCount, 4)
    let stored = try await stack.read { try $0.find(Person.self, 1)?.age }
    try expectEqual(stored, 1)
}

@MainActor private func countSections(_ stack: Stack) async throws {
    let request = Person.where { $0.number <= 45 }.sorted(by: \.number, .descending)
    let results = FetchedResults(request, in: stack, sections: .counted(by: \.age), batchSize: 4)
    let changes = Changes(results)
    try await results.performFetch()
    try expectEqual(results.sections.map(\.name), ["", "0", "1", "2"])
    try expectEqual(results.sections.map(\.count), [4, 15, 18, 8])
    try expectEqual(results.count, 45)
    func ids(_ section: Int) -> [Int64?] {
        (0..<results.sections[section].count).map { results[FetchedPath(section: section, item: $0)]?.id }
    }
    try expectEqual(ids(0), [40, 30, 20, 10])
    try expectEqual(ids(3), [39, 38, 29, 28, 19, 18, 9, 8])
    try expectEqual(results[FetchedPath(section: 3, item: 8)], nil)
    try expectEqual(results.fetchedRecords.map(\.id).count, 45)
    try expectError(.invalidQuery) { try results.path(of: Int64(1)) }
    // Counts stay equal, and a record has changed.
    try await stack.write { try $0.update(Person.self, 39) { $0.lastName = "z" } }
    var found = try await changes.next()
    try expectEqual(found.reloadedSections, [0, 1, 2, 3])
    try expect(found.insertedSections.isEmpty && found.deletedSections.isEmpty, "sections have come or gone")
    try expectEqual(results[FetchedPath(section: 3, item: 0)]?.lastName, "z")
    try await stack.write { tx in
        for key in [40, 30, 20, 10] as [Int64] { try tx.update(Person.self, key) { $0.age = 7 } }
    }
    found = try await changes.next()
    try expectEqual(found.deletedSections, [0])
    try expectEqual(found.insertedSections, [3])
    try expectEqual(found.reloadedSections, [0, 1, 2])
    try expectEqual(results.sections.map(\.name), ["0", "1", "2", "7"])
    try expectEqual(ids(3), [40, 30, 20, 10])
    let reversed = FetchedResults(
        Person.all, in: try stack.mainContext, sections: .counted(by: \.country, .descending))
    try reversed.blocking.performFetch()
    try expectEqual(reversed.sections.map(\.count), [50])
    let limited = FetchedResults(request.limit(3), in: stack, sections: .counted(by: \.age))
    do {
        try await limited.performFetch()
        try expect(false, "sections by counts are of a request with a limit")
    } catch let error as GranaryError {
        try expectEqual(error.code, .invalidQuery)
    }
}
