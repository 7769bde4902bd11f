import Granary

/// The names of the artists who are rated best, for as long as the task runs.
func followBest(in stack: Stack, show: ([String]) async -> Void) async throws {
    let best = Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)
    for try await artists in stack.observe(best) {
        await show(artists.map(\.name))
    }
}

/// The artists with their songs, for as long as the task runs.
func followSongs(in stack: Stack, show: ([String]) async -> Void) async throws {
    for try await artists in stack.observe(Artist.sorted(by: \.name).with { $0.songs }) {
        await show(artists.map { artist, songs in "\(artist.name): \(songs.count) songs" })
    }
}

/// Artists by name, in sections by its first letter.
@MainActor final class ArtistTable {
    let results: FetchedResults<Artist>

    init(_ stack: Stack, onChange: @escaping (FetchedChanges) -> Void) throws {
        let byName = Artist.sorted(by: \.name)
        results = FetchedResults(byName, in: try stack.mainContext, sections: .named { String($0.name.prefix(1)) })
        results.onChange = onChange
        try results.blocking.performFetch()
    }

    var titles: [String] { results.sections.map(\.name) }
    func artist(at path: FetchedPath) -> Artist? { results[path] }
}

/// Artists by name with their songs. A row is drawn again also when only the songs have changed.
@MainActor final class ArtistSongsTable {
    let results: FetchedResults<(Artist, [Song])>

    init(_ stack: Stack, redraw: @escaping ([FetchedPath]) -> Void) throws {
        let byName = Artist.sorted(by: \.name)
        results = FetchedResults(byName.with { $0.songs }, in: stack)
        results.onChange = { changes in redraw((changes.updates + changes.relatedUpdates).map(\.to)) }
        try results.blocking.performFetch()
    }

    func songs(at path: FetchedPath) -> [Song] { results[path]?.1 ?? [] }
}

/// Songs by title, in sections by their artist: of any number.
@MainActor final class SongTable {
    let results: FetchedResults<Song>

    init(_ stack: Stack, onChange: @escaping (FetchedChanges) -> Void) async throws {
        let byArtist = Song.sorted(by: \.artist.name).sorted(by: \.title)
        results = FetchedResults(byArtist, in: stack, sections: .by(\.artist.name), batchSize: 100)
        results.onChange = onChange
        try await results.performFetch()
    }

    func song(at path: FetchedPath) -> Song? { results[path] }
    func willShow(_ paths: [FetchedPath]) async throws { try await results.prefetch(paths) }
}

/// The visible songs of a long list, for as long as the task runs.
func followSongs(
    _ visible: Range<Int>, in stack: Stack, show: (_ total: Int, [Song?]) async -> Void
) async throws {
    for try await songs in stack.observeList(Song.sorted(by: \.title)) {
        await show(songs.count, try await stack.read { try songs.fetch(visible, in: $0) })
    }
}

/// Tells of songs that became popular.
func followHits(in stack: Stack, tell: ([String]) async -> Void) async throws {
    for try await changes in try await stack.monitor(Song.self, where: { $0.plays > 100 }) {
        let hits = changes.inserted + changes.began
        if !hits.isEmpty { await tell(hits.map(\.title)) }
    }
}
