/// Whether a stack keeps the changes of its commits in the store itself, and for how long.
///
/// An entry is written in the same transaction as its commit, so one never exists without the other. Every process that
/// writes should use the same policy: a commit written without a history leaves a gap, which
/// ``Stack/changes(since:limit:by:)`` reports.
///
/// Cost: some bytes for each changed record in each commit; the store records every change.
public struct HistoryPolicy: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none, everything
        case latest(Int)
        case recent(Duration)
    }

    let kind: Kind

    /// Keeps nothing: the default.
    public static let none = HistoryPolicy(kind: .none)
    /// Keeps all entries until ``Stack/deleteHistory(through:)``.
    public static let everything = HistoryPolicy(kind: .everything)
    /// Keeps the `count` newest commits.
    public static func latest(_ count: Int) -> HistoryPolicy { HistoryPolicy(kind: .latest(max(0, count))) }
    /// Keeps commits that are not older than `age`, by the clock of the machine that wrote them.
    public static func recent(_ age: Duration) -> HistoryPolicy { HistoryPolicy(kind: .recent(age)) }

    var isKept: Bool { kind != .none }

    /// Deletes old entries, as a part of the commit with a number.
    func trim(_ writer: any StoreWriter, committing number: UInt64, at time: Double, _ age: HistoryAge) throws {
        switch kind {
        case .none, .everything: break
        case .latest(let count):
            if number > UInt64(count) { try writer.deleteHistory(through: number - UInt64(count)) }
        case .recent(let limit):
            let stale = try age.stale(before: time - limit.inSeconds) { try writer.history(after: $0, limit: 1).first }
            if let stale { try writer.deleteHistory(through: stale) }
        }
    }
}

/// A place in a store's history: after a commit. Keep it to ask later what has changed since.
public struct HistoryToken: Sendable, Hashable, Codable, Comparable {
    /// The number of the last commit before this place.
    public let transactionNumber: UInt64

    public init(transactionNumber: UInt64) { self.transactionNumber = transactionNumber }

    public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
        left.transactionNumber < right.transactionNumber
    }
}
