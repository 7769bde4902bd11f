import Foundation
import Synchronization

/// Threads that begin together.
enum ThreadGroup {
    /// Runs a closure on threads of their own. `DispatchQueue.concurrentPerform` would take no more threads than the
    /// machine has cores.
    ///
    /// - Parameter body: Takes the number of the thread, from 0.
    /// - Returns: The results in the order of the numbers, and the time from the moment when all threads were ready until
    ///   the last was done.
    static func run<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
    ) throws -> (results: [Value], times: ThreadTimes) {
        let results = Results<Value>()
        let ready = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        for number in 0..<count {
            Thread.detachNewThread {
                ready.signal()
                gate.wait()
                results.set(number, Result { try body(number) })
                done.signal()
            }
        }
        for _ in 0..<count { ready.wait() }
        let start = ThreadTimes.now
        for _ in 0..<count { gate.signal() }
        for _ in 0..<count { done.wait() }
        let times = ThreadTimes.now - start
        return (try (0..<count).map { try results.get($0) }, times)
    }

    private final class Results<Value: Sendable>: Sendable {
        private let all = Mutex<[Int: Result<Value, any Error>]>([:])

        func set(_ number: Int, _ result: Result<Value, any Error>) { all.withLock { $0[number] = result } }

        func get(_ number: Int) throws -> Value {
            guard let result = all.withLock({ $0[number] }) else { throw BenchmarkError("A thread has no result.") }
            return try result.get()
        }
    }
}

/// Points in time, or the time between two of them.
struct ThreadTimes {
    var wall: Duration
    /// The processor time of all threads. Other processes do not make it longer; threads that write to the same cache
    /// lines do.
    var processor: Duration

    static var now: ThreadTimes {
        ThreadTimes(wall: duration(CLOCK_MONOTONIC), processor: duration(CLOCK_PROCESS_CPUTIME_ID))
    }

    static func - (left: ThreadTimes, right: ThreadTimes) -> ThreadTimes {
        ThreadTimes(wall: left.wall - right.wall, processor: left.processor - right.processor)
    }

    private static func duration(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
