internal import GranaryCore
public import GranaryKeyValue

/// An ordered key-value engine in memory: a copy-on-write B+tree for each keyspace.
///
/// ```swift
/// let engine = MemoryEngine()
/// try engine.prepare(keyspaces: [Keyspace(1)])
/// let writer = try engine.beginWrite()
/// defer { writer.end() }
/// try writer.reserve(key, count: bytes.count, in: Keyspace(1), mode: .insert)?.copyMemory(from: bytes)
/// try writer.commit()
/// ```
///
/// - Nothing is kept when the engine goes: a commit is atomic and isolated, and durable as long as the process lives.
/// - A reader costs one reference and holds one committed state, whatever is written meanwhile. It never waits for
///   the writer. The pages of an old state are freed when the last reader that can see them ends.
/// - Writers take turns in the order in which they asked; a second `beginWrite` on the thread that has the writer
///   throws `reentrantWrite`.
/// - A savepoint costs a copy of the list of roots; going back to it frees what was written since.
/// - A key costs 20 bytes beside its own and its value's. Values above a quarter of a page (2 KiB) lie by themselves.
/// - After any write a cursor of the transaction must be placed anew with `first`, `last` or `seek`; `next` and `previous`
///   throw `cursorInvalidated`. What is used after the end of its transaction throws `closed`.
///
/// A transaction that is dropped without `end()` or `commit()` ends by itself; but the compiler may drop it after its
/// last use, so call `end()` where pointers are still read.
// @unchecked: `state` fields are read and written under `lock`; `clock` only by the thread that has the writer's turn;
// pages that readers see are never written (see Page).
public final class MemoryEngine: OrderedKeyValueEngine, @unchecked Sendable {
    public let kind = "memory"
    public let limits = KeyValueLimits(keySize: 64 * 1024, valueSize: 1 << 40)

    let heap: PageHeap
    private let turn = WriterTurn()
    private let lock = Lock()
    private var current: CommittedState
    private var oldest: CommittedState
    private var isClosed = false
    /// The time at which the last write transaction ended.
    private var clock: UInt64 = 0

    /// An empty engine without keyspaces.
    public convenience init() {
        self.init(pageSize: 8 * 1024)
    }

    /// An engine with pages of another size; small ones make deep trees of few entries.
    package init(pageSize: Int) {
        heap = PageHeap(pageSize: max(pageSize, 128))
        let nothing = UnsafeMutablePointer<Tree>.allocate(capacity: 1)
        defer { nothing.deallocate() }
        current = CommittedState(number: 0, keyspaces: KeyspaceTable([]), trees: nothing)
        oldest = current
    }

    deinit {
        // Transactions hold the engine, so there are none, and the current state is the only one left.
        heap.free(current.pages)
    }

    /// Adds the keyspaces that do not exist yet. Waits for the writer's turn.
    public func prepare(keyspaces: [Keyspace]) throws {
        let writer = try MemoryWriter(self)
        defer { writer.end() }
        try writer.add(keyspaces)
        try writer.commit()
    }

    public func beginRead() throws -> any KeyValueReader {
        MemoryReader(self, try pinCurrent())
    }

    public func beginWrite() throws -> any KeyValueWriter {
        try MemoryWriter(self)
    }

    /// Drops everything stored. Waits for the writer's turn; readers that are open keep their state until they end.
    /// Later transactions throw `closed`; closing again does nothing.
    public func close() throws {
        try turn.take()
        defer { turn.give() }
        let base: CommittedState? = lock.withLock {
            if isClosed { return nil }
            isClosed = true
            return current
        }
        guard let base else { return }
        let state = CommittedState(number: base.number, keyspaces: KeyspaceTable([]), trees: base.trees)
        publish(state, superseding: base.pages)
    }

    /// Pages in memory, those of old states and of the open write transaction among them.
    package var pageCount: Int { heap.pageCount }

    /// Threads that wait in ``beginWrite()``.
    package var waitingWriters: Int { turn.waitingCount }
}

extension MemoryEngine {
    /// The newest state, which stays whole until it is unpinned.
    func pinCurrent() throws -> CommittedState {
        lock.lock()
        defer { lock.unlock() }
        if isClosed {
            throw GranaryError(.closed, "The memory store is closed; make a new one to go on.")
        }
        current.readers += 1
        return current
    }

    func unpin(_ state: CommittedState) {
        lock.lock()
        state.readers -= 1
        let garbage = state === oldest ? takeGarbage() : []
        lock.unlock()
        heap.free(garbage)
    }

    /// Waits for the writer's turn and returns the state to start from, pinned, and the time.
    func beginTurn() throws -> (state: CommittedState, clock: UInt64) {
        try turn.take()
        do {
            return (try pinCurrent(), clock)
        } catch {
            turn.give()
            throw error
        }
    }

    func endTurn(_ state: CommittedState, clock now: UInt64) {
        clock = now
        unpin(state)
        turn.give()
    }

    /// Makes a state the current one. By whoever has the writer's turn.
    func publish(_ state: CommittedState, superseding pages: [Page]) {
        lock.lock()
        current.superseded = pages
        current.next = state
        current = state
        let garbage = takeGarbage()
        lock.unlock()
        heap.free(garbage)
    }

    /// Removes the states that nobody needs from the front of the queue. Under the lock.
    private func takeGarbage() -> [Page] {
        var garbage: [Page] = []
        while oldest.readers == 0, let next = oldest.next {
            if garbage.isEmpty { garbage = oldest.superseded } else { garbage += oldest.superseded }
            // An ended reader may keep the state object: it must not keep a chain of all later ones.
            oldest.superseded = []
            oldest.next = nil
            oldest = next
        }
        return garbage
    }
}
