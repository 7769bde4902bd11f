import DequeModule

/// Threads of its own for calls that block, so that none blocks Swift's cooperative pool.
///
/// Jobs begin in the order in which they came, those of the owner of a reservation before all others. Threads are started
/// when there is a job and none is idle, up to `limit`, and end when ``stop()`` is called and the queue is empty.
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
    /// How many jobs are under way, on these threads or a caller's.
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var isStopped = false
    /// Until it ends only jobs of its owner begin.
    nonisolated(unsafe) private var reservation: Reservation?

    package init(limit: Int) { self.limit = limit }

    /// How many jobs wait for a thread.
    var waiting: Int { lock.withLock { jobs.count } }

    /// Runs a job on one of the threads, after those that came before it.
    package func run(for owner: AnyObject? = nil, _ job: @escaping @Sendable () -> Void) {
        // No thread is to be had: the caller's blocks, which is better than waiting for one for ever.
        if !enqueue(Job(owner: owner.map { ObjectIdentifier($0) }, run: job)) { job() }
    }

    /// - Returns: Whether there is a thread that will run it.
    private func enqueue(_ job: Job) -> Bool {
        lock.withLock {
            // Of a reservation an idle thread may wait beside jobs that it must not run.
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

    /// Lets the threads end when they have nothing more to do.
    package func stop() {
        lock.withLock {
            isStopped = true
            wake.broadcast()
        }
    }

    /// Runs a job and waits for it without blocking the caller's thread.
    package func value<T: Sendable>(
        for owner: AnyObject? = nil, _ job: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            run(for: owner) { continuation.resume(with: Result(catching: job)) }
        }
    }

    /// Runs a job on the caller's own thread, after those that came before it and before those that come later, as if the
    /// thread were one of these.
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

    // Reservations. Only threads with a limit of one have any.

    /// Waits for a turn, and keeps it for jobs of an owner: until ``endReservation(of:)``, and at most for
    /// `seconds`.
    ///
    /// - Returns: Whether it has it now and had not before.
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

    /// Makes a reservation that has not ended last for `seconds` from now on.
    ///
    /// - Returns: Whether there is one.
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

    /// Takes the job that is next out of the queue. Called with the lock held.
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

    /// What a thread's stack has at least, in bytes, as what is imported and exported may be nested some hundred levels deep.
    /// A page of it takes memory once it is used.
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
