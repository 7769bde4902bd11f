import GranaryCore

/// Makes the same artists and songs on every run, each from its number alone. The songs of an artist lie apart from each
/// other, as those of a collection that grew do.
struct Catalogue: Sendable {
    static let genreCount = 100
    private static let words = [
        "blue", "river", "night", "stone", "écho", "glass", "winter", "golden", "harbour", "wire",
    ]

    var artistCount: Int
    var songsPerArtist: Int

    var songCount: Int { artistCount * songsPerArtist }

    func artist(_ number: Int) -> Artist {
        var random = SplitMix(seed: 0xA57 &+ UInt64(number))
        return Artist(
            id: Int64(number), name: "\(text(&random)) \(number)",
            country: label("country", Int(random.next(below: 100))))
    }

    func song(_ number: Int) -> Song {
        var random = SplitMix(seed: UInt64(number))
        return Song(
            id: Int64(number), title: text(&random) + " " + text(&random),
            artist: Ref(Int64((number - 1) % artistCount + 1)),
            genre: genre(Int(random.next(below: UInt64(Catalogue.genreCount)))),
            mood: label("mood", Int(random.next(below: 100))),
            plays: Int(random.next(below: 1000)),
            length: Double(random.next(below: 600_000)) / 1000,
            score: Int(random.next(below: UInt64(songCount * 10))))
    }

    func genre(_ number: Int) -> String { label("genre", number) }
    func country(_ number: Int) -> String { label("country", number) }

    /// Names that order as their numbers do.
    private func label(_ name: String, _ number: Int) -> String { name + " " + String(1000 + number) }

    private func text(_ random: inout SplitMix) -> String {
        func word() -> String { Catalogue.words[Int(random.next(below: UInt64(Catalogue.words.count)))] }
        return word() + " " + word()
    }
}
