import GranaryPlatform

/// Decides how long a group of writes waits for a further one before it is committed.
///
/// The problem: tasks whose writes were committed together begin their next ones a moment later. If a write that had to
/// wait begins and commits in that moment, all of them wait for its sync, and then the same happens again: two halves
/// take turns.
///
/// The rule: if several writes were under way lately, a group waits a little for as many. It waits for each at most an
/// eighth of the time that a commit takes, and for all at most half of it. A write that is alone never waits.
// @unchecked: only the running write uses it, and the queue of writes runs one at a time.
final class GroupPace: @unchecked Sendable {
    /// The number of writes that were under way at the end of the last commit.
    private var expected = 1
    /// How long a commit takes, in seconds: an average in which the last ones count most.
    private var commitTime = 0.0

    /// How long a group waits for its next write, in seconds; 0 if it does not wait.
    ///
    /// - Parameters:
    ///   - count: The number of its writes.
    ///   - waited: How long it has waited already.
    func pause(count: Int, waited: Double) -> Double {
        guard count < expected, commitTime > GroupPace.shortest, waited < commitTime / 2 else { return 0 }
        return commitTime / 8
    }

    /// Commits that take less time, in seconds, are not worth a pause.
    private static let shortest = 100e-6

    /// Notes a commit.
    ///
    /// - Parameters:
    ///   - count: The number of its writes.
    ///   - waiting: The number of writes that wait now.
    func note(count: Int, waiting: Int, seconds: Double) {
        expected = count + waiting
        commitTime += (seconds - commitTime) / 8
    }
}
