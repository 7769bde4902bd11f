import GranaryPlatform

/// Closures to call when the contents of an overlay have changed: once after each call, or once after the outermost
/// savepoint.
///
/// A hook only notes that it was called. Its owner reads the contents when the context's actor is free again.
final class ChangeHooks: Sendable {
    typealias Hook = @Sendable () -> Void

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var hooks: [UInt64: Hook] = [:]
    nonisolated(unsafe) private var next: UInt64 = 0

    func add(_ hook: @escaping Hook) -> UInt64 {
        lock.withLock {
            next += 1
            hooks[next] = hook
            return next
        }
    }

    func remove(_ number: UInt64) { lock.withLock { _ = hooks.removeValue(forKey: number) } }

    var count: Int { lock.withLock { hooks.count } }

    func call() {
        let called = lock.withLock { hooks.isEmpty ? [] : Array(hooks.values) }
        for hook in called { hook() }
    }
}
