extension Stack {
    /// The place in the history after the newest commit.
    public func historyToken() async throws -> HistoryToken {
        try await read { HistoryToken(transactionNumber: $0.transactionNumber) }
    }

    /// What has been committed since a place in the history, in order, by whichever process.
    ///
    /// ```swift
    /// let stack = try await Stack(schema, store: .sqlite(at: url), history: .recent(.seconds(7 * 86_400)))
    /// for changes in try await stack.changes(since: token) { token = changes.token }
    /// ```
    ///
    /// Of who wrote a commit the history keeps the name alone: one's own are told from others by their names, not by
    /// ``ChangeOrigin/isForeign``, which is true of all.
    ///
    /// The last change set's token is that of the next call, but not where commits are left out by their author: these would
    /// be looked at again and again. Then take ``Snapshot/historyToken`` of the snapshot that is asked.
    ///
    /// - Parameters:
    ///   - token: The place in the history after which the changes begin.
    ///   - limit: How many commits to look at, at most. Those that are left out by their author count.
    ///   - isWanted: Asked about the name of who wrote a commit; nil for all.
    /// - Throws: `historyGone` if a commit after that place is not in the history: too old, or written without one; also if
    ///   the store has not come to that place yet: it was made anew, or is another.
    public func changes(
        since token: HistoryToken, limit: Int? = nil, by isWanted: (@Sendable (String?) -> Bool)? = nil
    ) async throws -> [ChangeSet] {
        try await read { try $0.changes(since: token, limit: limit, by: isWanted) }
    }

    /// A change set of which only the number is known, with what the history says of it, if it says anything.
    func completed(_ changes: ChangeSet) async -> ChangeSet {
        let number = changes.transactionNumber
        guard changes.changes == nil, number > 0 else { return changes }
        // A stack that closes, a task that ends: then no caller is left to tell.
        let entry = try? await read { try $0.history(after: number - 1, limit: 1).first }
        guard let entry, entry.number == number else { return changes }
        return (try? ChangeSet(entry, schema)) ?? changes
    }

    /// Forgets the history up to a place. Who still holds an older place gets `historyGone`.
    public func deleteHistory(through token: HistoryToken) async throws {
        _ = try await writeNumbered(from: ChangeOrigin()) {
            try $0.writer.deleteHistory(through: token.transactionNumber)
        }
    }
}

extension Snapshot {
    /// The place in the history after the last commit that this state holds.
    public var historyToken: HistoryToken { HistoryToken(transactionNumber: transactionNumber) }

    /// What was committed since a place in the history, up to this state; see ``Stack/changes(since:limit:by:)``.
    public func changes(
        since token: HistoryToken, limit: Int? = nil, by isWanted: ((String?) -> Bool)? = nil
    ) throws -> [ChangeSet] {
        var found: [ChangeSet] = []
        var last = token.transactionNumber
        var rest = max(0, limit ?? Int.max)
        let newest = transactionNumber
        // A place that this store has not come to is another's, or that of one that was made anew since.
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
