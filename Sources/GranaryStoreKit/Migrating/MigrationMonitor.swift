import GranaryPlatform

/// Follows a migration that opening a store makes, and can end it.
///
/// ```swift
/// let monitor = MigrationMonitor()
/// Task { for await progress in monitor.updates { print(progress.fraction) } }
/// let stack = try await Stack(schema, store: .sqlite(at: url), migration: .inferred, monitor: monitor)
/// ```
///
/// One for each opening. Changes that rewrite no record are not told of.
// @unchecked: `done` is only touched while `lock` is held.
public final class MigrationMonitor: @unchecked Sendable {
    /// How far a migration is.
    public struct Progress: Sendable, Hashable {
        /// The entity whose records are converted.
        public let entity: String
        /// The records that were converted.
        public let records: Int
        /// The records that there are in all.
        public let total: Int
        public var fraction: Double { total == 0 ? 1 : Double(records) / Double(total) }
    }

    /// What has been done, the newest last. It ends with the migration. For one task; one that is slow misses some.
    public let updates: AsyncStream<Progress>
    private let continuation: AsyncStream<Progress>.Continuation
    package let cancellation = CancellationFlag()
    private let lock = Lock()
    private var done = MigrationResult()

    public init() {
        (updates, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Ends the migration: opening throws `cancelled`, and the store is as it was.
    public func cancel() { cancellation.set() }

    package func note(_ update: Progress) { continuation.yield(update) }

    /// What opening has done so far.
    package var result: MigrationResult { lock.withLock { done } }

    /// Notes a stage that was committed.
    package func note(_ migration: SchemaMigration) {
        lock.withLock {
            done.changes += migration.difference.changes
            done.steps += migration.steps.map(\.name)
        }
    }

    func noteMoved(to path: String) { lock.withLock { done.movedTo = path } }

    /// No more is told.
    package func finish() { continuation.finish() }

    /// The monitor of the store that this thread is opening.
    @TaskLocal package static var current: MigrationMonitor?
}
