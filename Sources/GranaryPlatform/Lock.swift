/// A mutual exclusion lock over a POSIX mutex.
///
/// The only lock of the project. `Synchronization.Mutex` would do, but the thread sanitizer does not understand it and
/// reports races that do not exist. It understands `pthread_mutex_t`.
///
/// Public, though only this package needs it, because Swift does not inline `package` functions in other modules.
// @unchecked: the mutex has one address for the object's whole life, and is only used through pthread calls, which any
// thread may make.
public final class Lock: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    public init() {
        // Alone in its cache lines, so that threads with different locks do not take these from each other.
        mutex = UnsafeMutableRawPointer.allocate(byteCount: CacheLines.size, alignment: CacheLines.size)
            .bindMemory(to: pthread_mutex_t.self, capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    @inlinable @inline(__always) public func lock() { pthread_mutex_lock(mutex) }
    @inlinable @inline(__always) public func unlock() { pthread_mutex_unlock(mutex) }

    // Inlined: a call of the generic function, with its closure and its error, takes longer than the lock.
    @inlinable @inline(__always) public func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        lock()
        defer { unlock() }
        return try body()
    }

    /// A condition to wait for while this lock is held.
    // @unchecked: as for the lock.
    public final class Condition: @unchecked Sendable {
        private let condition: UnsafeMutablePointer<pthread_cond_t>

        public init() {
            condition = .allocate(capacity: 1)
            condition.initialize(to: pthread_cond_t())
            #if canImport(Darwin)
                pthread_cond_init(condition, nil)
            #else
                var attributes = pthread_condattr_t()
                pthread_condattr_init(&attributes)
                // A clock that is never set.
                pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
                pthread_cond_init(condition, &attributes)
                pthread_condattr_destroy(&attributes)
            #endif
        }

        deinit {
            pthread_cond_destroy(condition)
            condition.deinitialize(count: 1)
            condition.deallocate()
        }

        public func signal() { pthread_cond_signal(condition) }
        public func broadcast() { pthread_cond_broadcast(condition) }

        /// Waits until signalled. The lock must be held; it is held again on return. It may return without a signal.
        public func wait(_ lock: Lock) { pthread_cond_wait(condition, lock.mutex) }

        /// Waits until signalled or until the time is over. Returns whether it was signalled. Setting the computer's
        /// clock does not change the waiting time.
        public func wait(_ lock: Lock, seconds: Double) -> Bool {
            var time = timespec()
            #if !canImport(Darwin)
                clock_gettime(CLOCK_MONOTONIC, &time)
            #endif
            let total = Double(time.tv_nsec) + max(0, min(seconds, 1e9)) * 1e9
            time.tv_sec += Int(total / 1e9)
            time.tv_nsec = Int(total.truncatingRemainder(dividingBy: 1e9))
            #if canImport(Darwin)
                return pthread_cond_timedwait_relative_np(condition, lock.mutex, &time) == 0
            #else
                return pthread_cond_timedwait(condition, lock.mutex, &time) == 0
            #endif
        }
    }
}
