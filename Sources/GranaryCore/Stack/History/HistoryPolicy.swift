/// Whether a stack keeps what its commits changed in the store itself, and for how long.
///
/// Kept with the commit, so that neither is ever there without the other. Every process that writes should use one policy:
/// a commit written without leaves a gap, which ``Stack/changes(since:limit:by:)`` reports.
///
/// Cost: some bytes a changed record in each commit; the store notes every change.
public struct HistoryPolicy: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none, everything
        case latest(Int)
        case recent(Duration)
    }

    let kind: Kind

    /// Nothing is kept: the default.
    public static let none = HistoryPolicy(kind: .none)
    /// Kept until ``Stack/deleteHistory(through:)``.
    public static let everything = HistoryPolicy(kind: .everything)
    /// So many of the newest commits.
    public static func latest(_ count: Int) -> HistoryPolicy { HistoryPolicy(kind: .latest(max(0, count))) }
    /// Commits that are not older than this, by the clock of the machine that wrote them.
    public static func recent(_ age: Duration) -> HistoryPolicy { HistoryPolicy(kind: .recent(age)) }

    var isKept: Bool { kind != .none }

    /// Forgets what is too old, as a part of the commit with a number.
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
    /// The number of the last commit before it.
    public let transactionNumber: UInt64

    public init(transactionNumber: UInt64) { self.transactionNumber = transactionNumber }

    public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
        left.transactionNumber < right.transactionNumber
    }
}
