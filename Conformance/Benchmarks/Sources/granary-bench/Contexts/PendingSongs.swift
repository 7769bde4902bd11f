import GranaryCore

/// Changes spread over all songs: a third each are updated, deleted and new. One in a hundred is of an artist as well.
struct PendingSongs {
    private(set) var updated: [Song] = []
    private(set) var deleted: [Int64] = []
    private(set) var inserted: [Song] = []
    private(set) var artists: [Artist] = []

    /// As many as are changed at most.
    static let most = 1000

    init(of catalogue: Catalogue, count: Int) {
        for number in stride(from: 0, to: count, by: 100) {
            var artist = catalogue.artist(number / 10 + 1)
            artist.country = catalogue.country(7)
            artists.append(artist)
        }
        let step = max(1, catalogue.songCount / max(1, count))
        for number in 0..<count {
            var song = catalogue.song(number * step + 1)
            switch number % 3 {
            case 0:
                song.score = catalogue.songCount * 10 - song.score
                song.genre = catalogue.genre(number % Catalogue.genreCount)
                song.plays += 1
                updated.append(song)
            case 1: deleted.append(song.id)
            default:
                song.id = Int64(catalogue.songCount + number)
                inserted.append(song)
            }
        }
    }

    func make(in context: EditContext) throws {
        try context.update(artists)
        try context.update(updated)
        _ = try context.delete(Song.self, deleted)
        try context.insert(inserted)
    }

    /// The songs by key as they are with the changes.
    func applied(to catalogue: Catalogue) -> [Song] {
        let updates = Dictionary(uniqueKeysWithValues: updated.map { ($0.id, $0) })
        let gone = Set(deleted)
        let old = (1...catalogue.songCount).lazy.map { catalogue.song($0) }.filter { !gone.contains($0.id) }
        return old.map { updates[$0.id] ?? $0 } + inserted
    }

    /// The artists by key as they are with the changes.
    func appliedToArtists(of catalogue: Catalogue) -> [Artist] {
        let updates = Dictionary(uniqueKeysWithValues: artists.map { ($0.id, $0) })
        return (1...catalogue.artistCount).map { updates[Int64($0)] ?? catalogue.artist($0) }
    }
}
