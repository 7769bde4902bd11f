import GranaryCore

/// What a snapshot and a context are asked alike.
enum ContextQuestion {
    case all
    case best
    case countScored
    case groupsByGenre

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
        }
    }

    /// The answer worked out here, from the songs by key.
    func answer(of songs: [Song], songCount: Int) -> Answer {
        switch self {
        case .all: return .songs(songs)
        case .best: return .songs(Array(songs.sorted { ($0.score, $0.id) > ($1.score, $1.id) }.prefix(20)))
        case .countScored:
            let scores = ContextQuestion.scores(songCount)
            return .number(songs.count { scores.contains($0.score) })
        case .groupsByGenre:
            let groups = Dictionary(grouping: songs, by: \.genre).sorted { $0.key < $1.key }
            return .groups(groups.map { ($0.key, $0.value.count, $0.value.reduce(0) { $0 + $1.plays }) })
        }
    }
}
