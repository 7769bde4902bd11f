import GranaryPlatform

/// The running reads and writes of a stack, so that closing can wait for them.
///
/// Each read enters and leaves, and most take a microsecond. So threads count apart, in ``ActivityShard``, and whoever needs
/// to know all of them asks each shard.
final class Activity: Sendable {
    private let closing = StackClosing()
    private let shards: Shards<ActivityShard>
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var writingThread: UInt?

    init() {
        shards = Shards { [closing] in ActivityShard(closing) }
    }

    /// Counts a read or write that is about to run; the stack stays open until it has left.
    ///
    /// - Parameters:
    ///   - thread: The thread that runs it, if it is known: then ``refuseInside(_:)`` knows it from the start.
    ///   - name: The name of a read, for the warning about long ones.
    func enter(on thread: UInt? = nil, named name: String? = nil) throws -> ActiveWork {
        try shards.own.enter(on: thread, named: name)
    }

    /// Runs a body on this thread, known to ``refuseInside(_:)``, as part of a read or write that has entered.
    func onThisThread<T>(named name: String? = nil, _ body: () throws -> T) rethrows -> T {
        let (shard, thread) = (shards.own, currentThread())
        shard.note(thread, 1, name)
        defer { shard.note(thread, -1) }
        return try body()
    }

    func during<T>(_ body: () throws -> T) throws -> T {
        let work = try enter(on: currentThread())
        defer { work.leave() }
        return try body()
    }

    /// Stops the running reads, except those of contexts.
    func cancelReads() {
        for shard in shards.all { shard.cancelReads() }
    }

    /// The ages of reads that have been open for longer than a limit while others commit, each reported once. Called
    /// after a commit, by the thread that made it. An age counts from the first commit after the read began, so a read
    /// itself need not read the clock.
    func longReads(beyond limit: Duration) -> [(name: String?, age: Duration)] {
        let writer = currentThread()
        return shards.all.flatMap { $0.longReads(beyond: limit, besides: writer) }
    }

    /// The number of open reads, and the age of the oldest one that others have committed beside; nil if none has.
    func openReads() -> (count: Int, oldest: Duration?) {
        let parts = shards.all.map { $0.openWork() }
        let reads = parts.reduce(0) { $0 + $1.count } - (isInWrite ? 1 : 0)
        return (max(0, reads), parts.compactMap(\.oldest).max())
    }

    // MARK: Closing

    /// From now on nothing enters. Returns true for the first caller only.
    func beginClosing() -> Bool {
        guard closing.begin() else { return false }
        for shard in shards.all { shard.refuse() }
        return true
    }

    func waitUntilIdle() {
        closing.wait { shards.all.allSatisfy(\.isIdle) }
    }

    /// Refuses to close the stack inside a read or a write of this thread.
    func refuseInside(_ thread: UInt) throws {
        if shards.own.hasWork(of: thread) {
            throw GranaryError(
                .busy, "close() inside a read or write of the same stack would wait for itself. Return first.")
        }
    }

    // MARK: Writing

    /// Whether a write's closure runs.
    var isInWrite: Bool { lock.withLock { writingThread != nil } }

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

/// A read or a write that has entered. It leaves once, on any thread.
struct ActiveWork: Sendable {
    fileprivate let shard: ActivityShard
    /// The thread that it was counted for, if it is known.
    fileprivate let thread: UInt?
    /// Stops a read when the stack cancels all of them.
    let cancellation: CancellationFlag

    func leave() { shard.leave(thread) }
}

/// The running reads and writes that some of the threads have begun.
private final class ActivityShard: Sendable {
    private let lock = Lock()
    private let closing: StackClosing
    // Read and written only while `lock` is held. No access lasts longer than that, so accesses need not be checked for
    // overlaps.
    @exclusivity(unchecked) nonisolated(unsafe) private var isClosing = false
    @exclusivity(unchecked) nonisolated(unsafe) private var running = 0
    // The threads with running reads or writes, and how many each has. Mostly one, so a linear search is fastest.
    @exclusivity(unchecked) nonisolated(unsafe) private var threads: [Entry] = []
    /// Stops the reads that have begun since the last ``cancelReads()``.
    @exclusivity(unchecked) nonisolated(unsafe) private var reading = CancellationFlag()
    private let end = CacheLines()

    private struct Entry {
        let thread: UInt
        var count: Int
        /// The name of the thread's first read or write, if it has one.
        let name: String?
        /// Counts from the first commit after the read began.
        var overtaken: Stopwatch?
        var isReported = false
    }

    init(_ closing: StackClosing) { self.closing = closing }

    func enter(on thread: UInt?, named name: String?) throws -> ActiveWork {
        try lock.withLock {
            if isClosing { throw GranaryError.stackClosed }
            running += 1
            if let thread { count(thread, 1, name) }
            return ActiveWork(shard: self, thread: thread, cancellation: reading)
        }
    }

    func leave(_ thread: UInt?) {
        let wakesCloser = lock.withLock {
            if let thread { count(thread, -1) }
            running -= 1
            return isClosing && running == 0
        }
        if wakesCloser { closing.wake() }
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

    func hasWork(of thread: UInt) -> Bool { lock.withLock { threads.contains { $0.thread == thread } } }

    func cancelReads() {
        lock.withLock {
            reading.set()
            reading = CancellationFlag()
        }
    }

    func longReads(beyond limit: Duration, besides writer: UInt) -> [(name: String?, age: Duration)] {
        lock.withLock {
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

    func openWork() -> (count: Int, oldest: Duration?) {
        lock.withLock {
            (threads.reduce(0) { $0 + $1.count }, threads.compactMap { $0.overtaken?.elapsed }.max())
        }
    }

    func refuse() { lock.withLock { isClosing = true } }

    var isIdle: Bool { lock.withLock { running == 0 } }
}

/// Whether a stack is being closed, and the wait of the closing thread. Its lock is taken before those of the shards.
private final class StackClosing: Sendable {
    private let lock = Lock()
    private let idle = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var hasBegun = false

    /// Returns true for the first caller only.
    func begin() -> Bool {
        lock.withLock {
            defer { hasBegun = true }
            return !hasBegun
        }
    }

    func wait(until isIdle: () -> Bool) {
        lock.lock()
        while !isIdle() { idle.wait(lock) }
        lock.unlock()
    }

    func wake() { lock.withLock { idle.broadcast() } }
}

extension GranaryError {
    /// A stack is used after it was closed.
    static var stackClosed: GranaryError { GranaryError(.closed, "The stack is closed. Open a new one.") }
}
