internal import DequeModule

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Threads of its own for calls that block, so that none blocks Swift's cooperative pool.
///
/// Jobs begin in the order in which they came. Threads are started when there is a job and none is idle, up to `limit`,
/// and end when ``stop()`` is called and the queue is empty.
package final class BlockingThreads: Sendable {
    private let limit: Int
    private let lock = Lock()
    private let wake = Lock.Condition()
    // The fields below are read and written only while `lock` is held.
    nonisolated(unsafe) private var jobs: Deque<@Sendable () -> Void> = []
    nonisolated(unsafe) private var started = 0
    nonisolated(unsafe) private var idle = 0
    /// How many jobs are under way, on these threads or a caller's.
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var isStopped = false

    package init(limit: Int) { self.limit = limit }

    /// How many jobs wait for a thread.
    var waiting: Int { lock.withLock { jobs.count } }

    /// Runs a job on one of the threads, after those that came before it.
    package func run(_ job: @escaping @Sendable () -> Void) {
        // No thread is to be had: the caller's blocks, which is better than waiting for one for ever.
        if !enqueue(job) { job() }
    }

    /// - Returns: Whether there is a thread that will run it.
    private func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool {
        lock.withLock {
            if idle > jobs.count {
                wake.signal()
            } else if started < limit {
                if startThread() { started += 1 }
            }
            guard started > 0 else { return false }
            jobs.append(job)
            return true
        }
    }

    /// Lets the threads end when they have nothing more to do.
    package func stop() {
        lock.withLock {
            isStopped = true
            wake.broadcast()
        }
    }

    /// Runs a job and waits for it without blocking the caller's thread.
    func value<T: Sendable>(_ job: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            run { continuation.resume(with: Result(catching: job)) }
        }
    }

    /// Runs a job on the caller's own thread, after those that came before it and before those that come later, as if the
    /// thread were one of these.
    ///
    /// So the job need not be `Sendable`: it may belong to the main actor, whose code runs on no other thread.
    func onCallersThread<T>(_ job: () throws -> T) rethrows -> T {
        let isFree = lock.withLock {
            guard jobs.isEmpty, running < limit else { return false }
            running += 1
            return true
        }
        if isFree {
            defer { leave() }
            return try job()
        }
        let turn = Turn()
        guard enqueue({ turn.lend() }) else { return try job() }
        turn.take()
        defer { turn.giveBack() }
        return try job()
    }

    private func leave() {
        lock.withLock {
            running -= 1
            if !jobs.isEmpty { wake.signal() }
        }
    }

    private func startThread() -> Bool {
        let box = Unmanaged.passRetained(self)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = pthread_create(&thread, nil, blockingThreadMain, box.toOpaque())
        guard status == 0 else {
            box.release()
            return false
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }

    fileprivate func loop() {
        lock.lock()
        while true {
            var job = running < limit ? jobs.popFirst() : nil
            if job != nil {
                running += 1
                lock.unlock()
                job?()
                // Let go without the lock: the stack may go with it, which stops these threads.
                job = nil
                lock.lock()
                running -= 1
            } else if isStopped, jobs.isEmpty {
                // For those that were woken for nothing before.
                wake.broadcast()
                break
            } else {
                idle += 1
                wake.wait(lock)
                idle -= 1
            }
        }
        started -= 1
        lock.unlock()
    }
}

#if canImport(Darwin)
    private func blockingThreadMain(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<BlockingThreads>.fromOpaque(context).takeRetainedValue().loop()
        return nil
    }
#else
    private func blockingThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<BlockingThreads>.fromOpaque(context).takeRetainedValue().loop() }
        return nil
    }
#endif

/// A thread's turn, lent to another thread, for which it waits.
private final class Turn: Sendable {
    private enum State { case waiting, lent, over }

    private let lock = Lock()
    private let changed = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var state = State.waiting

    /// Lends the turn of this thread, and waits until it is given back.
    func lend() { change(to: .lent, until: .over) }

    /// Waits until the turn is lent.
    func take() {
        lock.lock()
        while state != .lent { changed.wait(lock) }
        lock.unlock()
    }

    func giveBack() { change(to: .over, until: .over) }

    private func change(to new: State, until end: State) {
        lock.lock()
        state = new
        changed.broadcast()
        while state != end { changed.wait(lock) }
        lock.unlock()
    }
}
