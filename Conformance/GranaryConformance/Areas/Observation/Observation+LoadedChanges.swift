import ConformanceKit
import ConformanceModels
import GranaryCore

/// Differences of records that are followed together with what is loaded with them.
var observationLoadedChangesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.loaded-changes", in: .observation,
            "a difference tells which records have changed, and of which only what is loaded with them", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            let request = Artist.sorted(by: \.label).with({ $0.genre }, { $0.albums.with { $0.songs } })
            let changes = Following(stack.observeChanges(request), on: trial)
            var values = try changes.wait("the first value") { $0.count == 1 }
            try expectEqual(values[0].difference.insertions, [0, 1, 2, 3])
            try expectEqual(values[0].inserted.map(\.0.label), ["Ada", "Bo", "Cy", "Di"])
            try expectEqual(values[0].records.map { $0.2.count }, [2, 1, 1, 0])
            try expectEqual(values[0].relatedUpdates, [])

            // Only what is loaded with one of them, two relationships away.
            try trial.write { try $0.insert(Song(id: 7, album: Ref(3))) }
            values = try changes.wait("a related record") { $0.count == 2 }
            var expected = ListDifference()
            try expectEqual(values[1].difference, expected)
            try expectEqual(values[1].relatedUpdates, [.init(from: 1, to: 1)])
            try expectEqual(values[1].records[1].2.first?.1.map(\.id), [5, 6, 7])

            // One with other values and other records loaded is an update, and a move.
            try trial.write { tx in
                try tx.update(Artist(id: 1, label: "Zoe", genre: Ref(2)))
                try tx.update(Genre(id: 2, label: "Swing"))
            }
            values = try changes.wait("a record of the answer") { $0.count == 3 }
            (expected.moves, expected.updates) = ([.init(from: 0, to: 3)], [.init(from: 0, to: 3)])
            try expectEqual(values[2].difference, expected)
            try expectEqual(values[2].relatedUpdates, [.init(from: 1, to: 0)])
            try expectEqual(values[2].updated.map { "\($0.0.label) \($0.1?.label ?? "-")" }, ["Zoe Swing"])

            // What goes takes along what was loaded with it.
            try trial.write { _ = try $0.delete(Artist.self, 2) }
            values = try changes.wait("a deletion") { $0.count == 4 }
            expected = ListDifference()
            expected.deletions = [0]
            try expectEqual(values[3].difference.deletions, [0])
            try expectEqual(values[3].deletedKeys, [2])
            try expectEqual(values[3].relatedUpdates, [])
        },
        ConformanceCase(
            "observation.loaded-changes-random", in: .observation,
            "after many random commits the differences lead from each answer to the next", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            var random = SeededGenerator(seed: trial.seed)
            let request = Artist.sorted(by: \.label).limit(3).with({ $0.genre }, { $0.albums.with { $0.songs } })
            let changes = Following(stack.observeChanges(request), on: trial)
            for round in 0..<60 {
                try trial.write { try changeShop(&random, $0) }
                let wanted = artistLines(try stack.blocking.read { try $0.fetch(request) })
                try changes.wait("the answer of round \(round)") { $0.last.map { artistLines($0.records) } == wanted }
            }
            try checkLoadedDifferences(changes.values)
        },
        ConformanceCase(
            "observation.loaded-changes-contexts", in: .observation,
            "a child of a context is told of its own changes, its parent's and commits, with what is loaded",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await withDeadline {
                let parent = try stack.makeContext()
                let child = try parent.makeChild()
                let request = Artist.where { $0.id <= 2 }.with({ $0.genre }, { $0.albums })
                var values = child.observeChanges(request).makeAsyncIterator()
                var lists = child.observe(request).makeAsyncIterator()
                var change = try await values.next()
                var list = try await lists.next()
                try expectEqual(change?.difference.insertions, [0, 1])
                try expectEqual(change?.inserted.map { $0.2.map(\.title) }, [["Alpha", "Beta"], ["Gamma"]])
                try expectEqual(list?.map { $0.2.count }, [2, 1])
                // Its own, of what is loaded alone.
                try child.insert(Album(id: 9, title: "New", artist: Ref(2)))
                (change, list) = (try await values.next(), try await lists.next())
                try expectEqual(change?.difference, ListDifference())
                try expectEqual(change?.relatedUpdates, [.init(from: 1, to: 1)])
                try expectEqual(list?.map { $0.2.count }, [2, 2])
                // Its parent's.
                try parent.update(Genre(id: 1, label: "Stone"))
                (change, list) = (try await values.next(), try await lists.next())
                try expectEqual(change?.relatedUpdates, [.init(from: 0, to: 0)])
                try expectEqual(list?.first?.1?.label, "Stone")
                // A commit, of one itself and of what is loaded with the other.
                _ = try await stack.write { tx in
                    try tx.update(Artist(id: 1, label: "Ann", genre: Ref(1)))
                    try tx.update(Album(id: 3, title: "G", artist: Ref(2)))
                }
                change = try await values.next()
                try expectEqual(change?.difference.updates, [.init(from: 0, to: 0)])
                try expectEqual(change?.relatedUpdates, [.init(from: 1, to: 1)])
                try expectEqual(change?.records.map { $0.2.map(\.title) }, [["Alpha", "Beta"], ["G", "New"]])
                // Dropped in the child, and only seen there.
                child.rollback()
                change = try await values.next()
                try expectEqual(change?.relatedUpdates, [.init(from: 1, to: 1)])
                try expectEqual(change?.records.map { $0.2.map(\.title) }, [["Alpha", "Beta"], ["G"]])
                parent.rollback()
            }
        },
        ConformanceCase(
            "observation.loaded-results-child", in: .observation,
            "fetched results over a child of a context show what is loaded with records in both", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await withDeadline { try await followInChild(stack) }
        },
    ]
}

@MainActor private func followInChild(_ stack: Stack) async throws {
    let parent = try stack.makeContext()
    let child = try parent.makeChild()
    let results = FetchedResults(Artist.where { $0.id <= 2 }.with { $0.albums }, in: child)
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    results.onChange = { continuation.yield($0) }
    results.onFailure = { _ in continuation.finish() }
    var changes = stream.makeAsyncIterator()
    try await results.performFetch()
    try parent.insert(Album(id: 9, title: "New", artist: Ref(2)))
    var found = await changes.next()
    var expected = FetchedChanges()
    let (first, second) = (FetchedPath(section: 0, item: 0), FetchedPath(section: 0, item: 1))
    expected.relatedUpdates = [.init(from: second, to: second)]
    try expectEqual(found, expected)
    try child.update(Album(id: 9, title: "New", artist: Ref(1)))
    found = await changes.next()
    expected.relatedUpdates = [.init(from: first, to: first), .init(from: second, to: second)]
    try expectEqual(found, expected)
    try expectEqual(results.fetchedRecords.map { $0.1.map(\.id) }, [[1, 2, 9], [3]])
    results.onChange = nil
}

/// An artist with what is loaded in these cases.
private typealias LoadedArtist = (Artist, Genre?, [(Album, [Song])])

/// Fails unless each difference tells which records of the next value have changed, and of which only what is loaded with them.
private func checkLoadedDifferences(_ changes: [QueryChange<Artist, LoadedArtist>]) throws {
    var old: [LoadedArtist] = []
    for change in changes {
        try expectEqual(change.deletedKeys, change.difference.deletions.map { old[$0].0.id }, "deleted keys")
        var (updates, related): ([ListDifference.Pair], [ListDifference.Pair]) = ([], [])
        for (place, new) in change.records.enumerated() {
            guard let from = old.firstIndex(where: { $0.0.id == new.0.id }) else { continue }
            let pair = ListDifference.Pair(from: from, to: place)
            if old[from].0 != new.0 {
                updates.append(pair)
            } else if !hasSameLoaded(old[from], new) {
                related.append(pair)
            }
        }
        try expectEqual(change.difference.updates.sorted { $0.to < $1.to }, updates, "updates")
        try expectEqual(change.relatedUpdates.sorted { $0.to < $1.to }, related, "updates of what is loaded alone")
        old = change.records
    }
}

private func hasSameLoaded(_ left: LoadedArtist, _ right: LoadedArtist) -> Bool {
    left.1 == right.1 && left.2.elementsEqual(right.2) { $0.0 == $1.0 && "\($0.1)" == "\($1.1)" }
}
