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
