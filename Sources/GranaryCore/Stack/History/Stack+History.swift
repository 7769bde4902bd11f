extension Stack {
    /// The place in the history after the newest commit.
    ///
    /// ```swift
    /// let token = try await stack.historyToken()
    /// ```
    public func historyToken() async throws -> HistoryToken {
        try await read { HistoryToken(transactionNumber: $0.transactionNumber) }
    }

    /// The commits since a place in the history, in order, of any process.
    ///
    /// ```swift
    /// let stack = try await Stack(schema, store: .sqlite(at: url), history: .recent(.seconds(7 * 86_400)))
    /// for changes in try await stack.changes(since: token) { token = changes.token }
    /// ```
    ///
    /// The history keeps only the name of a commit's writer. Tell your own commits from others by the name, and not by
    /// ``ChangeOrigin/isForeign``, which is true for all of them.
    ///
    /// The token of the last change set is the token for the next call, unless commits are left out by their author:
    /// these would be read again each time. In that case take ``Snapshot/historyToken`` of the snapshot that is asked.
    ///
    /// - Parameters:
    ///   - token: The place in the history after which the changes begin.
    ///   - limit: The greatest number of commits to read, including those that are left out by their author.
    ///   - isWanted: Returns whether commits with a writer's name are wanted; nil for all commits.
    /// - Throws: `historyGone` if a commit after that place is not in the history: it is too old, or was written
    ///   without one. Also if the store has not reached that place: it was made anew, or is another store.
    public func changes(
        since token: HistoryToken, limit: Int? = nil, by isWanted: (@Sendable (String?) -> Bool)? = nil
    ) async throws -> [ChangeSet] {
        try await read { try $0.changes(since: token, limit: limit, by: isWanted) }
    }

    /// Completes a change set that has only its number, from the history if that has an entry.
    func completed(_ changes: ChangeSet) async -> ChangeSet {
        let number = changes.transactionNumber
        guard changes.changes == nil, number > 0 else { return changes }
        // The read fails only if the stack closes or the task ends. Then no caller waits for the result.
        let entry = try? await read { try $0.history(after: number - 1, limit: 1).first }
        guard let entry, entry.number == number else { return changes }
        return (try? ChangeSet(entry, schema)) ?? changes
    }

    /// Deletes the history up to a place. A later call with an older place throws `historyGone`.
    ///
    /// ```swift
    /// try await stack.deleteHistory(through: token)
    /// ```
    public func deleteHistory(through token: HistoryToken) async throws {
        _ = try await writeNumbered(from: ChangeOrigin()) {
            try $0.writer.deleteHistory(through: token.transactionNumber)
        }
    }
}

extension Snapshot {
    /// The place in the history after the newest commit in this state.
    public var historyToken: HistoryToken { HistoryToken(transactionNumber: transactionNumber) }

    /// The commits since a place in the history, up to this state; see ``Stack/changes(since:limit:by:)``.
    ///
    /// ```swift
    /// let changes = try snapshot.changes(since: token)
    /// token = snapshot.historyToken
    /// ```
    public func changes(
        since token: HistoryToken, limit: Int? = nil, by isWanted: ((String?) -> Bool)? = nil
    ) throws -> [ChangeSet] {
        var found: [ChangeSet] = []
        var last = token.transactionNumber
        var rest = max(0, limit ?? Int.max)
        let newest = transactionNumber
        // A place that this store has not reached belongs to another store, or to one that was made anew since.
        guard last <= newest else { throw Snapshot.historyGone(last) }
        while last < newest, rest > 0 {
            let entries = try history(after: last, limit: min(rest, 256))
            for entry in entries {
                guard entry.number == last + 1 else { throw Snapshot.historyGone(last + 1) }
                last = entry.number
                if let isWanted, !isWanted(entry.author) { continue }
                found.append(try ChangeSet(entry, schema))
            }
            if entries.isEmpty { throw Snapshot.historyGone(last + 1) }
            rest -= entries.count
        }
        return found
    }

    private static func historyGone(_ number: UInt64) -> GranaryError {
        GranaryError(
            .historyGone,
            "The history has no commit \(number): it was forgotten, or written without a history. Read the records anew, and go on from the newest place."
        )
    }
}

extension ChangeSet {
    /// - Throws: `corrupt`, `newerFormat`.
    init(_ entry: HistoryEntry, _ schema: Schema) throws {
        self.init(
            transactionNumber: entry.number, origin: ChangeOrigin(foreign: entry.author),
            changes: try RecordChange.decode(entry.changes, schema), time: entry.time)
        self.schema = schema
    }

    /// The place in the history after this commit.
    public var token: HistoryToken { HistoryToken(transactionNumber: transactionNumber) }
}
