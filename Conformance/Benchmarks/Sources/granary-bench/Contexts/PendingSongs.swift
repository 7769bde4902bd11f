import GranaryCore

/// A thousand changes spread over all songs: a third each are updated, deleted and new.
struct PendingSongs {
    private(set) var updated: [Song] = []
    private(set) var deleted: [Int64] = []
    private(set) var inserted: [Song] = []

    init(of catalogue: Catalogue, count: Int = 1000) {
        let step = max(1, catalogue.songCount / count)
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
}
