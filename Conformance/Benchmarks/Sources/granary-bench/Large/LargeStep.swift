import Foundation

/// What is done to a large store, in this order.
enum LargeStep: String, CaseIterable, Codable {
    /// All records by ascending key, 50 000 a transaction.
    case insert
    /// The same into another store, by keys in random order.
    case insertRandom = "insert at random"
    /// The first opening after the store was closed.
    case open
    /// The first opening of a copy of the files, which LMDB checks as a whole.
    case openCopied = "open copied files"
    /// All records, one after the other.
    case scan
    /// Records by random keys, each in a read of its own.
    case find
    /// 100 records after a random key.
    case page
    /// A 26th of the records, by the index.
    case indexScan = "index scan"
    case verify
    case backUp = "back up"
    /// Into a new store of the same kind.
    case copy
    /// Every tenth record by its key, 50 000 a transaction.
    case deleteTenth = "delete a tenth"
    case compact
    /// A number becomes real, so that each record is rewritten.
    case migrate

    /// What the time is divided by: the step's time of one.
    var one: String {
        switch self {
        case .open, .openCopied: "opening"
        case .find: "find"
        case .page: "page"
        default: "record"
        }
    }
}

/// What a step took.
struct LargeResult: Codable {
    var step: LargeStep
    var seconds: Double
    /// How many records, finds, pages or openings there were.
    var count: Int
    /// The most memory that the process had of its own, in MB.
    var memory: Double

    var microsecondsOfOne: Double { seconds * 1e6 / Double(count) }
}
