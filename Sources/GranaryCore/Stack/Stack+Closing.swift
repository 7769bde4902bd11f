import GranaryPlatform

extension Stack {
    /// Waits for running reads and writes, and closes the store. Reads and writes that begin later throw `closed`.
    /// Closing again does nothing.
    ///
    /// ```swift
    /// try await stack.close()
    /// ```
    ///
    /// - Throws: `busy` inside a read or a write of this stack, because it would wait for itself.
    public func close() async throws {
        let closer = BlockingThreads(limit: 1)
        defer { closer.stop() }
        let caller = currentThread()
        try activity.refuseInside(caller)
        try await closer.value { try self.closeNow() }
    }

    fileprivate func closeNow() throws {
        guard activity.beginClosing() else { return }
        companions.close()
        activity.waitUntilIdle()
        readers.stop()
        writers.stop()
        workers.stop()
        syncs.stop()
        try store.close()
    }
}

extension Blocking where Base == Stack {
    /// Waits for running reads and writes and closes the store.
    public func close() throws {
        try base.activity.refuseInside(currentThread())
        try base.closeNow()
    }
}

/// The running reads and writes of a stack, so that closing can wait for them.
final class Activity: Sendable {
    private let lock = Lock()
    private let idle = Lock.Condition()
    // Read and written only while `lock` is held. No access lasts longer than that, so accesses need not be checked for
    // overlaps.
    @exclusivity(unchecked) nonisolated(unsafe) private var isClosing = false
    @exclusivity(unchecked) nonisolated(unsafe) private var running = 0
    // The threads with running reads or writes, and how many each has. Mostly a few, so a linear search is fastest.
    @exclusivity(unchecked) nonisolated(unsafe) private var threads: [Entry] = []
    nonisolated(unsafe) private var writingThread: UInt?
    /// Stops the reads that have begun since the last ``cancelReads()``.
    @exclusivity(unchecked) nonisolated(unsafe) private var reading = CancellationFlag()

    private struct Entry {
        let thread: UInt
        var count: Int
        /// The name of the thread's first read or write, if it has one.
        let name: String?
        /// Counts from the first commit after the read began.
        var overtaken: Stopwatch?
        var isReported = false
    }

    /// The ages of reads that have been open for longer than a limit while others commit, each reported once. Called
    /// after a commit, by the thread that made it. An age counts from the first commit after the read began, so a read
    /// itself need not read the clock.
    func longReads(beyond limit: Duration) -> [(name: String?, age: Duration)] {
        let writer = currentThread()
        return lock.withLock {
            var ages: [(String?, Duration)] = []
            for place in threads.indices where threads[place].thread != writer {
                guard let overtaken = threads[place].overtaken else {
                    threads[place].overtaken = Stopwatch()
                    continue
                }
                let age = overtaken.elapsed
                guard age > limit, !threads[place].isReported else { continue }
                threads[place].isReported = true
                ages.append((threads[place].name, age))
            }
            return ages
        }
    }

    /// Counts a read or write that is about to run; the stack stays open until ``leave()``. Returns the flag that stops
    /// a read.
    @discardableResult func enter() throws -> CancellationFlag {
        try lock.withLock {
            if isClosing { throw GranaryError.stackClosed }
            running += 1
            return reading
        }
    }

    /// Stops the running reads, except those of contexts.
    func cancelReads() {
        lock.withLock {
            reading.set()
            reading = CancellationFlag()
        }
    }

    func leave() { lock.withLock { countDown() } }

    /// Counts a read that ``refuseInside(_:)`` knows from the start, until ``leave(_:)``. Returns the flag that stops
    /// it.
    @discardableResult func enter(on thread: UInt, named name: String? = nil) throws -> CancellationFlag {
        try lock.withLock {
            if isClosing { throw GranaryError.stackClosed }
            running += 1
            count(thread, 1, name)
            return reading
        }
    }

    func leave(_ thread: UInt) {
        lock.withLock {
            count(thread, -1)
            countDown()
        }
    }

    /// Runs a body on this thread, known to ``refuseInside(_:)``, as part of a read or write that has entered.
    func onThisThread<T>(named name: String? = nil, _ body: () throws -> T) rethrows -> T {
        let thread = currentThread()
        note(thread, 1, name)
        defer { note(thread, -1) }
        return try body()
    }

    /// Adds `difference` to the number of running reads and writes of a thread.
    func note(_ thread: UInt, _ difference: Int, _ name: String? = nil) {
        lock.withLock { count(thread, difference, name) }
    }

    // Called with the lock held.
    private func count(_ thread: UInt, _ difference: Int, _ name: String? = nil) {
        guard let place = threads.firstIndex(where: { $0.thread == thread }) else {
            return threads.append(Entry(thread: thread, count: difference, name: name))
        }
        threads[place].count += difference
        if threads[place].count == 0 { threads.remove(at: place) }
    }

    // Called with the lock held.
    private func countDown() {
        running -= 1
        if running == 0 { idle.broadcast() }
    }

    func during<T>(_ body: () throws -> T) throws -> T {
        try enter()
        defer { leave() }
        return try onThisThread(body)
    }

    /// Returns true for the first caller only.
    func beginClosing() -> Bool {
        lock.withLock {
            defer { isClosing = true }
            return !isClosing
        }
    }

    /// The number of open reads, and the age of the oldest one that others have committed beside; nil if none has.
    func openReads() -> (count: Int, oldest: Duration?) {
        lock.withLock {
            let reads = threads.reduce(0) { $0 + $1.count } - (writingThread == nil ? 0 : 1)
            return (max(0, reads), threads.compactMap { $0.overtaken?.elapsed }.max())
        }
    }

    /// Whether a write's closure runs.
    var isInWrite: Bool { lock.withLock { writingThread != nil } }

    func waitUntilIdle() {
        lock.lock()
        while running > 0 { idle.wait(lock) }
        lock.unlock()
    }

    func refuseInside(_ thread: UInt) throws {
        if lock.withLock({ threads.contains { $0.thread == thread } }) {
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

extension GranaryError {
    /// A stack is used after it was closed.
    static var stackClosed: GranaryError { GranaryError(.closed, "The stack is closed. Open a new one.") }
}
