import GranaryPlatform

extension Stack {
    /// Returns when all commits before this call survive a loss of power, those with a relaxed durability, too.
    ///
    /// ```swift
    /// for message in feed { try await stack.write(durability: .relaxed) { try $0.upsert(message) } }
    /// try await stack.synchronize()
    /// try await feed.acknowledge(message.number)  // all up to here are on the disk
    /// ```
    ///
    /// Calls that come while one waits for the disk share the next sync. Cost: one sync of the disk; none if every
    /// commit was synced.
    ///
    /// - Throws: `io` if the disk fails. Then it is not known which of those commits a loss of power would lose: write
    ///   them again. `closed`.
    public func synchronize() async throws {
        let work = try activity.enter()
        defer { work.leave() }
        try await syncs.join(store)
    }
}

extension Blocking where Base == Stack {
    /// Returns when all commits before this call survive a loss of power: as ``Stack/synchronize()``.
    public func synchronize() throws { try base.activity.during { try base.store.synchronize() } }
}

/// The calls that wait for a sync of the store.
final class SyncQueue: Sendable {
    private let thread = BlockingThreads(limit: 1)
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var waiting: [CheckedContinuation<Void, any Error>] = []

    func join(_ store: any Store) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = lock.withLock {
                waiting.append(continuation)
                return waiting.count == 1
            }
            guard isFirst else { return }
            thread.run { [self] in
                // Calls from now on may be about commits that this sync does not include.
                let joined = lock.withLock {
                    defer { waiting = [] }
                    return waiting
                }
                let outcome = Result { try store.synchronize() }
                for continuation in joined { continuation.resume(with: outcome) }
            }
        }
    }

    func stop() { thread.stop() }
}
