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
    nonisolated(unsafe) private var isStopped = false

    package init(limit: Int) { self.limit = limit }

    /// Runs a job on one of the threads, after those that came before it.
    package func run(_ job: @escaping @Sendable () -> Void) {
        let isTaken = lock.withLock {
            if idle > jobs.count {
                wake.signal()
            } else if started < limit {
                if startThread() { started += 1 }
            }
            guard started > 0 else { return false }
            jobs.append(job)
            return true
        }
        // No thread is to be had: the caller's blocks, which is better than waiting for one for ever.
        if !isTaken { job() }
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

    /// Runs a job and blocks the caller's thread until it is done.
    ///
    /// The job need not be `Sendable`: the caller waits, so only one of the two threads runs at a time, and the lock
    /// orders their memory.
    func blockingValue<T>(_ job: () throws -> T) throws -> T {
        try withoutActuallyEscaping(job) { job in
            let handoff = Handoff(job)
            run { handoff.perform() }
            return try handoff.wait().get()
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
            var job = jobs.popFirst()
            if job != nil {
                lock.unlock()
                job?()
                // Let go without the lock: the stack may go with it, which stops these threads.
                job = nil
                lock.lock()
            } else if isStopped {
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

/// A job that one thread gives and another does, while the first waits.
// @unchecked: `job` is taken once, by the doing thread; `result` is set by it and read by the giving thread afterwards,
// both under `lock`.
private final class Handoff<T>: @unchecked Sendable {
    private var job: (() throws -> T)?
    private let lock = Lock()
    private let done = Lock.Condition()
    private var result: Result<T, any Error>?

    init(_ job: @escaping () throws -> T) { self.job = job }

    func perform() {
        let result = takeResult()
        lock.withLock {
            self.result = result
            done.signal()
        }
    }

    /// The job is let go here, before the giving thread goes on: it must not outlive the call it was given in.
    private func takeResult() -> Result<T, any Error>? {
        let job = self.job
        self.job = nil
        return job.map { Result(catching: $0) }
    }

    func wait() -> Result<T, any Error> {
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let result { return result }
            done.wait(lock)
        }
    }
}
