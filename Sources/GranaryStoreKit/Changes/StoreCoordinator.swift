import GranaryPlatform
import Synchronization

// Commits become visible to readers a moment before they are published here, and two stacks, or another process, may
// commit in between. So numbers decide: a commit of this process announces the number it will have while it alone may
// write; a number that is seen and was not announced is another process's. Change sets are delivered in the order of
// their numbers, each once.

/// What everything in this process that uses one store shares: who is told of commits, and which keys were given out.
///
/// A store makes one when it is opened, and returns it from ``Store/coordinator``.
public final class StoreCoordinator: Sendable {
    /// Called with each change set, in order, one at a time, on whichever thread found it: it must be quick, and must not
    /// call the store.
    package typealias Listener = @Sendable (ChangeSet) -> Void

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var listeners: [UInt64: Listener] = [:]
    nonisolated(unsafe) private var nextListener: UInt64 = 0
    /// The number of the last change set delivered; nil until a number is known.
    @exclusivity(unchecked) nonisolated(unsafe) private var delivered: UInt64?
    /// Commits of this process that are under way.
    nonisolated(unsafe) private var announced: Set<UInt64> = []
    /// Change sets that wait for one with a lower number.
    nonisolated(unsafe) private var waiting: [UInt64: ChangeSet] = [:]
    /// The greatest number seen.
    @exclusivity(unchecked) nonisolated(unsafe) private var seen: UInt64 = 0
    /// Numbers below this one have been seen: written while `lock` is held, so that most reads need not take it.
    private let unseen = Atomic<UInt64>(0)
    /// The order of deliveries: held while listeners are called, never while `lock` is waited for by one of them.
    private let delivery = Lock()
    nonisolated(unsafe) private var queue: [ChangeSet] = []
    nonisolated(unsafe) private var keys: [Int: KeyRange] = [:]

    private struct KeyRange {
        /// The greatest key given to a context that has not been saved yet.
        var reserved: Int64 = 0
        /// The greatest key the write transaction under way has assigned or taken.
        var written: Int64 = 0
    }

    private let generations: GenerationCounter

    public convenience init() { self.init(GenerationCounter()) }

    /// - Parameter generations: That of the other coordinators of the same store.
    init(_ generations: GenerationCounter) { self.generations = generations }

    package var generation: Int { generations.number.load(ordering: .acquiring) }
    package func beginGeneration() { generations.number.add(1, ordering: .releasing) }

    // Listening

    /// Whether anybody wants to know what a commit changes.
    package var hasListeners: Bool { lock.withLock { !listeners.isEmpty } }

    /// From here on tells a listener of each commit. Who wants to begin with what is in the store listens first, then
    /// reads, and leaves out the commits that it has read already.
    package func listen(_ listener: @escaping Listener) -> UInt64 {
        lock.withLock {
            nextListener += 1
            listeners[nextListener] = listener
            return nextListener
        }
    }

    package func stopListening(_ number: UInt64) {
        let listener = lock.withLock { listeners.removeValue(forKey: number) }
        // Let go outside the lock: it may own what listens, too.
        withExtendedLifetime(listener) {}
    }

    // Commits

    /// A number that a reader or a writer has found in the store.
    package func see(_ number: UInt64) {
        if number < unseen.load(ordering: .relaxed) { return }
        let isNews = lock.withLock {
            // The first number counts even if it is 0, that of a new store: what comes after it is news.
            guard number > seen || delivered == nil else { return false }
            seen = max(seen, number)
            unseen.store(seen &+ 1, ordering: .relaxed)
            advance()
            return true
        }
        if isNews { deliver() }
    }

    /// This process is about to commit, and if the commit changes something it has this number.
    package func announce(_ number: UInt64) { lock.withLock { _ = announced.insert(number) } }

    /// The commit announced has failed, or has changed nothing.
    package func withdraw(_ number: UInt64) {
        lock.withLock {
            announced.remove(number)
            advance()
        }
        deliver()
    }

    /// The commit announced is in the store.
    package func publish(_ changes: ChangeSet) {
        lock.withLock {
            announced.remove(changes.transactionNumber)
            waiting[changes.transactionNumber] = changes
            seen = max(seen, changes.transactionNumber)
            advance()
        }
        deliver()
    }

    /// Queues what can be delivered. Called with the lock held.
    private func advance() {
        // What was there before this process looked is nobody's news. A commit of its own is seen to begin before.
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

    // Keys

    /// A key for a record that a context holds, greater than any there is: the store has assigned `stored` last.
    package func reserveKey(of entity: Int, after stored: Int64) -> Int64? {
        lock.withLock {
            var range = keys[entity] ?? KeyRange()
            let last = max(stored, range.reserved, range.written)
            guard last < Int64.max else { return nil }
            range.reserved = last + 1
            keys[entity] = range
            return last + 1
        }
    }

    /// Gives back keys that were reserved one after the other, for records that are gone with a savepoint of the context. They stay
    /// used if a greater key was reserved meanwhile.
    package func giveBack(_ keys: ClosedRange<Int64>, of entity: Int) {
        lock.withLock {
            guard let reserved = self.keys[entity]?.reserved, reserved == keys.upperBound else { return }
            self.keys[entity]?.reserved = keys.lowerBound - 1
        }
    }

    /// What a store's writer calls when it needs a key: the next after the last it has assigned that no context has been
    /// given. Contexts are given greater ones from then on. nil if there is none left.
    public func assignKey(of entity: Int, after last: Int64) -> Int64? {
        lock.withLock {
            var range = keys[entity] ?? KeyRange()
            let last = max(last, range.reserved)
            guard last < Int64.max else { return nil }
            range.written = max(last + 1, range.written)
            keys[entity] = range
            return last + 1
        }
    }

    /// The greatest key given to a context, 0 if none: for a statement whose keys the engine makes by itself.
    public func greatestReservedKey(of entity: Int) -> Int64 { lock.withLock { keys[entity]?.reserved ?? 0 } }

    /// What a store's writer calls when a row brings a key beyond those assigned: contexts are given greater ones.
    public func noteAssignedKey(_ key: Int64, of entity: Int) {
        lock.withLock { keys[entity, default: KeyRange()].written = max(key, keys[entity]?.written ?? 0) }
    }

    /// What a store's writer calls when a savepoint was undone: keys greater than the last one from before it, which the
    /// writer has assigned or noted since, are free again. A store that never calls it leaves gaps between the keys of contexts.
    public func takeBackKeys(after last: Int64, of entity: Int) {
        lock.withLock {
            guard let written = keys[entity]?.written, written > last else { return }
            keys[entity]?.written = last
        }
    }
}

/// How often the contents of a store were replaced by others, so that what was read before says nothing of what is there now.
final class GenerationCounter: Sendable {
    let number = Atomic<Int>(0)
}
