import GranaryPlatform

extension Stack {
    /// What is committed from now on, whatever writes it: a change set a commit, in order, none left out, none twice.
    ///
    /// ```swift
    /// for await changes in stack.changes {
    ///     for key in try changes.inserted(Song.self) ?? [] { … }
    /// }
    /// ```
    ///
    /// From now on means from this call, not from the loop's beginning. When a `write` has returned, its change set is
    /// there. Ends when the stack closes or the loop's task is cancelled; it holds the stack until then. One loop for
    /// each call: two on one sequence would share the change sets.
    ///
    /// Commits of other processes are found when this stack next reads or writes, or by ``watchForChanges(every:)``; what
    /// they changed is known if they keep a history.
    ///
    /// Cost: from now on stores note what each commit changes; change sets are kept until they are taken, 40 bytes a
    /// record and its key.
    public var changes: CommittedChanges { CommittedChanges(self, companion(ChangeStreams.self).stream()) }
}

/// Change sets as they are committed; see ``Stack/changes``.
public struct CommittedChanges: AsyncSequence, Sendable {
    private let stack: Stack
    private let stream: AsyncStream<ChangeSet>
    private var entities: Set<Int>?
    private var author: String?

    init(_ stack: Stack, _ stream: AsyncStream<ChangeSet>) {
        self.stack = stack
        self.stream = stream
    }

    /// Those alone that have changed records of these types, or of which that is not known.
    ///
    /// - Throws: `unknownEntity` if the stack's schema lacks one of them.
    public func of(_ types: any Record.Type...) throws -> CommittedChanges {
        var filtered = self
        filtered.entities = Set(try types.map { try stack.schema.position(ofEntity: $0.entityName) })
        return filtered
    }

    /// Those alone whose origin has this name - that of a context, or the one given to `write` - or of which it is not known
    /// who wrote them: another process, without a history. Such a one ``ChangeSet/isUnknown``.
    public func by(_ author: String) -> CommittedChanges {
        var filtered = self
        filtered.author = author
        return filtered
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stack: stack, stream: stream.makeAsyncIterator(), entities: entities, author: author)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stack: Stack
        fileprivate var stream: AsyncStream<ChangeSet>.Iterator
        fileprivate let entities: Set<Int>?
        fileprivate let author: String?

        public typealias Failure = Never

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ChangeSet? {
            while var changes = await stream.next(isolation: actor) {
                if changes.changes == nil { changes = await stack.completed(changes) }
                if let entities, let changed = changes.entities, entities.isDisjoint(with: changed) { continue }
                if let author, changes.origin.name != author, !changes.isUnknown { continue }
                changes.schema = stack.schema
                return changes
            }
            return nil
        }
    }
}

/// The streams of a stack's changes that may still be read.
final class ChangeStreams: StackCompanion {
    private let coordinator: StoreCoordinator
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var streams: [UInt64: AsyncStream<ChangeSet>.Continuation] = [:]
    nonisolated(unsafe) private var isClosed = false

    init(of stack: Stack) { coordinator = stack.store.coordinator }

    func stream() -> AsyncStream<ChangeSet> {
        // Unbounded: what waits is a reference for each commit.
        let (stream, continuation) = AsyncStream.makeStream(of: ChangeSet.self, bufferingPolicy: .unbounded)
        let number = coordinator.listen { continuation.yield($0) }
        let isOpen = lock.withLock {
            if !isClosed { streams[number] = continuation }
            return !isClosed
        }
        // Also when the last reference to the stream is gone.
        continuation.onTermination = { [weak self, coordinator] _ in
            coordinator.stopListening(number)
            self?.forget(number)
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    private func forget(_ number: UInt64) { lock.withLock { _ = streams.removeValue(forKey: number) } }

    func stackCloses() {
        let all = lock.withLock {
            isClosed = true
            defer { streams = [:] }
            return Array(streams.values)
        }
        for stream in all { stream.finish() }
    }
}
