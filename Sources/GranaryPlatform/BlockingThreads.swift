import DequeModule

/// Separate threads for blocking calls, so that these never block Swift's cooperative pool.
///
/// Jobs begin in the order of their arrival, except that jobs of the owner of a reservation come first. A new thread is
/// started when there is a job and no thread is idle, up to `limit` threads. The threads end when ``stop()`` has been
/// called and the queue is empty.
package final class BlockingThreads: Sendable {
    private struct Job {
        var owner: ObjectIdentifier?
        var run: @Sendable () -> Void
    }

    private struct Reservation {
        var owner: ObjectIdentifier
        var end: Deadline
    }

    private let limit: Int
    private let lock = Lock()
    private let wake = Lock.Condition()
    // The fields below are read and written only while `lock` is held.
    nonisolated(unsafe) private var jobs: Deque<Job> = []
    nonisolated(unsafe) private var started = 0
    nonisolated(unsafe) private var idle = 0
    /// The number of jobs that are running, on these threads or on a caller's.
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var isStopped = false
    /// Until it ends, only jobs of its owner begin.
    nonisolated(unsafe) private var reservation: Reservation?

    package init(limit: Int) { self.limit = limit }

    /// The number of jobs that wait for a thread.
    package var waiting: Int { lock.withLock { jobs.count } }

    /// Runs a job on one of the threads, after the jobs that came before it.
    package func run(for owner: AnyObject? = nil, _ job: @escaping @Sendable () -> Void) {
        // If no thread could be started, the job blocks the caller's thread. This is better than waiting for ever.
        if !enqueue(Job(owner: owner.map { ObjectIdentifier($0) }, run: job)) { job() }
    }

    /// - Returns: Whether the job is queued. False if no thread exists to run it.
    private func enqueue(_ job: Job) -> Bool {
        lock.withLock {
            // During a reservation an idle thread may wait although the queue has jobs that it must not run.
            if idle > jobs.count || idle > 0 && reservation != nil {
                wake.signal()
            } else if started < limit {
                if startThread() { started += 1 }
            }
            guard started > 0 else { return false }
            jobs.append(job)
            return true
        }
    }

    /// Ends the threads when they have no more jobs.
    package func stop() {
        lock.withLock {
            isStopped = true
            wake.broadcast()
        }
    }

    /// Runs a job on one of the threads, and waits for its result without blocking the caller's thread.
    package func value<T: Sendable>(
        for owner: AnyObject? = nil, _ job: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            run(for: owner) { continuation.resume(with: Result(catching: job)) }
        }
    }

    /// Runs a job on the caller's own thread, in its turn: after the jobs that came before it and before later ones.
    ///
    /// So the job need not be `Sendable`: it may belong to the main actor, whose code runs on no other thread.
    package func onCallersThread<T>(for owner: AnyObject? = nil, _ job: () throws -> T) rethrows -> T {
        let owner = owner.map { ObjectIdentifier($0) }
        let isFree = lock.withLock {
            let isNext = currentReservation.map { $0.owner == owner } ?? jobs.isEmpty
            guard isNext, running < limit else { return false }
            running += 1
            return true
        }
        if isFree {
            defer { leave() }
            return try job()
        }
        let turn = Turn()
        guard enqueue(Job(owner: owner, run: { turn.lend() })) else { return try job() }
        turn.take()
        defer { turn.giveBack() }
        return try job()
    }

    // Reservations. Used only if the limit is one thread.

    /// Waits for its turn, then reserves the thread for jobs of `owner`, until ``endReservation(of:)`` and at most for
    /// `seconds`.
    ///
    /// - Returns: Whether this call made the reservation. False if another one existed, also one of the same owner.
    package func reserve(for owner: any AnyObject & Sendable, seconds: Double) async -> Bool {
        let isReserved = try? await value(for: owner) { [self] in
            lock.withLock {
                guard currentReservation == nil else { return false }
                reservation = Reservation(owner: ObjectIdentifier(owner), end: Deadline(seconds: seconds))
                return true
            }
        }
        return isReserved ?? false
    }

    /// Extends the current reservation of `owner`: it lasts for `seconds` from now on.
    ///
    /// - Returns: False if `owner` has no reservation, or its time is over.
    @discardableResult package func extendReservation(of owner: AnyObject, seconds: Double) -> Bool {
        lock.withLock {
            guard currentReservation?.owner == ObjectIdentifier(owner) else { return false }
            reservation?.end = Deadline(seconds: seconds)
            return true
        }
    }

    package func endReservation(of owner: AnyObject) {
        lock.withLock {
            guard reservation?.owner == ObjectIdentifier(owner) else { return }
            reservation = nil
            wake.broadcast()
        }
    }

    /// The reservation, if its time is not over. Called with the lock held.
    private var currentReservation: Reservation? {
        if let end = reservation?.end, end.isOver { reservation = nil }
        return reservation
    }

    /// Takes the next job out of the queue. Called with the lock held.
    private func nextJob() -> Job? {
        guard running < limit else { return nil }
        guard let owner = currentReservation?.owner else { return jobs.popFirst() }
        return jobs.firstIndex { $0.owner == owner }.map { jobs.remove(at: $0) }
    }

    /// Waits until there may be a job. Called with the lock held.
    private func waitForJob() {
        guard let reservation, !jobs.isEmpty else { return wake.wait(lock) }
        _ = wake.wait(lock, seconds: max(0.001, reservation.end.remaining))
    }

    private func leave() {
        lock.withLock {
            running -= 1
            if !jobs.isEmpty { wake.signal() }
        }
    }

    /// The least stack size of a thread, in bytes. Imported and exported values may be nested some hundred levels deep.
    /// A page of the stack takes memory only when it is used.
    private static let leastStack = 8 << 20

    private func startThread() -> Bool {
        let box = Unmanaged.passRetained(self)
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else {
            box.release()
            return false
        }
        defer { pthread_attr_destroy(&attributes) }
        var size = 0
        pthread_attr_getstacksize(&attributes, &size)
        if size < Self.leastStack { pthread_attr_setstacksize(&attributes, Self.leastStack) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = pthread_create(&thread, &attributes, blockingThreadMain, box.toOpaque())
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
            var job = nextJob()
            if job != nil {
                running += 1
                lock.unlock()
                job?.run()
                // Released without the lock: the job may hold the last reference to the stack, which then stops these
                // threads.
                job = nil
                lock.lock()
                running -= 1
            } else if isStopped, jobs.isEmpty {
                // For threads that were woken before and had nothing to do.
                wake.broadcast()
                break
            } else {
                idle += 1
                waitForJob()
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

/// The turn of a thread, which waits while the turn is lent to another thread.
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
