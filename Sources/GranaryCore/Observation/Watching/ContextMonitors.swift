/// The monitors of a stack's contexts, which end when it closes.
final class ContextMonitors: StackCompanion {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var finishers: [UInt64: @Sendable () -> Void] = [:]
    nonisolated(unsafe) private var next: UInt64 = 0
    nonisolated(unsafe) private var isClosed = false

    init(of stack: Stack) {}

    /// - Parameter finish: Called when the stack closes, at once if it has. It may ``forget(_:)``.
    func add(_ finish: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isOpen) = lock.withLock {
            next += 1
            if !isClosed { finishers[next] = finish }
            return (next, !isClosed)
        }
        if !isOpen { finish() }
        return number
    }

    func forget(_ number: UInt64) { lock.withLock { _ = finishers.removeValue(forKey: number) } }

    /// How many there are.
    var count: Int { lock.withLock { finishers.count } }

    func stackCloses() {
        let all = lock.withLock {
            isClosed = true
            defer { finishers = [:] }
            return Array(finishers.values)
        }
        for finish in all { finish() }
    }
}
