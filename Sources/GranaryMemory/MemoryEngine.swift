import GranaryStoreKit
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
/// - All data is lost when the engine is released: a commit is atomic and isolated, and durable as long as the process
///   lives.
/// - A reader costs one reference and holds one committed state, whatever is written during that time. It never waits
///   for the writer. The pages of an old state are freed when the last reader that can see them ends.
/// - Writers take turns in the order of their requests; a second `beginWrite` on the thread that has the writer throws
///   `reentrantWrite`.
/// - A savepoint costs a copy of the list of roots; rolling back to it frees the pages written since.
/// - A key costs 20 bytes in addition to its own and its value's. Values above a quarter of a page (2 KiB) are stored
///   separately.
/// - After any write a cursor of the transaction must be placed anew with `first`, `last` or `seek`; `next` and
///   `previous` throw `cursorInvalidated`. Using an object after the end of its transaction throws `closed`.
///
/// A transaction that is dropped without `end()` or `commit()` ends by itself. But the compiler may drop it after its
/// last use, so call `end()` if pointers are still read.
// @unchecked: `clock` is used only by the thread that has the writer's turn; pages that readers see are never written
// (see TreePage).
public final class MemoryEngine: OrderedKeyValueEngine, @unchecked Sendable {
    public let kind = "memory"
    public let limits = KeyValueLimits(keySize: 64 * 1024, valueSize: 1 << 40)

    let heap: PageHeap
    private let turn = WriterTurn()
    let states: StateList
    /// The time at which the last write transaction ended.
    private var clock: UInt64 = 0

    /// An empty engine without keyspaces.
    public convenience init() {
        self.init(pageSize: 8 * 1024)
    }

    /// An engine with pages of another size; small pages make deep trees of few entries.
    package init(pageSize: Int) {
        heap = PageHeap(pageSize: max(pageSize, 128))
        states = StateList(heap: heap)
    }

    /// Adds the keyspaces that do not exist yet. Waits for the writer's turn.
    public func prepare(keyspaces: [Keyspace]) throws {
        let held = try states.hold()
        let isPrepared = held.state._withUnsafeGuaranteedRef { $0.keyspaces.adding(keyspaces) == nil }
        states.letGo(held)
        if isPrepared { return }
        let writer = try MemoryWriter(self)
        defer { writer.end() }
        try writer.add(keyspaces)
        try writer.commit()
    }

    public func beginRead() throws -> any KeyValueReader {
        MemoryReader(self, try states.hold())
    }

    public func beginWrite() throws -> any KeyValueWriter {
        try MemoryWriter(self)
    }

    /// Drops all data. Waits for the writer's turn; open readers keep their state until they end.
    /// Later transactions throw `closed`; closing again does nothing.
    public func close() throws {
        try turn.take()
        defer { turn.give() }
        // Closed already: there is no data.
        guard let held = try? states.hold() else { return }
        let pages = held.state._withUnsafeGuaranteedRef { $0.pages }
        states.publish(.empty(time: clock, isClosed: true), superseding: pages)
        states.letGo(held)
    }

    /// The number of pages in memory, including those of old states and of the open write transaction.
    package var pageCount: Int { heap.pageCount }

    /// The number of threads that wait in ``beginWrite()``.
    package var waitingWriters: Int { turn.waitingCount }
}

extension MemoryEngine {
    /// Waits for the writer's turn and returns the state to start from, held, and the time.
    func beginTurn() throws -> (held: HeldState, clock: UInt64) {
        try turn.take()
        do {
            return (try states.hold(), clock)
        } catch {
            turn.give()
            throw error
        }
    }

    func endTurn(_ held: HeldState, clock now: UInt64) {
        clock = now
        states.letGo(held)
        turn.give()
    }
}
