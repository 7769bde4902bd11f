import GranaryPlatform

// An entry holds everything that its commit changed, which may be large, so entries must not be read at each commit to
// find their age. If the time of the oldest entry is known, no entry is read before that one is too old. Then entries
// are read one at a time, so that an entry is read twice in its life and not at each commit.

/// A stack's knowledge of the age of its history.
final class HistoryAge: Sendable {
    /// The greatest number of entries deleted in one commit. Each commit adds one entry, so the others are soon deleted
    /// too.
    static let limit = 8

    private let lock = Lock()
    /// The time of the oldest entry; nil if unknown. If that entry has been deleted since, the next check only comes
    /// too early.
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var oldest: Double?

    init() {}

    /// The number of the last entry to delete: of the first entries, the last that was written before `time`; nil if
    /// there is none.
    ///
    /// - Parameter next: Returns the first entry after a number.
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

    /// Forgets the known time, because deleted entries may have come back.
    func forget() { lock.withLock { oldest = nil } }
}
