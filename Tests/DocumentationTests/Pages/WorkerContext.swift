import Granary

/// Sums up the plays of each artist's songs, those that are not saved included.
@MainActor func countPlays(in context: EditContext) async throws -> Int {
    try await context.performInWorker(named: "plays") { worker in
        var changed = 0
        for (artist, songs) in try worker.fetch(Artist.all.with { $0.songs }) {
            let plays = songs.reduce(0) { $0 + $1.plays }
            if artist.plays == plays { continue }
            try worker.update(Artist.self, artist.id) { $0.plays = plays }
            changed += 1
        }
        return changed
    }
}

/// Plays a song, and saves that with all other changes of the context.
@MainActor func play(_ song: Song.Key, in context: EditContext) async throws {
    try await context.performInWorker(named: "play", saving: true) { worker in
        try worker.update(Song.self, song) { $0.plays += 1 }
    }
}
