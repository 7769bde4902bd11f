import CMachine
import Foundation
import Synchronization

/// Requests that come at a fixed rate, whether or not those before are answered.
///
/// In a closed loop a slow answer delays the next request, so that a stall is measured once however many requests would
/// have come in it: "coordinated omission" (Gil Tene, "How NOT to Measure Latency"). Here each request has the time at
/// which it should start, and its latency is counted from that time, also if nothing was free to start it.
struct OpenLoop {
    /// Requests a second.
    var rate: Int
    var count: Int

    /// On threads. Each takes the next request, sleeps until its time, and makes it. While one request stalls, the other
    /// threads make those after it.
    ///
    /// - Parameter request: Makes the request with a number, on the thread with a number. What it returns is run when the
    ///   latency has been taken: it checks the answer.
    func run(
        threads: Int,
        _ request: @escaping @Sendable (_ number: Int, _ thread: Int) throws -> @Sendable () throws -> Void
    ) throws -> Latencies {
        let latencies = Latencies(count)
        let next = Taken()
        let schedule = Schedule(rate: rate)
        _ = try ThreadGroup.run(threads) { thread in
            machine_use_precise_sleep()
            while let number = next.take(below: count) {
                let start = schedule.start(of: number)
                machine_sleep_until(start)
                let check = try request(number, thread)
                latencies.set(number, machine_nanoseconds() - start)
                try check()
            }
        }
        return latencies
    }

    /// A task for each request: one thread makes them, each at its time.
    func run(
        _ request: @escaping @Sendable (_ number: Int) async throws -> @Sendable () throws -> Void
    ) throws -> Latencies {
        let latencies = Latencies(count)
        let tasks = TaskCount(count)
        let schedule = Schedule(rate: rate)
        _ = try ThreadGroup.run(1) { _ in
            machine_use_precise_sleep()
            for number in 0..<count {
                let start = schedule.start(of: number)
                machine_sleep_until(start)
                Task.detached {
                    do {
                        let check = try await request(number)
                        latencies.set(number, machine_nanoseconds() - start)
                        try check()
                        tasks.end(nil)
                    } catch {
                        tasks.end(error)
                    }
                }
            }
        }
        try tasks.wait()
        return latencies
    }

    /// The first request comes when the threads had time to start.
    private struct Schedule {
        private let begin = machine_nanoseconds() + 20_000_000
        private let interval: Double

        init(rate: Int) { interval = 1e9 / Double(rate) }

        func start(of number: Int) -> UInt64 { begin + UInt64(Double(number) * interval) }
    }

    /// The numbers of the requests, each taken by one thread.
    private final class Taken: Sendable {
        private let next = Atomic<Int>(0)

        func take(below count: Int) -> Int? {
            let number = next.add(1, ordering: .relaxed).oldValue
            return number < count ? number : nil
        }
    }

    /// Tasks that are not done, and the first error.
    private final class TaskCount: Sendable {
        private let state: Mutex<(left: Int, error: (any Error)?)>
        private let done = DispatchSemaphore(value: 0)

        init(_ count: Int) { state = Mutex((count, nil)) }

        func end(_ error: (any Error)?) {
            let isLast = state.withLock { state in
                state.left -= 1
                state.error = state.error ?? error
                return state.left == 0
            }
            if isLast { done.signal() }
        }

        func wait() throws {
            done.wait()
            if let error = state.withLock({ $0.error }) { throw error }
        }
    }
}
