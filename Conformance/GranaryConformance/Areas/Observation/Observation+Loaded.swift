import ConformanceKit
import ConformanceModels
import GranaryCore

/// Records followed together with what is loaded with them.
var observationLoadedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.loaded", in: .observation, "records are observed with what is loaded with them",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            let artists = Following(
                stack.observe(Artist.where { $0.id <= 2 }.with({ $0.genre }, { $0.albums.with { $0.songs } })).map(
                    artistLines),
                on: trial)
            let lists = Following(
                stack.observe(Playlist.sorted(by: \.id).limit(1).with { $0.songs }).map { rows in
                    rows.map { $0.1.map(\.id) }
                }, on: trial)
            try artists.wait("the first value") { $0 == [["Ada Rock Alpha(1,2,3) Beta(4)", "Bo Jazz Gamma(5,6)"]] }
            try lists.wait("the first value") { $0 == [[[1, 2, 5]]] }
            // Of the records themselves nothing changes.
            try trial.write { try $0.update(Genre(id: 2, label: "Swing")) }
            try artists.wait("a record referred to") { $0.last?[1] == "Bo Swing Gamma(5,6)" }
            try trial.write { _ = try $0.delete(Song.self, 3) }
            try artists.wait("a deletion two relationships away") { $0.last?[0] == "Ada Rock Alpha(1,2) Beta(4)" }
            try trial.write { try $0.insert(Song(id: 7, album: Ref(2))) }
            try artists.wait("an insertion two relationships away") { $0.last?[0] == "Ada Rock Alpha(1,2) Beta(4,7)" }
            try trial.write { try $0.update(Album(id: 2, title: "Beta", artist: Ref(2))) }
            try artists.wait("one that goes to another") {
                $0.last == ["Ada Rock Alpha(1,2)", "Bo Swing Beta(4,7) Gamma(5,6)"]
            }
            // The order of links, which no linked record holds.
            try trial.write { tx in
                try PlaylistSong.where { $0.target == Ref(1) }.updateAll(in: tx) { $0.set(\.position, to: 9) }
            }
            try lists.wait("another order of links") { $0 == [[[1, 2, 5]], [[2, 5, 1]]] }
            // What is loaded with no record that is shown, and what is not loaded at all.
            try trial.write { tx in
                try tx.update(Genre(id: 3, label: "Country"))
                try tx.update(Album(id: 4, title: "Last", artist: Ref(3)))
                try tx.insert(Employee(id: 9, label: "Gus"))
            }
            try trial.write { try $0.update(Artist(id: 1, label: "Ann", genre: Ref(1))) }
            try artists.wait("a change of its own") { $0.last?[0] == "Ann Rock Alpha(1,2)" }
            try expectEqual(artists.values.count, 6)
            try expectEqual(lists.values.count, 2)
        },
        ConformanceCase(
            "observation.loaded-random", in: .observation,
            "after each of many random commits observed records come with what a fetch loads with them", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            var random = SeededGenerator(seed: trial.seed)
            let query = Artist.sorted(by: { $0.label }).limit(3)
            let artists = Following(
                stack.observe(query.with({ $0.genre }, { $0.albums.with { $0.songs } })).map(artistLines), on: trial)
            for round in 0..<60 {
                try trial.write { try changeShop(&random, $0) }
                let wanted = artistLines(
                    try stack.blocking.read { try $0.fetch(query.with({ $0.genre }, { $0.albums.with { $0.songs } })) })
                try artists.wait("the answer of round \(round)") { $0.last == wanted }
            }
        },
        ConformanceCase(
            "observation.loaded-context", in: .observation,
            "in a context, records are observed with its own changes of what is loaded with them", modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            try await withDeadline {
                let context = try stack.makeContext()
                var values = context.observe(
                    Artist.where { $0.id <= 2 }.with({ $0.genre }, { $0.albums.with { $0.songs } })
                )
                .makeAsyncIterator()
                var shown = try await values.next().map(artistLines)
                try expectEqual(shown, ["Ada Rock Alpha(1,2,3) Beta(4)", "Bo Jazz Gamma(5,6)"])
                try context.update(Album(id: 3, title: "Third", artist: Ref(1)))
                shown = try await values.next().map(artistLines)
                try expectEqual(shown, ["Ada Rock Alpha(1,2,3) Beta(4) Third(5,6)", "Bo Jazz"])
                _ = try await stack.write { try $0.delete(Song.self, 6) }
                shown = try await values.next().map(artistLines)
                try expectEqual(shown?.first, "Ada Rock Alpha(1,2,3) Beta(4) Third(5)")
                context.rollback()
                shown = try await values.next().map(artistLines)
                try expectEqual(shown, ["Ada Rock Alpha(1,2,3) Beta(4)", "Bo Jazz Gamma(5)"])
            }
        },
        ConformanceCase(
            "observation.loaded-results", in: .observation,
            "fetched results tell which records have changed, and of which only what is loaded with them",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.open(SuiteSchema.shop)
            try trial.write(Shop.fill)
            let other = try trial.subject.open(SuiteSchema.shop, at: trial.folder + "/Context.granary")
            try await other.write { try Shop.fill($0) }
            try await withDeadline {
                try await followLoaded(stack, overContext: false)
                try await followLoaded(other, overContext: true)
            }
        },
        ConformanceCase(
            "observation.closes-early", in: .observation,
            "an observation whose stack closes before its first value ends, without one and without an error",
            modes: [.fresh]
        ) { trial in
            for round in 0..<30 {
                let stack = try trial.another(at: trial.folder + "/Closing-\(round % 3).granary")
                let (values, counts) = (stack.observe(Shelf.all), stack.observeCount(Shelf.all))
                if round % 2 == 0 {
                    // Before the loops begin.
                    try await stack.close()
                    let (one, two) = (try await first(values), try await first(counts))
                    try expectEqual(one?.count, nil)
                    try expectEqual(two, nil)
                    let changes = try await first(stack.changes)
                    try expect(changes == nil, "a change set of a closed stack")
                } else {
                    // While they begin.
                    let (one, two) = (Following(values, on: trial), Following(counts, on: trial))
                    try await stack.close()
                    try one.finished()
                    try two.finished()
                }
            }
            let stack = try trial.another(at: trial.folder + "/Context.granary")
            try await withDeadline { try await closeEarly(stack) }
        },
    ]
}

@MainActor private func closeEarly(_ stack: Stack) async throws {
    let context = try stack.makeContext()
    let values = context.observe(Shelf.all)
    let results = FetchedResults(Shelf.all, in: stack)
    try await stack.close()
    var iterator = values.makeAsyncIterator()
    let value = try await iterator.next()
    try expectEqual(value?.count, nil)
    // A fetch must have an answer.
    do {
        try await results.performFetch()
        try expect(false, "records of a closed stack")
    } catch let error as GranaryError {
        try expectEqual(error.code, .closed)
    }
}

private func first<Values: AsyncSequence>(_ values: Values) async throws -> Values.Element? {
    var iterator = values.makeAsyncIterator()
    return try await iterator.next()
}

@MainActor private func followLoaded(_ stack: Stack, overContext: Bool) async throws {
    let query = Artist.sorted(by: \.id)
    let results: FetchedResults<(Artist, Genre?, [Album])> =
        overContext
        ? FetchedResults(
            query.with({ $0.genre }, { $0.albums }), in: try stack.makeContext(), sections: .by { $0.genre.label })
        : FetchedResults(query.with({ $0.genre }, { $0.albums }), in: stack, sections: .by { $0.genre.label })
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    results.onChange = { continuation.yield($0) }
    results.onFailure = { _ in continuation.finish() }
    var changes = stream.makeAsyncIterator()
    try await results.performFetch()
    try expectEqual(results.sections.map(\.name), ["Rock", "Jazz", "", "Folk"])
    try expectEqual(results.fetchedRecords.map { $0.2.map(\.title) }, [["Alpha", "Beta"], ["Gamma"], ["Delta"], []])
    let (ada, bo) = (FetchedPath(section: 0, item: 0), FetchedPath(section: 1, item: 0))
    try expectEqual(results[ada]?.1?.label, "Rock")

    // Only what is loaded with one of them.
    _ = try await stack.write { try $0.update(Album(id: 2, title: "B", artist: Ref(1))) }
    var found = await changes.next()
    var expected = FetchedChanges()
    expected.relatedUpdates = [.init(from: ada, to: ada)]
    try expectEqual(found, expected)
    try expectEqual(results[ada]?.2.map(\.title), ["Alpha", "B"])

    // What is loaded with one, and another itself.
    _ = try await stack.write { tx in
        try tx.insert(Album(id: 9, title: "New", artist: Ref(1)))
        try tx.update(Artist(id: 2, label: "Bob", genre: Ref(2)))
    }
    found = await changes.next()
    expected.updates = [.init(from: bo, to: bo)]
    try expectEqual(found, expected)

    // Both of one is a change of its own.
    _ = try await stack.write { tx in
        try tx.delete(Album.self, 9)
        try tx.update(Artist(id: 1, label: "Ann", genre: Ref(1)))
    }
    found = await changes.next()
    expected = FetchedChanges()
    expected.updates = [.init(from: ada, to: ada)]
    try expectEqual(found, expected)
    results.onChange = nil
}

/// Artists with their genre, their albums and the songs of these.
func artistLines(_ rows: [(Artist, Genre?, [(Album, [Song])])]) -> [String] {
    rows.map { artist, genre, albums in
        let albums = albums.map { "\($0.title)(\($1.map { "\($0.id)" }.joined(separator: ",")))" }
        return ([artist.label, genre?.label ?? "-"] + albums).joined(separator: " ")
    }
}

func changeShop(_ random: inout SeededGenerator, _ tx: Transaction) throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let number = Int64.random(in: 1...6, using: &random)
        let artist = try tx.fetch(Artist.all).randomElement(using: &random)?.id ?? 1
        let album = try tx.fetch(Album.all).randomElement(using: &random)?.id
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try tx.upsert(Album(id: number, title: "t\(number % 3)", artist: Ref(artist)))
        case 1: if let album { try tx.upsert(Song(id: number, album: Ref(album))) }
        case 2: try tx.delete(Song.self, number)
        case 3: try tx.delete(Album.self, number)
        case 4: try tx.update(Genre(id: number % 3 + 1, label: "g\(number)"))
        default:
            try tx.update(Artist(id: artist, label: "a\(number)", genre: number < 4 ? Ref(number) : nil))
        }
    }
}
