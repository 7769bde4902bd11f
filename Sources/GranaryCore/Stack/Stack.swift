import Foundation
import GranaryPlatform
public import Logging

/// A schema and the store that keeps its records: the starting point of reading and writing.
///
/// ```swift
/// let stack = try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url))
/// try await stack.write { tx in try tx.insert(Artist(id: 100, name: "Jimi Hendrix")) }
/// let top = try await stack.read { try $0.fetch(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) }
/// try await stack.close()
/// ```
///
/// - Any number of reads run at once, each on one committed state.
/// - Writes run one at a time, in the order of the calls. Reads never wait for them.
/// - Verbs are asynchronous. The verbs of ``blocking`` block the calling thread instead:
///   `try stack.blocking.write { ... }`. Opening has both forms; `await` selects the asynchronous one.
/// - Closures of asynchronous verbs run on threads of the stack, never on Swift's cooperative pool. Closures of
///   ``blocking`` verbs run on the thread of the caller.
///
/// | inside | `read` | `write` | `close` |
/// |---|---|---|---|
/// | `read` | its own, newer, state | allowed; this read does not see it | throws `busy` |
/// | `write` | the last committed state, without the changes of this write | throws `reentrantWrite`; use `savepoint` | throws `busy` |
public final class Stack: Sendable {
    /// The schema, with the numbers that the store has given.
    public let schema: Schema
    /// What the store supports, and its limits.
    public var capabilities: Capabilities { store.capabilities }
    /// The store's kind: `sqlite`, `lmdb`, `memory`.
    public var storeKind: String { store.kind }
    /// What opening did to a store that was made for another schema.
    public let migration: MigrationResult
    /// The place of the store's own files; nil if it has none.
    public var location: String? { store.location }

    let store: any Store
    let history: HistoryPolicy
    /// The seed from which the store is made, also in a reset.
    let seed: Seed?
    /// Which changes are allowed for a seed that was made for another schema.
    let migrationPolicy: MigrationPolicy
    let longestRead: Duration
    let groupCommit: GroupCommit
    let pace = GroupPace()
    let historyAge = HistoryAge()
    let foreignReads = ForeignReadAges()
    /// The record types that the stack was opened with.
    let recordTypes: [any Record.Type]
    let types: RecordTypes
    /// The schema and the types, for reads and writes.
    let settings: Shards<ContextSetting>
    let coordinator: StoreCoordinator
    let clock: @Sendable () -> Date
    /// Made once, because every save uses it.
    let validator: RecordValidator
    /// The hooks of the record types it was opened with.
    let hooks: HookRunner
    let activity = Activity()
    let limits: StackLimits
    let writers: BlockingThreads
    let readers: BlockingThreads
    /// Runs work in contexts, one piece after the other.
    let workers = BlockingThreads(limit: 1)
    let syncs = SyncQueue()
    let main = MainContext()
    let companions = StackCompanions()
    let logs: StackLogs
    /// The logger of the stack's own work.
    var logger: Logger { logs[.stack] }
    /// How the stack was told to be watched, for copies of it.
    let eyes: StackEyes
    let instrument: (any StackInstrument)?
    /// Nil if nothing needs to know about reads and writes: a read looks at nothing else.
    let recorder: OperationRecorder?
    let errorHandler = ErrorHandler()

    /// Opens a stack, creating the store if it does not exist.
    ///
    /// - Throws: `invalidSchema`, and what the store's provider throws: `schemaMismatch`, `notAStore`, `newerFormat`,
    ///   `invalidPath`, `permissionDenied`, `corrupt`, `busy`, `full`; `uniqueness` if records have equal values of a
    ///   unique index that the schema adds; what a migration throws: `range` and `required` with the key of a record,
    ///   `danglingReference`, `migrationFailed`, `cancelled`.
    ///
    /// - Parameters:
    ///   - schema: The record types of the program.
    ///   - provider: The kind and the place of the store.
    ///   - migration: What happens if the store was made for another schema. By default, changes that lose no data and
    ///     rewrite no record are made at once: see ``SchemaChange`` and ``MigrationPolicy``. A store that another stack
    ///     of this process has open is never migrated, and a store that another process has open is not rewritten: both
    ///     throw `busy`.
    ///   - seed: The source of the store if it does not exist, and in a reset to the seed: a store of any kind, given
    ///     as `.store(provider)`. An existing store stays as it is.
    ///   - history: Whether commits are kept in the store; by default they are not.
    ///   - longestRead: How long a read of this stack may be open while it commits before the log reports its age. As
    ///     long as a read is open, the store cannot reuse the space of changed and deleted data, and its files grow
    ///     with each commit; ``compact(onProgress:)`` gives that space back. The age counts from the first commit after
    ///     the read began. Reads of other processes are reported too if the store can see them, as LMDB can: their age
    ///     counts from when this stack found them.
    ///   - groupCommit: How writes that wait for their turn share one commit: `limit` if no group can be so.
    ///   - limits: How many reads run at once, and how many reads and writes may wait, and for how long: `limit` if
    ///     they make no sense.
    ///   - logger: Where the stack logs. The logger of the task, which `withLogger` of swift-log binds, precedes it. By
    ///     default each component has a logger of its own: `granary.read`, `granary.sqlite`. The environment variable
    ///     `GRANARY_LOG=sqlite=trace,read=debug` sets the levels of components. Reads and writes are logged at `debug`,
    ///     statements at `trace`. Whether they are is decided now, for the life of the stack.
    ///   - slow: How long a read or a write may take, without the wait for its turn, before the log warns of it with the
    ///     plan of its longest query; nil for no limit.
    ///   - instrument: Gets the events of reads and writes, for metrics and traces.
    ///   - clock: The time of each write, for attributes with a ``Attribute/stamp`` (`@CreatedAt`, `@UpdatedAt`) and for
    ///     the history: a test gives one of its own.
    ///   - onProgress: Called now and then while records are rewritten by a migration or copied from a seed, and while
    ///     an index of words is made, on a thread of the stack's own. Cancelling the task ends these: `cancelled`. After
    ///     a cancelled migration or seed the store is as it was; the next opening makes the index of words.
    public convenience init(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic,
        seed: Seed? = nil, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        groupCommit: GroupCommit = GroupCommit(), limits: StackLimits = StackLimits(), logger: Logger? = nil,
        slow: Duration? = nil, instrument: (any StackInstrument)? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws {
        try groupCommit.check()
        try limits.check()
        let opener = BlockingThreads(limit: 1)
        defer { opener.stop() }
        let work = LongWork(onProgress: onProgress)
        let store = try await withTaskCancellationHandler {
            try await opener.value { try Stack.open(schema, provider, migration, seed, history, work) }
        } onCancel: {
            work.cancellation.set()
        }
        self.init(
            store: store, schema.recordTypes, history, longestRead, groupCommit, limits,
            StackEyes(logger, slow, instrument),
            clock: clock, seed: seed, policy: migration, work.migration)
        finishOpening(work)
    }

    /// Opens a stack, blocking the calling thread.
    public convenience init(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic,
        seed: Seed? = nil, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        groupCommit: GroupCommit = GroupCommit(), limits: StackLimits = StackLimits(), logger: Logger? = nil,
        slow: Duration? = nil, instrument: (any StackInstrument)? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) throws {
        try groupCommit.check()
        try limits.check()
        let work = LongWork(onProgress: onProgress)
        let store = try Stack.open(schema, provider, migration, seed, history, work)
        self.init(
            store: store, schema.recordTypes, history, longestRead, groupCommit, limits,
            StackEyes(logger, slow, instrument),
            clock: clock, seed: seed, policy: migration, work.migration)
        finishOpening(work)
    }

    /// A stack over an open store.
    init(
        store: any Store, _ recordTypes: [any Record.Type], _ history: HistoryPolicy, _ longestRead: Duration,
        _ groupCommit: GroupCommit, _ limits: StackLimits = StackLimits(), _ eyes: StackEyes = StackEyes(),
        clock: @escaping @Sendable () -> Date = { Date() }, seed: Seed? = nil, policy: MigrationPolicy = .automatic,
        _ migration: MigrationResult = MigrationResult()
    ) {
        self.store = store
        self.history = history
        self.seed = seed
        migrationPolicy = policy
        self.longestRead = longestRead
        self.groupCommit = groupCommit
        self.limits = limits
        writers = BlockingThreads(limit: 1, limits.ofWrites)
        readers = BlockingThreads(limit: limits.readers, limits.ofReads)
        self.migration = migration
        self.recordTypes = recordTypes
        schema = store.schema
        validator = RecordValidator(recordTypes, store.schema)
        self.clock = clock
        hooks = HookRunner(recordTypes, store.schema)
        self.eyes = eyes
        logs = StackLogs(eyes.logger, kind: store.kind)
        types = RecordTypes(store.schema, logs)
        coordinator = store.coordinator
        settings = Shards { [schema, logs] in ContextSetting(schema, RecordTypes(schema, logs)) }
        instrument = eyes.instrument
        recorder = OperationRecorder(logs, slow: eyes.slow, eyes.instrument, kind: store.kind)
        if !migration.madeIndexes.isEmpty {
            logger.warning(
                "the store lacked indexes, which were made again",
                metadata: ["indexes": "\(migration.madeIndexes.joined(separator: ", "))"])
        }
        // Observers are notified of commits after this one, and not of earlier ones.
        if let reader = try? store.beginRead(CancellationFlag()) {
            coordinator.see(reader.transactionNumber)
            reader.end()
        }
    }

    /// Logs findings of opening the store, and starts work that runs while the stack is in use.
    func finishOpening(_ work: LongWork) {
        tell(ofMissingCommits: work.missingCommits)
        if work.hasDroppedIndexes { removeDroppedIndexes() }
    }

    private func removeDroppedIndexes() {
        guard let work = try? activity.enter() else { return }
        // Writes of this stack wait for this work.
        writers.run { [self] in
            defer { work.leave() }
            do {
                try activity.onThisThread { try store.removeDroppedIndexes() }
            } catch let error as GranaryError where [.busy, .readOnly, .schemaMismatch].contains(error.code) {
                // The next opening removes them; if another process has changed the schema, that process does.
            } catch {
                report(
                    error, of: .removingIndexes,
                    "the space of dropped indexes was not given back; the next opening tries again")
            }
        }
    }

    private func tell(ofMissingCommits count: UInt64) {
        if count == 0 { return }
        logger.error(
            "the store lacks its newest commits: its log was damaged, or it was replaced by an older copy",
            metadata: ["commits": "\(count)", "store": "\(store.location ?? store.kind)"])
    }

    private static func open(
        _ schema: Schema, _ provider: some StoreProvider, _ migration: MigrationPolicy, _ seed: Seed?,
        _ history: HistoryPolicy, _ work: LongWork
    ) throws -> any Store {
        try schema.validate()
        let store = try provider.migrating(to: schema, migration, work) {
            try seed?.contents(for: schema, migration: migration)
        }
        return try work.run { try checked(store, history) }
    }

    /// The store with its indexes of words, if it can keep a history or none is to be kept. Otherwise closes it and throws.
    static func checked(_ opened: any Store, _ history: HistoryPolicy) throws -> any Store {
        let store: any Store
        do {
            store = try opened.answeringSearches()
        } catch {
            try? opened.close()
            throw error
        }
        guard history.isKept, !store.capabilities.has(.history) else { return store }
        try store.close()
        throw GranaryError.unsupported(
            .history,
            "A \(store.kind) store lacks \(Capability.history): it keeps none. Open it without a history policy.")
    }

    deinit {
        // No read or write is running, because each of them holds the stack.
        companions.close()
        readers.stop()
        writers.stop()
        workers.stop()
        syncs.stop()
        guard activity.beginClosing() else { return }
        do {
            try store.close()
        } catch {
            report(error, of: .closing, "closing a stack that was let go failed")
        }
    }
}
