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
final class BlockingThreads: Sendable {
    private let limit: Int
    private let lock = Lock()
    private let wake = Lock.Condition()
    // The fields below are read and written only while `lock` is held.
    nonisolated(unsafe) private var jobs: Deque<@Sendable () -> Void> = []
    nonisolated(unsafe) private var started = 0
    nonisolated(unsafe) private var idle = 0
    nonisolated(unsafe) private var isStopped = false

    init(limit: Int) { self.limit = limit }

    /// Runs a job on one of the threads, after those that came before it.
    func run(_ job: @escaping @Sendable () -> Void) {
        lock.withLock {
            jobs.append(job)
            if idle >= jobs.count {
                wake.signal()
            } else if started < limit {
                started += 1
                start()
            }
        }
    }

    /// Lets the threads end when they have nothing more to do.
    func stop() {
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

    private func start() {
        let box = Unmanaged.passRetained(self)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = pthread_create(&thread, nil, blockingThreadMain, box.toOpaque())
        if status == 0 {
            pthread_detach(thread)
        } else {
            // The threads there are go on; with none, the job waits for the next call to try again.
            box.release()
            started -= 1
        }
    }

    fileprivate func loop() {
        lock.lock()
        while true {
            if let job = jobs.popFirst() {
                lock.unlock()
                job()
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
// @unchecked: `job` is called once, by the doing thread, before `result` is set; `result` is read by the giving thread
// after that, both under `lock`.
private final class Handoff<T>: @unchecked Sendable {
    private let job: () throws -> T
    private let lock = Lock()
    private let done = Lock.Condition()
    private var result: Result<T, any Error>?

    init(_ job: @escaping () throws -> T) { self.job = job }

    func perform() {
        let result = Result(catching: job)
        lock.withLock {
            self.result = result
            done.signal()
        }
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

/// The calling thread, for comparing.
func currentThread() -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
    #else
        UInt(pthread_self())
    #endif
}
