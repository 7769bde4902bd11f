import GranaryPlatform

/// A task that follows changes. It ends when it is replaced.
final class FollowingTask: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var task: Task<Void, Never>?

    func set(_ new: Task<Void, Never>?) {
        let old = lock.withLock {
            defer { task = new }
            return task
        }
        old?.cancel()
    }

    func cancel() { set(nil) }
}
