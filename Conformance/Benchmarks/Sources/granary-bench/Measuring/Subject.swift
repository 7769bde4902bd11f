/// One way of keeping tracks. All do the same work: the same columns and one index on `artist`, the same durability (a
/// commit survives loss of power), the same cache sizes, results as whole structs.
protocol Subject: AnyObject {
    /// The struct it takes and gives.
    associatedtype Item: TrackHolder

    /// Opens the store in a folder, creating it if it is not there.
    init(folder: String) throws
    /// Whether the store is still there when it is opened again.
    static var keepsFiles: Bool { get }
    /// Inserts all in one transaction.
    func insert(_ items: [Item]) throws
    /// All in the order of their keys.
    func fetch() throws -> [Item]
    /// Those with these keys, each looked up by itself, within one read.
    func find(_ keys: [Int64]) throws -> [Item]
    /// Those with these keys, each in a read of its own.
    func findEach(_ keys: [Int64]) throws -> [Item]
    /// What ``TrackSelection`` says.
    func filterSort(limit: Int?) throws -> [Item]
    /// Each in the order of the keys, one at a time.
    func stream(_ body: (Item) throws -> Void) throws
    /// What is timed of streaming. A requirement, so that it is compiled for each subject's own type.
    func streamedSum() throws -> StreamSum
    func close() throws
}

extension Subject {
    static var keepsFiles: Bool { true }

    func findEach(_ keys: [Int64]) throws -> [Item] { try keys.flatMap { try find([$0]) } }

    func streamedSum() throws -> StreamSum {
        var sum = StreamSum()
        try stream { sum.add(plays: $0.plays, length: $0.length) }
        return sum
    }
}

/// A track, or a struct with the same fields.
protocol TrackHolder {
    init(_ track: Track)
    var track: Track { get }
    var plays: Int { get }
    var length: Double { get }
}

extension Track: TrackHolder {
    init(_ track: Track) { self = track }
    var track: Track { self }
}

/// A result that is not what it should be, or a call to a library in C that failed.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
