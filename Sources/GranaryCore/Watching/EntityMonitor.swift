// A change set names keys. What a record was before a commit is gone when the change set is read, so whether it met a condition
// before is known only to who has kept it: the keys of the records that meet the condition are kept, one hash table's entry
// each. Without a condition nothing need be kept.

/// What a commit, or a change in a context, does to the records of one type that meet a condition.
///
/// ```swift
/// for try await changes in try await stack.monitor(Song.self, where: { $0.plays > 100 }) {
///     print(changes.inserted, changes.began, changes.deleted)
/// }
/// ```
public struct EntityChanges<R: Record>: Sendable {
    /// Records that are new and meet the condition.
    public var inserted: [R] = []
    /// Records that were changed, and met the condition before and after.
    public var updated: [R] = []
    /// Records that were changed and meet the condition now, but did not before.
    public var began: [R] = []
    /// Records that were changed and no longer meet the condition.
    public var ceased: [R.Key] = []
    /// Records that met the condition and are gone.
    public var deleted: [R.Key] = []
    /// Records that the commit inserted or changed and that a later commit has deleted since: what they were is not known, nor
    /// whether they met the condition. The deletion is told with its own commit. Always empty in a context.
    public var gone: [R.Key] = []
    /// Whether it is not known what was changed, as another process wrote it: then read the records again.
    public var isUnknown = false
    /// Who wrote it.
    public let origin: ChangeOrigin

    /// Records that were changed and meet the condition now, whether or not they did before.
    public var modified: [R] { updated + began }

    public var isEmpty: Bool {
        !isUnknown && inserted.isEmpty && updated.isEmpty && began.isEmpty && ceased.isEmpty && deleted.isEmpty
            && gone.isEmpty
    }
}

extension Stack {
    /// Tells of each commit from this call on what it did to records of a type that meet a condition. Commits that did
    /// nothing to them are left out.
    ///
    /// The records come as they are in the newest state, which may be later than the commit; of one that is deleted by then the
    /// key is in ``EntityChanges/gone``. Only changes of the records
    /// themselves are looked at, not of others that a condition's path leads to. Ends when the task is cancelled or the
    /// stack is closed. One loop for each call.
    ///
    /// Cost: with a condition, the keys of all records that meet it are read by this call, and kept. Of each commit, one
    /// look-up for each record of the type that it changed.
    public func monitor<R: Record>(
        _ type: R.Type, @ConditionBuilder<R> where condition: @Sendable (R.Fields) -> Condition<R> = { _ in .always }
    ) async throws -> EntityMonitor<R> {
        // Listens first, then reads.
        let changes = self.changes
        let condition = condition(R.fields)
        let members = try MonitoredMembers(schema, condition == .always ? nil : condition)
        try await read { try members.begin($0) }
        return EntityMonitor(self, changes, members)
    }
}

/// See ``Stack/monitor(_:where:)``.
public struct EntityMonitor<R: Record>: AsyncSequence, Sendable {
    private let stack: Stack
    private let changes: CommittedChanges
    private let members: MonitoredMembers<R>

    init(_ stack: Stack, _ changes: CommittedChanges, _ members: MonitoredMembers<R>) {
        self.stack = stack
        self.changes = changes
        self.members = members
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stack: stack, changes: changes.makeAsyncIterator(), members: members)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stack: Stack
        fileprivate var changes: CommittedChanges.Iterator
        fileprivate let members: MonitoredMembers<R>

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws
            -> EntityChanges<R>?
        {
            while let set = await changes.next(isolation: actor) {
                guard try set.concerns(R.self) else { continue }
                let found: EntityChanges<R>
                do {
                    found = try await stack.read { [members] in try members.changes(set, $0) }
                } catch let error as GranaryError where error.code == .cancelled || error.code == .closed {
                    return nil
                }
                if !found.isEmpty { return found }
            }
            return nil
        }
    }
}
