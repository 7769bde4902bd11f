import DequeModule

/// A job that need not wait for the end of the running job: the running job may take it out of the queue, with
/// ``BlockingThreads/takeNext(as:where:)``, and do its work as a part of its own.
package protocol Joiner: AnyObject, Sendable {}

/// Separate threads for blocking calls, so that these never block Swift's cooperative pool.
///
/// Jobs begin in the order of their arrival, except that jobs of the owner of a reservation come first. A new thread is
/// started when there is a job and no thread is idle, up to `limit` threads. The threads end when ``stop()`` has been
/// called and the queue is empty.
package final class BlockingThreads: Sendable {
    private struct Job {
        /// Counts the jobs with a limit of waiting.
        var number = 0
        /// Until when it may wait, and what is called then; nil for a job of a caller's thread, which watches itself.
        var deadline: Deadline?
        var refused: (@Sendable (Double) -> Void)?
        var owner: ObjectIdentifier?
        var joiner: (any Joiner)?
        /// Returns what is done once the job does not count any more; nil for nothing.
        var run: @Sendable () -> Ending?
    }

    /// What a job does when it does not count any more.
    package typealias Ending = @Sendable () -> Void

    private struct Reservation {
        var owner: ObjectIdentifier
        var end: Deadline
    }

    /// How many jobs may wait, and for how long.
    package struct Patience: Sendable {
        /// How many jobs may wait; nil for any number.
        package var count: Int?
        /// How long a job may wait, in seconds; nil for any time.
        package var seconds: Double?

        package init(count: Int? = nil, seconds: Double? = nil) { (self.count, self.seconds) = (count, seconds) }
    }

    private let limit: Int
    private let patience: Patience
    private let lock = Lock()
    private let wake = Lock.Condition()
    /// Signalled when a job arrives while the running job waits for it in ``waitForNext(seconds:)``.
    private let arrival = Lock.Condition()
    /// What the watch over jobs that may wait only for a time waits for; nothing signals it.
    private let lateness = Lock.Condition()
    // The fields below are read and written only while `lock` is held.
    nonisolated(unsafe) private var jobs: Deque<Job> = []
    nonisolated(unsafe) private var started = 0
    nonisolated(unsafe) private var idle = 0
    /// The number of jobs that are running, on these threads or on a caller's.
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var isStopped = false
    nonisolated(unsafe) private var isAwaited = false
    nonisolated(unsafe) private var numbered = 0
    /// The thread that refuses jobs that have waited too long, once there was such a job.
    nonisolated(unsafe) private var watcher: BlockingThreads?
    nonisolated(unsafe) private var isWatching = false
    /// Until it ends, only jobs of its owner begin.
    nonisolated(unsafe) private var reservation: Reservation?

    /// - Parameter patience: For jobs of ``submit(for:joiner:refused:_:)`` and of callers' threads; other jobs wait for
    ///   any time.
    package init(limit: Int, _ patience: Patience = Patience()) { (self.limit, self.patience) = (limit, patience) }

    /// The number of jobs that wait for a thread.
    package var waiting: Int { lock.withLock { jobs.count } }

    /// Runs a job on one of the threads, after the jobs that came before it.
    ///
    /// - Parameter joiner: The same job for a running job that may take it.
    package func run(
        for owner: AnyObject? = nil, joiner: (any Joiner)? = nil, _ job: @escaping @Sendable () -> Void
    ) {
        // If no thread could be started, the job blocks the caller's thread. This is better than waiting for ever.
        let owner = owner.map { ObjectIdentifier($0) }
        let queued = Job(owner: owner, joiner: joiner) {
            job()
            return nil
        }
        if !enqueue(queued) { job() }
    }

    /// The same for a job that waits with the patience of these threads.
    ///
    /// - Parameters:
    ///   - refused: Called instead of the job if that has waited too long, with the time in seconds, on another thread.
    ///   - job: Returns how its caller is told. The caller may then submit its next job, for which this one must not
    ///     count.
    /// - Throws: ``TooManyWait`` if as many jobs wait as may.
    package func submit(
        for owner: AnyObject? = nil, joiner: (any Joiner)? = nil, refused: @escaping @Sendable (Double) -> Void,
        _ job: @escaping @Sendable () -> Ending
    ) throws(TooManyWait) {
        let number = try reserveNumber()
        let owner = owner.map { ObjectIdentifier($0) }
        let queued = Job(
            number: number ?? 0, deadline: patience.seconds.map { Deadline(seconds: $0) }, refused: refused,
            owner: owner, joiner: joiner, run: job)
        guard enqueue(queued) else { return job()() }
        watch()
    }

    /// Starts the watch over jobs that may wait only for a time, unless it runs.
    private func watch() {
        guard let seconds = patience.seconds else { return }
        let starting = lock.withLock { () -> BlockingThreads? in
            guard !isWatching else { return nil }
            isWatching = true
            let threads = watcher ?? BlockingThreads(limit: 1)
            watcher = threads
            return threads
        }
        starting?.run { [self] in refuseLateJobs(seconds) }
    }

    /// Refuses each job that has waited too long, until no job waits.
    private func refuseLateJobs(_ seconds: Double) {
        lock.lock()
        // All wait equally long, so the first one is the first whose time is over.
        while let place = jobs.firstIndex(where: { $0.deadline != nil }), let deadline = jobs[place].deadline {
            if deadline.isOver {
                let late = jobs.remove(at: place)
                lock.unlock()
                late.refused?(seconds)
                lock.lock()
            } else {
                _ = lateness.wait(lock, seconds: deadline.remaining)
            }
        }
        isWatching = false
        lock.unlock()
    }

    /// As many jobs wait as may.
    package struct TooManyWait: Error {
        package let count: Int
    }

    /// A number for a job that may wait only so long; nil if it may wait for any time.
    private func reserveNumber() throws(TooManyWait) -> Int? {
        if patience.count == nil && patience.seconds == nil { return nil }
        return try lock.withLock { () throws(TooManyWait) -> Int? in
            if let most = patience.count, running + jobs.count - limit >= most { throw TooManyWait(count: most) }
            numbered += 1
            return numbered
        }
    }

    /// Takes a job out of the queue that has waited too long. Returns whether it still waited.
    private func remove(_ number: Int) -> Bool {
        let removed = lock.withLock { jobs.firstIndex { $0.number == number }.map { jobs.remove(at: $0) } }
        return withExtendedLifetime(removed) { removed != nil }
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
            if isAwaited { arrival.signal() }
            return true
        }
    }

    /// Ends the threads when they have no more jobs.
    package func stop() {
        lock.withLock {
            isStopped = true
            wake.broadcast()
            watcher?.stop()
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
        try onCallersThread(for: owner, joiner: { (_: LentTurn<Bool>) in nil }, job) { _, _ in
            try job()
        } refused: { _ in
            try job()
        }
    }

    /// Runs a job on the caller's own thread, in its turn, or as a part of the running job.
    ///
    /// - Parameters:
    ///   - joiner: Makes the object that a running job may take: it must then lend the turn to this thread, with an
    ///     object for `joined`.
    ///   - joined: The job if it was taken. It must give the turn back.
    ///   - refused: Makes the error if the job has waited too long, from the time in seconds, or if too many wait.
    package func onCallersThread<T, Loan: Sendable>(
        for owner: AnyObject?, joiner: (LentTurn<Loan>) -> (any Joiner)?, _ job: () throws -> T,
        joined: (Loan, LentTurn<Loan>) throws -> T, refused: (Double?) throws -> T
    ) rethrows -> T {
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
        let turn = LentTurn<Loan>()
        let number: Int?
        do { number = try reserveNumber() } catch { return try refused(nil) }
        let waiting = Job(
            number: number ?? 0, owner: owner, joiner: joiner(turn),
            run: {
                turn.lend(nil)
                return nil
            })
        guard enqueue(waiting) else { return try job() }
        if let number, let seconds = patience.seconds, !turn.wait(seconds: seconds), remove(number) {
            return try refused(seconds)
        }
        if let loan = turn.take() { return try joined(loan, turn) }
        defer { turn.giveBack() }
        return try job()
    }

    // Joining. Used only if the limit is one thread, and only by the running job.

    /// Takes the next job out of the queue if it is a joiner of a type and a condition holds for it; otherwise returns
    /// nil. During a reservation it returns nil.
    package func takeNext<J: Joiner>(as type: J.Type, where condition: (J) -> Bool) -> J? {
        lock.withLock {
            guard currentReservation == nil, let joiner = jobs.first?.joiner as? J, condition(joiner) else {
                return nil
            }
            jobs.removeFirst()
            return joiner
        }
    }

    /// Waits until the queue has a job. Returns whether it has one.
    package func waitForNext(seconds: Double) -> Bool {
        lock.withLock {
            let deadline = Deadline(seconds: seconds)
            isAwaited = true
            defer { isAwaited = false }
            while jobs.isEmpty, !deadline.isOver { _ = arrival.wait(lock, seconds: deadline.remaining) }
            return !jobs.isEmpty
        }
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
                var ending = job?.run()
                // Released without the lock: the job may hold the last reference to the stack, which then stops these
                // threads.
                job = nil
                lock.lock()
                running -= 1
                if ending != nil {
                    lock.unlock()
                    ending?()
                    ending = nil
                    lock.lock()
                }
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
package final class LentTurn<Loan: Sendable>: Sendable {
    private enum State { case waiting, lent, over }

    private let lock = Lock()
    private let changed = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var state = State.waiting
    nonisolated(unsafe) private var loan: Loan?

    package init() {}

    /// Lends the turn of this thread, and waits until it is given back.
    ///
    /// - Parameter loan: An object that the other thread uses meanwhile.
    package func lend(_ loan: Loan?) {
        lock.lock()
        self.loan = loan
        state = .lent
        changed.broadcast()
        while state != .over { changed.wait(lock) }
        lock.unlock()
    }

    /// Waits until the turn is lent, for a time. Returns whether it is.
    func wait(seconds: Double) -> Bool {
        lock.withLock {
            let deadline = Deadline(seconds: seconds)
            while state != .lent, !deadline.isOver { _ = changed.wait(lock, seconds: deadline.remaining) }
            return state == .lent
        }
    }

    /// Waits until the turn is lent.
    package func take() -> Loan? {
        lock.lock()
        defer { lock.unlock() }
        while state != .lent { changed.wait(lock) }
        return loan
    }

    package func giveBack() {
        lock.withLock {
            state = .over
            loan = nil
            changed.broadcast()
        }
    }
}
