import GranaryPlatform
import Logging

/// A schema and the store that keeps its records: where reading and writing begin.
///
/// ```swift
/// let stack = try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url))
/// try await stack.write { tx in try tx.insert(Artist(id: 100, name: "Jimi Hendrix")) }
/// let top = try await stack.read { try $0.fetch(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) }
/// try await stack.close()
/// ```
///
/// - Any number of reads run at once, each on one committed state.
/// - Writes run one at a time, in the order in which they were asked for. Reads never wait for them.
/// - Verbs are asynchronous. Those of ``blocking`` block the calling thread instead: `try stack.blocking.write { ... }`.
///   Opening has both forms; `await` chooses.
/// - Closures of asynchronous verbs run on threads of the stack, never on Swift's cooperative pool. Closures of
///   ``blocking`` verbs run on the thread of the caller.
///
/// | inside | `read` | `write` | `close` |
/// |---|---|---|---|
/// | `read` | its own, newer, state | allowed; this read does not see it | throws `busy` |
/// | `write` | the last committed state, without what this write has done | throws `reentrantWrite`; use `savepoint` | throws `busy` |
public final class Stack: Sendable {
    /// The schema, with the numbers the store gives.
    public let schema: Schema
    /// What the store can do, and how much it can hold.
    public var capabilities: Capabilities { store.capabilities }
    /// The store's kind: `sqlite`, `lmdb`, `memory`.
    public var storeKind: String { store.kind }
    /// What opening has done to a store that was made for another schema.
    public let migration: MigrationResult
    /// Where the store's own files are; nil if it has none.
    public var location: String? { store.location }

    let store: any Store
    let history: HistoryPolicy
    /// What the store is made from, also when it is reset.
    let seed: Seed?
    /// What may happen to a seed that was made for another schema.
    let migrationPolicy: MigrationPolicy
    let longestRead: Duration
    let historyAge = HistoryAge()
    let foreignReads = ForeignReadAges()
    /// The record types it was opened with.
    let recordTypes: [any Record.Type]
    let types = RecordTypes()
    /// Made once, as every save asks it.
    let validator: RecordValidator
    let activity = Activity()
    let writers = BlockingThreads(limit: 1)
    let readers = BlockingThreads(limit: 16)
    /// For work in contexts, one after the other.
    let workers = BlockingThreads(limit: 1)
    let main = MainContext()
    let companions = StackCompanions()
    let logger: Logger

    /// Opens a stack, creating the store if it is not there.
    ///
    /// - Throws: `invalidSchema`, and what the store's provider throws: `schemaMismatch`, `notAStore`, `newerFormat`,
    ///   `invalidPath`, `permissionDenied`, `corrupt`, `busy`, `full`; `uniqueness` if records do not have the uniqueness
    ///   that the schema adds; what a migration throws: `range` and `required` with the key of a record,
    ///   `danglingReference`, `migrationFailed`, `cancelled`.
    ///
    /// - Parameters:
    ///   - schema: The record types of the program.
    ///   - provider: The kind and the place of the store.
    ///   - migration: What happens if the store was made for another schema. By default what loses nothing and rewrites no record
    ///     is done at once: see ``SchemaChange`` and ``MigrationPolicy``. A store that another stack of this process has open is
    ///     never migrated, and one that another process has open is not rewritten: `busy`.
    ///   - seed: What the store is made from if it does not exist, and when it is reset to its seed: a store of any kind, by
    ///     `.store(provider)`. A store that exists stays as it is.
    ///   - history: Whether what is committed is kept in the store; not by default.
    ///   - longestRead: How long a read of this stack may go on while it commits before the log names its age. As long as a read
    ///     is open, the store cannot use the space again of what is changed or deleted, and its files grow with each commit;
    ///     ``compact(onProgress:)`` gives that back. The age counts from the first commit after the read began. Reads of other
    ///     processes are named too where the store sees them, as LMDB's does: their age counts from when this stack found them.
    ///   - onProgress: Called now and then while records are rewritten by a migration or copied from a seed, on a thread of the
    ///     stack's own. Cancelling the task ends both: `cancelled`, and the store is as it was.
    public convenience init(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic,
        seed: Seed? = nil, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws {
        let opener = BlockingThreads(limit: 1)
        defer { opener.stop() }
        let work = LongWork(onProgress: onProgress)
        let store = try await withTaskCancellationHandler {
            try await opener.value { try Stack.open(schema, provider, migration, seed, history, work) }
        } onCancel: {
            work.cancellation.set()
        }
        self.init(
            store: store, schema.recordTypes, history, longestRead, seed: seed, policy: migration, work.migration)
        finishOpening(work)
    }

    /// Opens a stack, blocking the calling thread.
    public convenience init(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic,
        seed: Seed? = nil, history: HistoryPolicy = .none, longestRead: Duration = .seconds(60),
        onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) throws {
        let work = LongWork(onProgress: onProgress)
        let store = try Stack.open(schema, provider, migration, seed, history, work)
        self.init(
            store: store, schema.recordTypes, history, longestRead, seed: seed, policy: migration, work.migration)
        finishOpening(work)
    }

    /// A stack over a store that is open.
    init(
        store: any Store, _ recordTypes: [any Record.Type], _ history: HistoryPolicy, _ longestRead: Duration,
        seed: Seed? = nil, policy: MigrationPolicy = .automatic, _ migration: MigrationResult = MigrationResult()
    ) {
        self.store = store
        self.history = history
        self.seed = seed
        migrationPolicy = policy
        self.longestRead = longestRead
        self.migration = migration
        self.recordTypes = recordTypes
        schema = store.schema
        validator = RecordValidator(recordTypes, store.schema)
        logger = .granary
        if !migration.madeIndexes.isEmpty {
            logger.warning(
                "the store lacked indexes, which were made again",
                metadata: ["indexes": "\(migration.madeIndexes.joined(separator: ", "))"])
        }
        // Observers are told of commits after this one, and not of earlier ones.
        if let reader = try? store.beginRead(CancellationFlag()) {
            store.coordinator.see(reader.transactionNumber)
            reader.end()
        }
    }

    /// Logs what opening the store has found, and begins what is done while the stack is in use.
    func finishOpening(_ work: LongWork) {
        tell(ofMissingCommits: work.missingCommits)
        if work.hasDroppedIndexes { removeDroppedIndexes() }
    }

    private func removeDroppedIndexes() {
        guard (try? activity.enter()) != nil else { return }
        // Writes of this stack wait behind it.
        writers.run { [self] in
            defer { activity.leave() }
            do {
                try activity.onThisThread { try store.removeDroppedIndexes() }
            } catch let error as GranaryError where [.busy, .readOnly, .schemaMismatch].contains(error.code) {
                // The next opening does it: that of another process, where it has changed the schema meanwhile.
            } catch {
                logger.warning(
                    "the space of dropped indexes was not given back; the next opening tries again",
                    metadata: ["error": "\(error)", "store": "\(store.location ?? store.kind)"])
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
        return try checked(store, history)
    }

    /// A store that can keep a history if one is to be kept.
    static func checked(_ store: any Store, _ history: HistoryPolicy) throws -> any Store {
        guard history.isKept, !store.capabilities.has(.history) else { return store }
        try store.close()
        throw GranaryError(
            .unsupported,
            "A \(store.kind) store lacks \(Capability.history): it keeps none. Open it without a history policy.")
    }

    deinit {
        // No read or write is under way: each holds the stack.
        companions.close()
        readers.stop()
        writers.stop()
        workers.stop()
        guard activity.beginClosing() else { return }
        do {
            try store.close()
        } catch {
            logger.error("closing a stack that was let go failed", metadata: ["error": "\(error)"])
        }
    }
}
