import GranaryPlatform

/// How writes that wait for their turn share one commit of the store, and so one sync of the disk.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), groupCommit: GroupCommit(writes: 100, within: .milliseconds(10)))
/// ```
///
/// A write that has done its work looks whether others wait. If so, they do their work in the same transaction, each
/// as if it were alone: it sees the writes before it, one that throws is undone alone, and each has a number, a change
/// set and an entry of the history of its own. Then all of them are committed, and each is told. Until then no read
/// sees any of them. If the commit fails, it fails for all.
///
/// A group ends when no write waits, at a number of writes, or when its first write has waited for a time. A write
/// that takes long makes those before it in its group wait as well, as it makes those after it.
///
/// A group whose first write is a blocking one does not do the work of asynchronous writes: it ends at the first of
/// them that waits. A group whose first write is asynchronous takes both.
///
/// One write alone is committed at once. A store without ``Capability/groupCommit`` commits each write alone.
public struct GroupCommit: Sendable, Hashable {
    /// The greatest number of writes in a group.
    public var writes: Int
    /// The time after which no further write begins in a group.
    public var within: Duration

    /// - Parameters:
    ///   - writes: The greatest number of writes in a group; at least 1.
    ///   - within: The time after which no further write begins in a group; not negative.
    public init(writes: Int = 1000, within: Duration = .milliseconds(50)) {
        (self.writes, self.within) = (writes, within)
    }

    /// Each write is committed alone.
    public static let off = GroupCommit(writes: 1)

    /// - Throws: `limit` for a number or a time that no group can have.
    func check() throws {
        guard writes >= 1 else {
            throw GranaryError(
                .limit, "A group of \(writes) writes cannot commit anything. Give a number from 1 on, or .off.")
        }
        guard within >= .zero else {
            throw GranaryError(
                .limit, "A group cannot end \(within) after it begins. Give a time that is not negative.")
        }
    }
}
