import GranaryPlatform

extension Stack {
    /// The commits from this call on, by any writer: one change set for each commit, in order, none missing and none
    /// repeated.
    ///
    /// ```swift
    /// for await changes in stack.changes {
    ///     for key in try changes.inserted(Song.self) ?? [] { … }
    /// }
    /// ```
    ///
    /// The sequence begins with this call, not with the loop. When a `write` has returned, its change set is in the
    /// sequence. It ends when the stack closes or the loop's task is cancelled; it holds the stack until then. Use one
    /// sequence for each loop: two loops over one sequence would share the change sets.
    ///
    /// Commits of other processes are found when this stack next reads or writes, or by ``watchForChanges(every:)``.
    /// Their changes are known if the other process keeps a history.
    ///
    /// Cost: from now on the store records the changes of each commit. Change sets are kept until the loop takes them:
    /// 40 bytes for each record, and its key.
    public var changes: CommittedChanges { CommittedChanges(self, companion(ChangeStreams.self).stream()) }
}

/// Change sets as they are committed; see ``Stack/changes``.
public struct CommittedChanges: AsyncSequence, Sendable {
    private let stack: Stack
    private let stream: AsyncStream<ChangeSet>
    private var entities: Set<Int>?
    private var author: String?
    private var left = LeftOut()

    init(_ stack: Stack, _ stream: AsyncStream<ChangeSet>) {
        self.stack = stack
        self.stream = stream
    }

    /// Only change sets that have changed records of these types, or whose changes are unknown.
    ///
    /// - Throws: `unknownEntity` if the stack's schema lacks one of them.
    public func of(_ types: any Record.Type...) throws -> CommittedChanges {
        var filtered = self
        filtered.entities = Set(try types.map { try stack.schema.position(ofEntity: $0.entityName) })
        return filtered
    }

    /// Only change sets whose origin has this name (the name of a context, or the one given to `write`), and change
    /// sets of unknown writers: other processes without a history, for which ``ChangeSet/isUnknown`` is true.
    public func by(_ author: String) -> CommittedChanges {
        var filtered = self
        filtered.author = author
        return filtered
    }

    /// Without the change sets of these origins: with the ``EditContext/origin`` of a context, without its own echo.
    ///
    /// ```swift
    /// for await changes in stack.changes.except(edit.origin) { … }
    /// ```
    ///
    /// Unlike a name, an origin belongs to one context, also if another one has the same name. Filters add up.
    public func except(_ origins: ChangeOrigin...) -> CommittedChanges {
        var filtered = self
        filtered.left.origins.formUnion(origins)
        return filtered
    }

    /// Without the change sets whose origin has one of these names. Change sets of unnamed and of unknown writers stay.
    ///
    /// ```swift
    /// for await changes in stack.changes.except("import", "purge") { … }
    /// ```
    public func except(_ authors: String...) -> CommittedChanges {
        var filtered = self
        filtered.left.authors.formUnion(authors)
        return filtered
    }

    /// The writers whose change sets are left out.
    fileprivate struct LeftOut: Sendable {
        var origins: Set<ChangeOrigin> = []
        var authors: Set<String> = []

        func contains(_ origin: ChangeOrigin) -> Bool {
            origins.contains(origin) || origin.name.map(authors.contains) == true
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stack: stack, stream: stream.makeAsyncIterator(), entities: entities, author: author, left: left)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stack: Stack
        fileprivate var stream: AsyncStream<ChangeSet>.Iterator
        fileprivate let entities: Set<Int>?
        fileprivate let author: String?
        fileprivate let left: LeftOut

        public typealias Failure = Never

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ChangeSet? {
            while var changes = await stream.next(isolation: actor) {
                if changes.changes == nil { changes = await stack.completed(changes) }
                if let entities, let changed = changes.entities, entities.isDisjoint(with: changed) { continue }
                if let author, changes.origin.name != author, !changes.isUnknown { continue }
                if left.contains(changes.origin) { continue }
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
        // Unbounded: each waiting commit costs one reference.
        let (stream, continuation) = AsyncStream.makeStream(of: ChangeSet.self, bufferingPolicy: .unbounded)
        let number = coordinator.listen { continuation.yield($0) }
        let isOpen = lock.withLock {
            if !isClosed { streams[number] = continuation }
            return !isClosed
        }
        // This also happens when the last reference to the stream is gone.
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
