/// A commit in the history of a store.
public struct HistoryEntry: Sendable, Hashable {
    /// The commit's number.
    public var number: UInt64
    /// Seconds since 2001-01-01 00:00:00 UTC.
    public var time: Double
    /// The name given by the writer, if any.
    public var author: String?
    /// The changes, in core's own form.
    public var changes: [UInt8]

    public init(number: UInt64, time: Double, author: String?, changes: [UInt8]) {
        self.number = number
        self.time = time
        self.author = author
        self.changes = changes
    }
}

/// The history of a store with ``Capability/history``. By default no history is kept.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `history` | the entries of this state, including those of its own transaction, in the order of their numbers |
/// | `keepHistory` | in the store with the rest of the transaction, or not at all; undone with its savepoint |
/// | `deleteHistory` | the entries up to a number are deleted with the commit; nothing else changes |
public protocol HistoryReading: AnyObject {
    /// The entries of commits after a number, in the order of their numbers, at most `limit`.
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry]
}

/// Writes the history that ``HistoryReading`` reads.
public protocol HistoryWriting: HistoryReading {
    /// Keeps an entry until ``deleteHistory(through:)``. It has the number that this commit will have.
    func keepHistory(_ entry: HistoryEntry) throws
    /// Deletes the entries up to a number. Does not count as a change.
    func deleteHistory(through number: UInt64) throws
}

extension HistoryReading {
    public func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] { [] }
}

extension HistoryWriting {
    public func keepHistory(_ entry: HistoryEntry) throws {
        throw GranaryError.unsupported(
            .history,
            "This store lacks \(Capability.history): it keeps none. Open it without a history policy.")
    }
    public func deleteHistory(through number: UInt64) throws {}
}
