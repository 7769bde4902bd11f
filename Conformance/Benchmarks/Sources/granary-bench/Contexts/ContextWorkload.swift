import ArgumentParser

/// What contexts do, each timed beside something without a context.
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
    /// 10 000 new reviews handed to a context in one call; beside a transaction that inserts them, its commit included.
    case insert
    /// The same in a call each.
    case insertEach = "insert-each"
    /// Saving a context that holds them; beside the same transaction.
    case save

    /// How many times as long as its yardstick it may take.
    var target: Double {
        switch self {
        case .fetch: 1.1
        case .fetchPending, .topPending, .countPending, .groupPending: 1.5
        case .insert, .insertEach, .save: 1.3
        }
    }

    /// What is asked, of those that ask.
    var question: ContextQuestion? {
        switch self {
        case .fetch, .fetchPending: .all
        case .topPending: .best
        case .countPending: .countScored
        case .groupPending: .groupsByGenre
        case .insert, .insertEach, .save: nil
        }
    }

    /// How often it is asked between two looks at the clock.
    var repeats: Int {
        switch self {
        case .topPending, .countPending: 20
        case .groupPending: 3
        case .fetch, .fetchPending, .insert, .insertEach, .save: 1
        }
    }

    /// Whether the context that is asked has changes.
    var hasPending: Bool { self != .fetch }
}
