import ArgumentParser

/// What contexts and observers do, each timed beside a yardstick.
enum ContextWorkload: String, CaseIterable, ExpressibleByArgument {
    /// All songs into an array, in a context without changes; beside a snapshot.
    case fetch
    /// The same with 1 000 changed songs.
    case fetchPending = "fetch-pending"
    /// The 20 with the highest score, by an index, with 1 000 changed songs.
    case topPending = "top-pending"
    /// How many songs have a score in a range that 10 % have, with 1 000 changed songs.
    case countPending = "count-pending"
    /// Songs and the sum of their plays by genre, with 1 000 changed songs.
    case groupPending = "group-pending"
    /// The sum of all plays, with one changed song and one changed artist, and with 1 000 changed songs and ten artists.
    case sumOne = "sum-one"
    case sumPending = "sum-pending"
    /// The ten artists with the most songs, in the same way.
    case orderOne = "order-one"
    case orderPending = "order-pending"
    /// How many songs are of a genre, or of an artist of a country, in the same way.
    case orOne = "or-one"
    case orPending = "or-pending"
    /// 10 000 new reviews handed to a context in one call; beside a transaction that inserts them, its commit included.
    case insert
    /// The same in a call each.
    case insertEach = "insert-each"
    /// Saving a context that holds them; beside the same transaction.
    case save
    /// A commit that changes one song, with a hundred loops that follow a song each; beside one loop.
    case observers
    /// The same with loops that follow the songs of a genre each.
    case observersByGenre = "observers-by-genre"
    /// How much later than the commit the loop that it matters to has its answer; of the same loops.
    case notice

    /// What it may take at most.
    enum Target {
        /// So many times as long as its yardstick.
        case ratio(Double)
        case time(Duration)
    }

    var target: Target {
        switch self {
        case .fetch: .ratio(1.1)
        case .fetchPending, .topPending, .countPending, .groupPending: .ratio(1.5)
        case .sumOne, .sumPending, .orderOne, .orderPending, .orOne, .orPending: .ratio(1.5)
        case .insert, .insertEach, .save: .ratio(1.3)
        case .observers, .observersByGenre: .ratio(1.5)
        case .notice: .time(.milliseconds(5))
        }
    }

    /// What is asked, of those that ask.
    var question: ContextQuestion? {
        switch self {
        case .fetch, .fetchPending: .all
        case .topPending: .best
        case .countPending: .countScored
        case .groupPending: .groupsByGenre
        case .sumOne, .sumPending: .playsSum
        case .orderOne, .orderPending: .artistsBySongs
        case .orOne, .orPending: .countOfCountryOrGenre
        case .insert, .insertEach, .save, .observers, .observersByGenre, .notice: nil
        }
    }

    /// How often a question is asked between two looks at the clock.
    var repeats: Int {
        switch self {
        case .topPending, .countPending: 20
        case .groupPending, .sumOne, .sumPending, .orderOne, .orderPending: 3
        case .orOne, .orPending: 10
        default: 1
        }
    }

    /// How many songs are changed in the context that is asked.
    var pendingCount: Int {
        switch self {
        case .fetch: 0
        case .sumOne, .orderOne, .orOne: 1
        default: PendingSongs.most
        }
    }
}
