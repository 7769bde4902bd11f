// A change set names keys. The state of a record before the commit is gone when the change set is read. So whether the
// record met a condition before is known only if that was kept: the monitor keeps the keys of the records that meet the
// condition, one entry of a hash table each. Without a condition it keeps nothing.

/// The effect of a commit, or of a change in a context, on the records of one type that meet a condition.
///
/// ```swift
/// for try await changes in try await stack.monitor(Song.self, where: { $0.plays > 100 }) {
///     print(changes.inserted, changes.began, changes.deleted)
/// }
/// ```
public struct EntityChanges<R: Record>: Sendable {
    /// New records that meet the condition.
    public var inserted: [R] = []
    /// Changed records that met the condition before and still meet it.
    public var updated: [R] = []
    /// Changed records that meet the condition now and did not meet it before.
    public var began: [R] = []
    /// Changed records that no longer meet the condition.
    public var ceased: [R.Key] = []
    /// Deleted records that met the condition.
    public var deleted: [R.Key] = []
    /// Records that the commit inserted or changed and that a later commit has deleted since. Their values are unknown,
    /// and so is whether they met the condition. The deletion is reported with its own commit. Always empty in a
    /// context.
    public var gone: [R.Key] = []
    /// Whether the changes are unknown because another process made them: then read the records again.
    public var isUnknown = false
    /// The writer of the changes.
    public let origin: ChangeOrigin

    /// Changed records that meet the condition now, whether or not they met it before.
    public var modified: [R] { updated + began }

    public var isEmpty: Bool {
        !isUnknown && inserted.isEmpty && updated.isEmpty && began.isEmpty && ceased.isEmpty && deleted.isEmpty
            && gone.isEmpty
    }
}

extension Stack {
    /// For each commit from this call on: its effect on the records of a type that meet a condition. Commits without an
    /// effect on them are left out.
    ///
    /// ```swift
    /// for try await changes in try await stack.monitor(Song.self, where: { $0.plays > 100 }) {
    ///     print(changes.inserted, changes.began, changes.deleted)
    /// }
    /// ```
    ///
    /// Records have their values in the newest state, which may be later than the commit. If a record is deleted by
    /// then, its key is in ``EntityChanges/gone``. Only changes of the records themselves count, not changes of related
    /// records in a path of the condition. The sequence ends when the task is cancelled or the stack is closed. Use one
    /// sequence for each loop.
    ///
    /// Cost: with a condition, this call reads the keys of all records that meet it, and keeps them. Each commit costs
    /// one look-up for each record of the type that it changed.
    public func monitor<R: Record>(
        _ type: R.Type, @ConditionBuilder<R> where condition: @Sendable (R.Fields) -> Condition<R> = { _ in .always }
    ) async throws -> EntityMonitor<R> {
        // Listening begins before reading.
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
