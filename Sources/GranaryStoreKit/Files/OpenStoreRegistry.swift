package import GranaryPlatform

/// The stores that this process has open. Two stacks on one store share one engine, or the second one is refused.
///
/// Engines lock with POSIX locks, which belong to the process: opening a file twice and closing one of the two drops
/// the locks of both. So a process opens each store once. One registry for each kind of payload, for the whole
/// process, in a global `let`.
///
/// ```swift
/// let folder = try StoreFolder.open(…)
/// let engine = try registry.acquire(folder.identity) { try Engine(folder) }   // or the one that is open
/// …
/// registry.release(folder.identity) { $0.close() }                            // closes when it was the last
/// ```
// @unchecked: `entries` is only touched while `lock` is held.
package final class OpenStoreRegistry<Payload: Sendable>: @unchecked Sendable {
    package typealias Identity = FileIdentity

    private enum Entry {
        case opening
        case open(Payload, count: Int)
        case closing
    }

    private let lock = Lock()
    private let changed = Lock.Condition()
    private var entries: [Identity: Entry] = [:]

    package init() {}

    /// The payload for the store, made if the store is not open in this process. Each call needs one
    /// ``release(_:close:)``.
    ///
    /// Waits for threads that open or close the same store, but not for other stores. If `make` throws, nothing was
    /// acquired, and one of the waiting threads makes its own. `make` must not acquire the same store.
    func acquire(_ identity: Identity, make: () throws -> Payload) throws -> Payload {
        lock.lock()
        waiting: while true {
            switch entries[identity] {
            case .open(let payload, let count):
                entries[identity] = .open(payload, count: count + 1)
                lock.unlock()
                return payload
            case .opening, .closing:
                changed.wait(lock)
            case nil:
                break waiting
            }
        }
        entries[identity] = .opening
        lock.unlock()

        do {
            let payload = try make()
            set(identity, .open(payload, count: 1))
            return payload
        } catch {
            set(identity, nil)
            throw error
        }
    }

    /// Takes a store that nothing in this process has open, for a user that does not share it. One
    /// ``release(_:close:)`` gives it back.
    ///
    /// - Returns: False, without waiting, if the store is open, opening or closing.
    package func claim(_ identity: Identity, _ payload: Payload) -> Bool {
        lock.withLock {
            guard entries[identity] == nil else { return false }
            entries[identity] = .open(payload, count: 1)
            return true
        }
    }

    /// Gives one acquisition back. The last one runs `close`, during which threads that acquire the same store wait.
    ///
    /// - Returns: Whether this was the last one. Also false for a store that is not open.
    @discardableResult
    package func release(_ identity: Identity, close: (Payload) -> Void) -> Bool {
        let last: Payload? = lock.withLock {
            guard case .open(let payload, let count) = entries[identity] else { return nil }
            guard count == 1 else {
                entries[identity] = .open(payload, count: count - 1)
                return nil
            }
            entries[identity] = .closing
            return payload
        }
        guard let last else { return false }
        close(last)
        set(identity, nil)
        return true
    }

    /// The number of acquisitions of the store.
    func count(_ identity: Identity) -> Int {
        lock.withLock {
            if case .open(_, let count) = entries[identity] { count } else { 0 }
        }
    }

    private func set(_ identity: Identity, _ entry: Entry?) {
        lock.withLock {
            entries[identity] = entry
            changed.broadcast()
        }
    }
}
