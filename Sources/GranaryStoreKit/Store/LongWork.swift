import GranaryPlatform

/// The progress of long work with a store: a migration, a seed, a reset, a copy, a check or compacting. It is passed to
/// `onProgress:`.
///
/// ```swift
/// try await stack.copy(to: .lmdb(at: url)) { progress in print(progress.entity, progress.fraction) }
/// ```
///
/// `FollowedWork` turns it into an `AsyncSequence` and a `Progress` of Foundation.
public struct StoreProgress: Sendable, Hashable {
    /// The entity whose records are being read; empty if the files of a store are copied unchanged.
    public let entity: String
    /// The number of records read so far, including those of earlier entities. If files are copied, of their entries or
    /// pages.
    public let records: Int
    /// The total number of records, entries or pages; 0 if it is not known, as for an import.
    public let total: Int
    /// From 0 to 1; 0 if the total is not known.
    public var fraction: Double {
        guard total > 0 else { return records == 0 ? 1 : 0 }
        return Double(records) / Double(total)
    }

    public init(entity: String, records: Int, total: Int) {
        (self.entity, self.records, self.total) = (entity, records, total)
    }

    /// The number of records between two reports of progress and checks for cancellation.
    package static let interval = 1024
}

// Long work runs through engines whose protocols do not know progress and cancellation. So both belong to the thread
// that does the work, and each part that reads many records checks them there now and then.

/// The long work that a thread does for a caller: its progress, its cancellation, and its results so far.
// @unchecked: `done`, `missing` and `hasDropped` are only touched while `lock` is held.
package final class LongWork: @unchecked Sendable {
    /// The work of this thread; nil if nothing follows it.
    @TaskLocal package static var current: LongWork?

    package let cancellation: CancellationFlag
    package let onProgress: (@Sendable (StoreProgress) -> Void)?
    private let lock = Lock()
    private var done = MigrationResult()
    private var missing: UInt64 = 0
    private var hasDropped = false

    package init(
        onProgress: (@Sendable (StoreProgress) -> Void)? = nil, cancellation: CancellationFlag = CancellationFlag()
    ) {
        (self.onProgress, self.cancellation) = (onProgress, cancellation)
    }

    /// Does work on this thread.
    package func run<T>(_ body: () throws -> T) rethrows -> T { try LongWork.$current.withValue(self, operation: body) }

    /// The changes that opening a store has made so far.
    package var migration: MigrationResult { lock.withLock { done } }

    /// The number of newest commits that an opened store lacks because of damage.
    package var missingCommits: UInt64 { lock.withLock { missing } }

    /// Notes that a store being opened lacks commits.
    package func note(missingCommits count: UInt64) { lock.withLock { missing = count } }

    /// Whether an opened store has indexes for ``Store/removeDroppedIndexes()``.
    package var hasDroppedIndexes: Bool { lock.withLock { hasDropped } }

    package func noteDroppedIndexes() { lock.withLock { hasDropped = true } }

    /// Notes a committed stage of a migration.
    package func note(_ migration: SchemaMigration) {
        lock.withLock {
            done.changes += migration.difference.changes
            done.steps += migration.steps.map(\.name)
        }
    }

    /// Notes changes that need no migration.
    package func note(_ changes: [SchemaChange]) { lock.withLock { done.changes += changes } }

    /// Notes indexes that were missing and have been made.
    package func note(madeIndexes names: [String]) { lock.withLock { done.madeIndexes += names } }

    func noteMoved(to path: String) { lock.withLock { done.movedTo = path } }

    /// The same work for a part of the records: it reports its progress as preceded by `before` and followed by `after`
    /// other records.
    package func part(after before: Int, before after: Int) -> LongWork {
        var part: (@Sendable (StoreProgress) -> Void)?
        if let onProgress {
            part = { progress in
                onProgress(
                    StoreProgress(
                        entity: progress.entity, records: before + progress.records,
                        total: before + progress.total + after))
            }
        }
        return LongWork(onProgress: part, cancellation: cancellation)
    }

    /// Throws if the work of this thread was cancelled: called for the last time before the effect can no longer be
    /// undone.
    ///
    /// - Throws: `cancelled`.
    package static func checkCancellation() throws(GranaryError) {
        guard current?.cancellation.isSet ?? false else { return }
        throw GranaryError(.cancelled, "The work was cancelled. The store is as it was.")
    }

    /// Runs a body outside of long work: after the point from which the work is no longer cancelled.
    package static func afterTheEnd<T>(_ body: () throws -> T) rethrows -> T {
        try $current.withValue(nil, operation: body)
    }
}

extension StoreReader {
    /// The records of all entities.
    package func recordCount() throws -> Int {
        try schema.entities.indices.reduce(0) { try $0 + count(FetchRequest(entity: $1)) }
    }
}

/// Counts the records of a store while all of them are read, as in ``Store/verify()``: reports progress to a follower,
/// if there is one, and throws when its task is cancelled.
public struct RecordCounter {
    private let work: LongWork?
    private let total: Int
    private var records: Int

    /// - Parameter total: The total number of records. Called only if progress is followed.
    public init(total: () throws -> Int) rethrows { try self.init(.current, total: total) }

    /// - Parameter records: The number of records that were read before.
    package init(_ work: LongWork?, after records: Int = 0, total: () throws -> Int) rethrows {
        (self.work, self.records) = (work, records)
        self.total = work?.onProgress == nil ? 0 : try total()
    }

    /// Counts a record of an entity.
    ///
    /// - Throws: `cancelled`.
    public mutating func count(_ entity: Entity) throws {
        records += 1
        if records % StoreProgress.interval == 0 { try tell(entity) }
    }

    /// Counts records of an entity that were read at once, and reports progress.
    ///
    /// - Throws: `cancelled`.
    package mutating func count(_ number: Int, of entity: Entity) throws {
        records += number
        try tell(entity)
    }

    /// Counts an entry of an engine that does not know records, as in compacting.
    ///
    /// - Throws: `cancelled`.
    public mutating func countEntry() throws {
        records += 1
        if records % StoreProgress.interval == 0 { try tell() }
    }

    /// Reports progress. ``count(_:)`` does this now and then.
    ///
    /// - Throws: `cancelled`.
    public func tell(_ entity: Entity) throws { try tell(entity.path) }

    /// Reports progress in entries.
    ///
    /// - Throws: `cancelled`.
    public func tell() throws { try tell("") }

    package func tell(_ path: String) throws {
        guard let work else { return }
        try work.cancellation.check()
        work.onProgress?(StoreProgress(entity: path, records: records, total: total))
    }
}
