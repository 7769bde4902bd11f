import GranaryCore

/// What a snapshot and a context are asked alike.
enum ContextQuestion {
    case all
    case best
    case countScored
    case groupsByGenre
    case playsSum
    case artistsBySongs
    case countOfCountryOrGenre

    private static let country = "country 1007"
    private static let genre = "genre 1007"

    /// Those that count: 10 % of the songs.
    static func scores(_ songCount: Int) -> Range<Int> { songCount * 4..<songCount * 5 }

    func answer(in context: ReadContext, songCount: Int) throws -> Answer {
        switch self {
        case .all: return .songs(try context.fetch(Song.all))
        case .best: return .songs(try context.fetch(Song.sorted(by: \.score, .descending).limit(20)))
        case .countScored:
            let scores = ContextQuestion.scores(songCount)
            return .number(try context.count(Song.where { $0.score.in(scores) }))
        case .groupsByGenre:
            let groups = Song.all.grouped(by: { $0.genre }).select { ($0.genre, $0.id.count, $0.plays.sum) }
            return .groups(try context.fetch(groups).map { ($0, $1, Int($2)) })
        case .playsSum: return .number(try Song.all.sum(\.plays, in: context))
        case .artistsBySongs:
            return .artists(try context.fetch(Artist.all.sorted(by: { $0.songs.count }, .descending).limit(10)))
        case .countOfCountryOrGenre:
            return .number(
                try context.count(
                    Song.where { $0.artist.country == ContextQuestion.country || $0.genre == ContextQuestion.genre }))
        }
    }

    /// The answer worked out here, from the songs and the artists by key.
    func answer(of songs: [Song], _ artists: [Artist], songCount: Int) -> Answer {
        switch self {
        case .all: return .songs(songs)
        case .best: return .songs(Array(songs.sorted { ($0.score, $0.id) > ($1.score, $1.id) }.prefix(20)))
        case .countScored:
            let scores = ContextQuestion.scores(songCount)
            return .number(songs.count { scores.contains($0.score) })
        case .groupsByGenre:
            let groups = Dictionary(grouping: songs, by: \.genre).sorted { $0.key < $1.key }
            return .groups(groups.map { ($0.key, $0.value.count, $0.value.reduce(0) { $0 + $1.plays }) })
        case .playsSum: return .number(songs.reduce(0) { $0 + $1.plays })
        case .artistsBySongs:
            let counts = Dictionary(songs.map { ($0.artist.key, 1) }, uniquingKeysWith: +)
            // Ties are in the direction of the order.
            let sorted = artists.sorted { (counts[$0.id] ?? 0, $0.id) > (counts[$1.id] ?? 0, $1.id) }
            return .artists(Array(sorted.prefix(10)))
        case .countOfCountryOrGenre:
            let wanted = Set(artists.filter { $0.country == ContextQuestion.country }.map(\.id))
            return .number(songs.count { wanted.contains($0.artist.key) || $0.genre == ContextQuestion.genre })
        }
    }
}
