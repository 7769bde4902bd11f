import GranaryPlatform
public import Logging

// Opens a store with its stored schema, for tools without record types.
extension Stack {
    /// Opens a stack on an existing store, with the stored schema: for dynamic records and queries by names.
    ///
    /// ```swift
    /// let stack = try await Stack(store: .sqlite(at: url, options: .readOnly))
    /// for entity in stack.schema.entities { print(entity.name) }
    /// ```
    ///
    /// Nothing is created or migrated. Record types can be used if they are declared as they are stored.
    ///
    /// - Throws: `notAStore` if the store does not exist; `unsupported` if the kind of store lacks the capability
    ///   `storedSchema`; otherwise like opening with a schema.
    public convenience init(
        store provider: some StoreProvider, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        groupCommit: GroupCommit = GroupCommit(), limits: StackLimits = StackLimits(), logger: Logger? = nil,
        slow: Duration? = nil,
        instrument: (any StackInstrument)? = nil
    ) async throws {
        try groupCommit.check()
        try limits.check()
        let opener = BlockingThreads(limit: 1)
        defer { opener.stop() }
        let work = LongWork()
        let store = try await opener.value { try Stack.openStored(provider, history, work) }
        self.init(store: store, [], history, longestRead, groupCommit, limits, StackEyes(logger, slow, instrument))
        finishOpening(work)
    }

    /// Opens a stack with the stored schema, blocking the calling thread.
    public convenience init(
        store provider: some StoreProvider, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        groupCommit: GroupCommit = GroupCommit(), limits: StackLimits = StackLimits(), logger: Logger? = nil,
        slow: Duration? = nil,
        instrument: (any StackInstrument)? = nil
    ) throws {
        try groupCommit.check()
        try limits.check()
        let work = LongWork()
        let store = try Stack.openStored(provider, history, work)
        self.init(store: store, [], history, longestRead, groupCommit, limits, StackEyes(logger, slow, instrument))
        finishOpening(work)
    }

    private static func openStored(
        _ provider: some StoreProvider, _ history: HistoryPolicy, _ work: LongWork
    ) throws -> any Store {
        try checked(try work.run { try provider.openStored() }, history)
    }
}
