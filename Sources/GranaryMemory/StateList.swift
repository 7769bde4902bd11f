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
/// Two locks: `lock` protects which state is current and its holders, and is never held for longer than a few
/// instructions, so that beginning a read waits for nothing; `freeing` protects the list and the pages, and is held
/// while one state is removed. `freeing` is taken first if both are needed.
// @unchecked: `current` and `holders` are used under `lock`, the states' other variables under `freeing`.
final class StateList: @unchecked Sendable {
    private let heap: PageHeap
    private let lock = Lock()
    private let freeing = Lock()
    private var current: CommittedState

    init(heap: PageHeap) {
        self.heap = heap
        current = .empty(time: 0, isClosed: false)
    }

    deinit {
        // Every holder of a state also holds the engine, so only the current state is left.
        heap.free(current.pages)
    }

    /// The current state, which stays complete until it is released. Throws `closed` once the engine is closed.
    func hold() throws -> CommittedState {
        lock.lock()
        defer { lock.unlock() }
        if current.isClosed { throw GranaryError.storeClosed }
        current.holders += 1
        return current
    }

    func letGo(_ state: CommittedState) {
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
