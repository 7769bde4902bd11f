/// A commit in the history of a store.
public struct HistoryEntry: Sendable, Hashable {
    /// The commit's number.
    public var number: UInt64
    /// Seconds since 2001-01-01 00:00:00 UTC.
    public var time: Double
    /// The name that the writer gave itself, if it gave one.
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

/// The history that a store keeps, if it has ``Capability/history``. By default none is kept.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `history` | the entries of this state, its own transaction's included, in the order of their numbers |
/// | `keepHistory` | in the store with the rest of the transaction, or not at all; undone with its savepoint |
/// | `deleteHistory` | the entries up to a number are gone with the commit; nothing else changes |
public protocol HistoryReading: AnyObject {
    /// The entries of commits after a number, in the order of their numbers, at most `limit`.
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry]
}

/// Writing what ``HistoryReading`` reads.
public protocol HistoryWriting: HistoryReading {
    /// Keeps an entry, which has the number that this commit will have, until ``deleteHistory(through:)``.
    func keepHistory(_ entry: HistoryEntry) throws
    /// Forgets the entries up to a number. Counts as no change.
    func deleteHistory(through number: UInt64) throws
}

extension HistoryReading {
    public func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] { [] }
}

extension HistoryWriting {
    public func keepHistory(_ entry: HistoryEntry) throws {
        throw GranaryError(
            .unsupported,
            "This store lacks \(Capability.history): it keeps none. Open it without a history policy.")
    }
    public func deleteHistory(through number: UInt64) throws {}
}
