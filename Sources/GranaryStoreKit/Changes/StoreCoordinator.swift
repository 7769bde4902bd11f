import GranaryPlatform
import Synchronization

// Commits become visible to readers a moment before they are published here, and two stacks, or another process, may
// commit in between. So numbers decide: a commit of this process announces its future number while only it may write; a
// number that is seen and was not announced belongs to another process. Change sets are delivered in the order of their
// numbers, each once.

/// Shared by everything in this process that uses one store: the listeners for commits, and the keys that were given
/// out.
///
/// A store makes one when it is opened, and returns it from ``Store/coordinator``.
public final class StoreCoordinator: Sendable {
    /// Called with each change set, in order, one at a time, on the thread that found it: it must be quick, and must
    /// not call the store.
    package typealias Listener = @Sendable (ChangeSet) -> Void

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var listeners: [UInt64: Listener] = [:]
    nonisolated(unsafe) private var nextListener: UInt64 = 0
    /// The number of the last delivered change set; nil until a number is known.
    @exclusivity(unchecked) nonisolated(unsafe) private var delivered: UInt64?
    /// The numbers of running commits of this process.
    nonisolated(unsafe) private var announced: Set<UInt64> = []
    /// Change sets that wait for one with a lower number.
    nonisolated(unsafe) private var waiting: [UInt64: ChangeSet] = [:]
    /// The greatest number seen.
    @exclusivity(unchecked) nonisolated(unsafe) private var seen: UInt64 = 0
    /// Every number below this one has been seen. Written while `lock` is held, so that most reads need not take it.
    private let unseen = Atomic<UInt64>(0)
    /// Orders deliveries: held while listeners are called. `lock` is not held then, so a listener may take it.
    private let delivery = Lock()
    nonisolated(unsafe) private var queue: [ChangeSet] = []
    nonisolated(unsafe) private var keys: [Int: KeyRange] = [:]

    private struct KeyRange {
        /// The greatest key given to a context that has not been saved yet.
        var reserved: Int64 = 0
        /// The greatest key that the running write transaction has assigned or taken.
        var written: Int64 = 0
    }

    private let generations: GenerationCounter

    /// A store of several parts: for each entity, the coordinator that gives out its keys, and its position there. Empty
    /// for any other store.
    private let keepers: [(coordinator: StoreCoordinator, entity: Int)]
    /// The coordinators of the parts.
    private let parts: [StoreCoordinator]

    public convenience init() { self.init(GenerationCounter()) }

    /// - Parameter generations: The counter that all coordinators of the store share.
    init(
        _ generations: GenerationCounter, keepers: [(coordinator: StoreCoordinator, entity: Int)] = [],
        parts: [StoreCoordinator] = []
    ) {
        (self.generations, self.keepers, self.parts) = (generations, keepers, parts)
    }

    package var generation: Int {
        parts.reduce(generations.number.load(ordering: .acquiring)) { $0 + $1.generation }
    }
    package func beginGeneration() { generations.number.add(1, ordering: .releasing) }

    // MARK: Listening

    /// Whether there are listeners for the changes of commits.
    package var hasListeners: Bool { lock.withLock { !listeners.isEmpty } }

    /// Calls a listener for each commit from now on. To begin with the contents of the store, listen first, then read,
    /// and skip the commits that the read has seen.
    package func listen(_ listener: @escaping Listener) -> UInt64 {
        lock.withLock {
            nextListener += 1
            listeners[nextListener] = listener
            return nextListener
        }
    }

    package func stopListening(_ number: UInt64) {
        let listener = lock.withLock { listeners.removeValue(forKey: number) }
        // Released outside the lock, because the closure may own the listening object.
        withExtendedLifetime(listener) {}
    }

    // MARK: Commits

    /// A number that a reader or a writer has found in the store.
    package func see(_ number: UInt64) {
        if number < unseen.load(ordering: .relaxed) { return }
        let isNews = lock.withLock {
            // The first number counts even if it is 0, the number of a new store: later commits are news.
            guard number > seen || delivered == nil else { return false }
            seen = max(seen, number)
            unseen.store(seen &+ 1, ordering: .relaxed)
            advance()
            return true
        }
        if isNews { deliver() }
    }

    /// Announces a commit of this process and its number, for the case that it changes something.
    package func announce(_ number: UInt64) { lock.withLock { _ = announced.insert(number) } }

    /// The announced commit has failed, or has changed nothing.
    package func withdraw(_ number: UInt64) {
        lock.withLock {
            announced.remove(number)
            advance()
        }
        deliver()
    }

    /// The announced commit is in the store.
    package func publish(_ changes: ChangeSet) {
        lock.withLock {
            announced.remove(changes.transactionNumber)
            waiting[changes.transactionNumber] = changes
            seen = max(seen, changes.transactionNumber)
            advance()
        }
        deliver()
    }

    /// Queues the change sets that can be delivered. Called with the lock held.
    private func advance() {
        // Commits from before this process first looked are not delivered. The beginning of its own commits is always
        // seen before them.
        guard var last = delivered else {
            delivered = seen
            return
        }
        while last < seen {
            let next = last + 1
            if announced.contains(next) { break }
            queue.append(
                waiting.removeValue(forKey: next)
                    ?? ChangeSet(transactionNumber: next, origin: ChangeOrigin(foreign: nil), changes: nil))
            last = next
        }
        delivered = last
    }

    private func deliver() {
        delivery.lock()
        defer { delivery.unlock() }
        while true {
            let (next, called) = lock.withLock {
                (queue.isEmpty ? nil : queue.removeFirst(), Array(listeners.values))
            }
            guard let next else { return }
            for listener in called { listener(next) }
        }
    }

    // MARK: Keys

    private func keeper(of entity: Int) -> (coordinator: StoreCoordinator, entity: Int)? {
        keepers.indices.contains(entity) ? keepers[entity] : nil
    }

    /// A key for a record in a context, greater than any existing key: the store has assigned `stored` last.
    package func reserveKey(of entity: Int, after stored: Int64) -> Int64? {
        if let keeper = keeper(of: entity) { return keeper.coordinator.reserveKey(of: keeper.entity, after: stored) }
        return lock.withLock {
            var range = keys[entity] ?? KeyRange()
            let last = max(stored, range.reserved, range.written)
            guard last < Int64.max else { return nil }
            range.reserved = last + 1
            keys[entity] = range
            return last + 1
        }
    }

    /// Gives back consecutively reserved keys, for records that a savepoint of the context has taken back. The keys
    /// stay used if a greater key was reserved in the meantime.
    package func giveBack(_ keys: ClosedRange<Int64>, of entity: Int) {
        if let keeper = keeper(of: entity) { return keeper.coordinator.giveBack(keys, of: keeper.entity) }
        lock.withLock {
            guard let reserved = self.keys[entity]?.reserved, reserved == keys.upperBound else { return }
            self.keys[entity]?.reserved = keys.lowerBound - 1
        }
    }

    /// Called by a store's writer when it needs a key: the next key after the last assigned one that was not given to a
    /// context. Contexts get greater keys from then on. Nil if no key is left.
    public func assignKey(of entity: Int, after last: Int64) -> Int64? {
        if let keeper = keeper(of: entity) { return keeper.coordinator.assignKey(of: keeper.entity, after: last) }
        return lock.withLock {
            var range = keys[entity] ?? KeyRange()
            let last = max(last, range.reserved)
            guard last < Int64.max else { return nil }
            range.written = max(last + 1, range.written)
            keys[entity] = range
            return last + 1
        }
    }

    /// The greatest key given to a context, or 0: for a statement whose keys the engine makes itself.
    public func greatestReservedKey(of entity: Int) -> Int64 {
        if let keeper = keeper(of: entity) { return keeper.coordinator.greatestReservedKey(of: keeper.entity) }
        return lock.withLock { keys[entity]?.reserved ?? 0 }
    }

    /// Called by a store's writer when a row has a key beyond the assigned ones: contexts then get greater keys.
    public func noteAssignedKey(_ key: Int64, of entity: Int) {
        if let keeper = keeper(of: entity) { return keeper.coordinator.noteAssignedKey(key, of: keeper.entity) }
        lock.withLock { keys[entity, default: KeyRange()].written = max(key, keys[entity]?.written ?? 0) }
    }

    /// Called by a store's writer when a savepoint was undone: the keys that the writer has assigned or noted since,
    /// all greater than `last`, are free again. A store that never calls it leaves gaps between the keys of contexts.
    public func takeBackKeys(after last: Int64, of entity: Int) {
        if let keeper = keeper(of: entity) { return keeper.coordinator.takeBackKeys(after: last, of: keeper.entity) }
        lock.withLock {
            guard let written = keys[entity]?.written, written > last else { return }
            keys[entity]?.written = last
        }
    }
}

/// Counts how often the contents of a store were replaced. Earlier reads then say nothing about the present contents.
final class GenerationCounter: Sendable {
    let number = Atomic<Int>(0)
}
