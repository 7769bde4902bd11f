import GranaryPlatform
import GranaryStoreKit

/// The current committed state, and those that readers hold: decides when a page is freed.
///
/// Pages hold no counts. A page is in every state from the commit that made it (its stamp shows this) to the last one
/// before it was superseded, and in no other state. So each state keeps the pages that end with it. When a state is
/// released, each of these pages is either in the next older state too (if that was committed at or after the page was
/// made) and is passed to it, or in no state at all, and is freed. So a snapshot that is held for a long time keeps its
/// own pages, but not those of the states after it.
///
/// Three kinds of locks, taken in this order if several are needed: `freeing` protects the list and the pages, and is held
/// while one state is removed; `lock` protects which state is current, and the holders of states that are not; the lock of
/// each ``StateShard`` protects the holders of the current state that hold it there. The last two are never held for longer
/// than a few instructions, so that beginning a read waits for nothing.
// @unchecked: `current` and `holders` are used under `lock`, the states' other variables under `freeing`.
final class StateList: @unchecked Sendable {
    private let heap: PageHeap
    private let lock = Lock()
    private let freeing = Lock()
    private var current: CommittedState
    private let shards: Shards<StateShard>

    init(heap: PageHeap) {
        self.heap = heap
        let first = CommittedState.empty(time: 0, isClosed: false)
        current = first
        shards = Shards { StateShard(first) }
    }

    deinit {
        // Every holder of a state also holds the engine, so only the current state is left.
        heap.free(current.pages)
    }

    /// The current state, which stays complete until it is let go. Throws `closed` once the engine is closed.
    func hold() throws -> HeldState {
        let shard = shards.own
        return HeldState(state: try shard.hold(), shard: shard)
    }

    func letGo(_ held: HeldState) {
        if held.shard.letGo(held.state) { return }
        // The list may drop its last reference while the state is removed.
        let state = held.state.takeUnretainedValue()
        lock.lock()
        state.holders -= 1
        // A state that is not current cannot be held again, so this happens once.
        let leaves = state.holders == 0 && state !== current
        lock.unlock()
        if leaves { remove(state) }
    }

    /// Makes a state the current one. Only the writer whose turn it is calls this, while it holds the present current
    /// state.
    func publish(_ state: CommittedState, superseding pages: [TreePage]) {
        freeing.lock()
        lock.lock()
        let old = current
        current = state
        // All at once: a read that begins after another one has seen the new state must not see the old one.
        for shard in shards.all { shard.lock.lock() }
        for shard in shards.all { old.holders += shard.replace(by: state) }
        for shard in shards.all { shard.lock.unlock() }
        lock.unlock()
        old.superseded = pages
        old.newer = state
        state.older = old
        freeing.unlock()
    }

    private func remove(_ state: CommittedState) {
        freeing.lock()
        var dead = state.superseded
        state.superseded = []
        if let older = state.older {
            let shared = dead.partition { $0.stamp > older.time }
            older.superseded += dead[..<shared]
            dead.removeFirst(shared)
        }
        state.older?.newer = state.newer
        state.newer?.older = state.older
        // An ended transaction may still keep the object: it must not keep its neighbours.
        state.older = nil
        state.newer = nil
        freeing.unlock()
        free(dead)
    }

    /// Frees pages that are in no state. If they are many megabytes, such as those of an index over a million records,
    /// the caller does not wait for it.
    private func free(_ pages: [TreePage]) {
        guard pages.count * heap.pageSize > 8 << 20 else { return heap.free(pages) }
        // The pages are in no state, and this call was handed the only list of them: the task alone uses them.
        nonisolated(unsafe) let pages = pages
        Task.detached(priority: .utility) { [heap] in heap.free(pages) }
    }
}

/// A state that a transaction holds. The list keeps it until it is let go, so no reference is counted.
struct HeldState {
    let state: Unmanaged<CommittedState>
    fileprivate let shard: StateShard
}

/// The current state, and how many transactions of some of the threads hold it.
private final class StateShard: Sendable {
    let lock = Lock()
    // Read and written only while `lock` is held. No access lasts longer, so accesses need not be checked for overlaps.
    @exclusivity(unchecked) nonisolated(unsafe) private var current: Unmanaged<CommittedState>
    @exclusivity(unchecked) nonisolated(unsafe) private var isClosed: Bool
    @exclusivity(unchecked) nonisolated(unsafe) private var holders = 0
    private let end = CacheLines()

    init(_ current: CommittedState) {
        self.current = Unmanaged.passUnretained(current)
        isClosed = current.isClosed
    }

    func hold() throws -> Unmanaged<CommittedState> {
        try lock.withLock {
            if isClosed { throw GranaryError.storeClosed }
            holders += 1
            return current
        }
    }

    /// Returns false if the state is no longer the current one: then the list counts its holders.
    func letGo(_ state: Unmanaged<CommittedState>) -> Bool {
        lock.withLock {
            guard state.toOpaque() == current.toOpaque() else { return false }
            holders -= 1
            return true
        }
    }

    /// Returns the number of holders of the state before. Called with `lock` held.
    func replace(by state: CommittedState) -> Int {
        defer {
            current = Unmanaged.passUnretained(state)
            isClosed = state.isClosed
            holders = 0
        }
        return holders
    }
}
