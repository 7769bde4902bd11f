import ArgumentParser

/// The workloads of queries and relationships.
enum QueryWorkload: String, CaseIterable, ExpressibleByArgument {
    /// The songs of a genre: 1 % of all, by an index.
    case filter
    /// About 1 000 songs whose score is in a range, by an index.
    case filterRange = "filter-range"
    /// The 20 with the highest score, by an index.
    case top
    /// The 20 longest; there is no index.
    case topUnindexed = "top-unindexed"
    /// All songs by score in pages of 1 000.
    case pages
    /// Finding the song in the middle by score, then the 1 000 after it.
    case page
    /// How many songs have a score in a range.
    case count
    /// Songs and the sum of their plays by genre, which has an index, and by mood, which has none.
    case groupIndexed = "group-indexed"
    case group
    /// The songs of the artist with a name.
    case toOne = "to-one"
    /// The songs of the artists of a country, which has no index.
    case toOneUnindexed = "to-one-unindexed"
    /// The artists with a song whose score is in a range, by an index; about 100 songs are.
    case toMany = "to-many"
    /// The artists with a song played more than 995 times of 1 000, which has no index.
    case toManyUnindexed = "to-many-unindexed"
    /// All artists, each with its songs.
    case prefetch
    /// The songs with the highest score of their artist.
    case newestOfEach = "newest-of-each"
    /// Deletes artists, and with each the hundred songs it has.
    case cascade

    /// How often it is asked, each time for something else, between two looks at the clock.
    var repeats: Int {
        switch self {
        case .filter, .filterRange, .page, .count, .toMany: 20
        case .top, .toOne: 200
        case .topUnindexed, .groupIndexed, .group, .toOneUnindexed, .toManyUnindexed: 3
        case .pages, .prefetch, .newestOfEach, .cascade: 1
        }
    }

    static let fixedSize: [QueryWorkload] = [.filterRange, .top, .page, .count, .toOne, .toMany]
}

/// A workload with what it is asked for.
enum Question {
    case songsOfGenre(String)
    case songsScored(Range<Int>)
    case best(limit: Int)
    case longest(limit: Int)
    case allPages(size: Int)
    case page(afterScore: Int, size: Int)
    case countScored(Range<Int>)
    case groupsByGenre
    case groupsByMood
    case songsOfArtist(name: String)
    case songsOfCountry(String)
    case artistsWithScored(Range<Int>)
    case artistsPlayedMoreThan(Int)
    case artistsWithSongs
    case bestOfEachArtist

    /// - Parameter count: about how many rows are counted.
    static func asked(by workload: QueryWorkload, of catalogue: Catalogue, count: Int) -> [Question] {
        var random = SplitMix(seed: 0xA5C)
        let scores = catalogue.songCount * 10
        // There are ten scores for each song.
        func range(of songs: Int) -> Range<Int> {
            let width = min(songs * 10, scores)
            let start = Int(random.next(below: UInt64(scores - width + 1)))
            return start..<start + width
        }
        return (0..<workload.repeats).map { number in
            switch workload {
            case .filter: .songsOfGenre(catalogue.genre(number * 37 % Catalogue.genreCount))
            case .filterRange: .songsScored(range(of: 1000))
            case .top: .best(limit: 20)
            case .topUnindexed: .longest(limit: 20)
            case .pages: .allPages(size: 1000)
            case .page: .page(afterScore: scores / 2 + number * 100, size: 1000)
            case .count: .countScored(range(of: count))
            case .groupIndexed: .groupsByGenre
            case .group: .groupsByMood
            case .toOne:
                .songsOfArtist(
                    name: catalogue.artist(Int(random.next(below: UInt64(catalogue.artistCount))) + 1).name)
            case .toOneUnindexed: .songsOfCountry(catalogue.country(number * 37))
            case .toMany: .artistsWithScored(range(of: 100))
            case .toManyUnindexed: .artistsPlayedMoreThan(995 + number)
            case .prefetch, .cascade: .artistsWithSongs
            case .newestOfEach: .bestOfEachArtist
            }
        }
    }
}
