import GranaryPlatform

/// Who is to be told that what an overlay shows has changed: once a call, after it; once a savepoint, after the outermost.
///
/// A hook only notes that it was called. Whoever looks does so when the context's actor is free again.
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
