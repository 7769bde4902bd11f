import GranaryPlatform

/// How far long work with a store has come: a migration, a seed, a copy or a check. It is passed to `onProgress:`.
///
/// ```swift
/// try await stack.copy(to: .lmdb(at: url)) { progress in print(progress.entity, progress.fraction) }
/// ```
///
/// For an `AsyncSequence`, make a stream and pass `{ continuation.yield($0) }`.
public struct StoreProgress: Sendable, Hashable {
    /// The entity whose records are read.
    public let entity: String
    /// The records that were read, those of earlier entities included.
    public let records: Int
    /// The records that there are in all.
    public let total: Int
    /// From 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(records) / Double(total) }

    public init(entity: String, records: Int, total: Int) {
        (self.entity, self.records, self.total) = (entity, records, total)
    }

    /// How many records are read before it is told again, and a cancellation is looked for.
    package static let interval = 1024
}

// Work that takes long runs through engines whose protocols know nothing of it. So what follows it and what ends it belong to
// the thread that does it, and each part that reads many records looks there now and then.

/// The long work that a thread does for a caller: what is told of it, what ends it, and what it has done.
// @unchecked: `done` is only touched while `lock` is held.
package final class LongWork: @unchecked Sendable {
    /// The work of this thread; nil if nothing follows it.
    @TaskLocal package static var current: LongWork?

    package let cancellation: CancellationFlag
    package let onProgress: (@Sendable (StoreProgress) -> Void)?
    private let lock = Lock()
    private var done = MigrationResult()

    package init(
        onProgress: (@Sendable (StoreProgress) -> Void)? = nil, cancellation: CancellationFlag = CancellationFlag()
    ) {
        (self.onProgress, self.cancellation) = (onProgress, cancellation)
    }

    /// Does work on this thread.
    package func run<T>(_ body: () throws -> T) rethrows -> T { try LongWork.$current.withValue(self, operation: body) }

    /// What opening a store has done so far.
    package var migration: MigrationResult { lock.withLock { done } }

    /// Notes a stage of a migration that was committed.
    package func note(_ migration: SchemaMigration) {
        lock.withLock {
            done.changes += migration.difference.changes
            done.steps += migration.steps.map(\.name)
        }
    }

    func noteMoved(to path: String) { lock.withLock { done.movedTo = path } }
}

extension StoreReader {
    /// The records of all entities.
    package func recordCount() throws -> Int {
        try schema.entities.indices.reduce(0) { try $0 + count(FetchRequest(entity: $1)) }
    }
}

/// Counts the records of a store while all of them are read, as ``Store/verify()`` does: tells how far it has come, if anything
/// follows it, and ends it when its task is cancelled.
public struct RecordCounter {
    private let work: LongWork?
    private let total: Int
    private var records = 0

    /// - Parameter total: The records that there are. Asked only if progress is followed.
    public init(total: () throws -> Int) rethrows { try self.init(.current, total: total) }

    package init(_ work: LongWork?, total: () throws -> Int) rethrows {
        self.work = work
        self.total = work?.onProgress == nil ? 0 : try total()
    }

    /// Counts a record of an entity.
    ///
    /// - Throws: `cancelled`.
    public mutating func count(_ entity: Entity) throws {
        records += 1
        if records % StoreProgress.interval == 0 { try tell(entity) }
    }

    /// Tells how far it has come: ``count(_:)`` does so now and then.
    ///
    /// - Throws: `cancelled`.
    public func tell(_ entity: Entity) throws {
        guard let work else { return }
        try work.cancellation.check()
        work.onProgress?(StoreProgress(entity: entity.path, records: records, total: total))
    }
}
