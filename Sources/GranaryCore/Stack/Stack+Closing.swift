extension Stack {
    /// Waits for the reads and writes under way and closes the store. Those that begin later throw `closed`; closing
    /// again does nothing.
    ///
    /// - Throws: `busy` inside a read or a write of this stack, which it would wait for.
    public func close() async throws {
        let closer = BlockingThreads(limit: 1)
        defer { closer.stop() }
        let caller = currentThread()
        try activity.refuseInside(caller)
        try await closer.value { try self.closeNow() }
    }

    /// Waits for the reads and writes under way and closes the store, blocking the calling thread.
    public func close() throws {
        try activity.refuseInside(currentThread())
        try closeNow()
    }

    private func closeNow() throws {
        guard activity.beginClosing() else { return }
        companions.close()
        activity.waitUntilIdle()
        readers.stop()
        writers.stop()
        workers.stop()
        try store.close()
    }
}

/// What is under way in a stack, so that closing can wait for it.
final class Activity: Sendable {
    private let lock = Lock()
    private let idle = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isClosing = false
    nonisolated(unsafe) private var running = 0
    /// The thread of each read and write under way, as often as it has any: few, and so looked through.
    nonisolated(unsafe) private var threads: [UInt] = []
    nonisolated(unsafe) private var writingThread: UInt?

    /// Counts a read or write that will run; until ``leave()`` the stack stays open.
    func enter() throws {
        try lock.withLock { try begin() }
    }

    func leave() { lock.withLock { end() } }

    // With the lock held.
    private func begin() throws {
        if isClosing { throw GranaryError(.closed, "The stack is closed. Open a new one.") }
        running += 1
    }

    // With the lock held.
    private func end() {
        running -= 1
        if running == 0 && isClosing { idle.broadcast() }
    }

    /// Runs a body on this thread, known to ``refuseInside(_:)``, as part of a read or write that has entered.
    func onThisThread<T>(_ body: () throws -> T) rethrows -> T {
        let thread = currentThread()
        note(thread, 1)
        defer { note(thread, -1) }
        return try body()
    }

    /// Notes that one more read or write goes on on a thread, or one fewer.
    func note(_ thread: UInt, _ difference: Int) {
        lock.withLock { if difference > 0 { threads.append(thread) } else { forget(thread) } }
    }

    // With the lock held.
    private func forget(_ thread: UInt) {
        guard let place = threads.lastIndex(of: thread) else { return }
        threads.swapAt(place, threads.count - 1)
        threads.removeLast()
    }

    /// Enters, runs a body on this thread and leaves.
    func during<T>(_ body: () throws -> T) throws -> T {
        let thread = currentThread()
        try lock.withLock {
            try begin()
            threads.append(thread)
        }
        defer {
            lock.withLock {
                forget(thread)
                end()
            }
        }
        return try body()
    }

    /// True for the first caller alone.
    func beginClosing() -> Bool {
        lock.withLock {
            defer { isClosing = true }
            return !isClosing
        }
    }

    func waitUntilIdle() {
        lock.lock()
        while running > 0 { idle.wait(lock) }
        lock.unlock()
    }

    func refuseInside(_ thread: UInt) throws {
        if lock.withLock({ threads.contains(thread) }) {
            throw GranaryError(
                .busy, "close() inside a read or write of the same stack would wait for itself. Return first.")
        }
    }

    /// Notes that this thread runs a write's closure, or no longer does.
    func isWriting(_ begins: Bool) {
        let thread = currentThread()
        lock.withLock { writingThread = begins ? thread : nil }
    }

    func refuseWriteInsideWrite(_ thread: UInt) throws {
        if lock.withLock({ writingThread == thread }) {
            throw GranaryError(
                .reentrantWrite,
                "write was called inside write on the same stack. Use the transaction's savepoint instead.")
        }
    }
}
