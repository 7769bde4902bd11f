import GranaryPlatform

// Entries hold whatever a commit changed, which may be much, so they must not be read at each commit to see how old they
// are. Who knows when the oldest one was written need not look before that is too long ago; and looks at one at a time
// then, so that an entry is read twice in its life, not at each commit.

/// What a stack knows of the age of its history.
final class HistoryAge: Sendable {
    /// How many entries go with one commit, at most: as each commit adds one, the rest goes soon.
    static let limit = 8

    private let lock = Lock()
    /// When the oldest entry was written; nil if that is not known. It may have gone since: then one looks too early.
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var oldest: Double?

    init() {}

    /// The last of the first entries that were written before a time; nil if there is none.
    ///
    /// - Parameter next: The first entry after a number.
    func stale(before time: Double, _ next: (UInt64) throws -> HistoryEntry?) rethrows -> UInt64? {
        if let oldest = lock.withLock({ oldest }), oldest >= time { return nil }
        forget()
        var last: UInt64?
        for _ in 0..<HistoryAge.limit {
            guard let entry = try next(last ?? 0) else { break }
            guard entry.time < time else {
                lock.withLock { oldest = entry.time }
                break
            }
            last = entry.number
        }
        return last
    }

    /// The entries may be others than was thought: what was deleted is back.
    func forget() { lock.withLock { oldest = nil } }
}
