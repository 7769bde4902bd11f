import GranaryCore
import GranaryPlatform

/// A task that takes each value of a sequence, and what it has taken until now.
///
/// Cases wait for values with a deadline, blocking one of the case's own threads.
package final class Following<Value: Sendable>: Sendable {
    private let lock = Lock()
    private let changed = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var taken: [Value] = []
    nonisolated(unsafe) private var outcome: Result<Void, any Error>?
    nonisolated(unsafe) private var task: Task<Void, Never>?

    /// - Parameter pause: Called after each value, before the next is asked for.
    package init<Values: AsyncSequence & Sendable>(
        _ values: Values, on trial: Trial, pause: @escaping @Sendable (Value) throws -> Void = { _ in }
    ) where Values.Element == Value {
        let task = Task(executorPreference: trial.executor) { [weak self] in
            var outcome = Result<Void, any Error>.success(())
            do {
                for try await value in values {
                    self?.take(value)
                    try pause(value)
                }
            } catch {
                outcome = .failure(error)
            }
            self?.end(outcome)
        }
        lock.withLock { self.task = task }
    }

    deinit { task?.cancel() }

    private func take(_ value: Value) {
        lock.withLock {
            taken.append(value)
            changed.broadcast()
        }
    }

    private func end(_ outcome: Result<Void, any Error>) {
        lock.withLock {
            self.outcome = outcome
            changed.broadcast()
        }
    }

    package var values: [Value] { lock.withLock { taken } }

    package func cancel() { lock.withLock { task }?.cancel() }

    /// Waits until a condition holds of what was taken, and returns that.
    @discardableResult package func wait(
        _ what: String, seconds: Double = 30, file: String = #fileID, line: Int = #line,
        until holds: ([Value]) throws -> Bool
    ) throws -> [Value] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        lock.lock()
        defer { lock.unlock() }
        while try !holds(taken) {
            if let outcome {
                throw ConformanceFailure(
                    message: "it ended with \(outcome) before \(what), after \(taken.suffix(3))", file: file,
                    line: line)
            }
            guard ContinuousClock.now < deadline else {
                throw ConformanceFailure(
                    message: "\(what) did not come in \(seconds) s; last were \(taken.suffix(3))", file: file,
                    line: line)
            }
            _ = changed.wait(lock, seconds: 1)
        }
        return taken
    }

    /// Waits until it has ended, and throws what ended it.
    package func finished(seconds: Double = 30, file: String = #fileID, line: Int = #line) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let outcome { return try outcome.get() }
            guard ContinuousClock.now < deadline else {
                throw ConformanceFailure(message: "it did not end in \(seconds) s", file: file, line: line)
            }
            _ = changed.wait(lock, seconds: 1)
        }
    }
}

/// Runs a body, and fails the case if it takes too long: what it waits for does not come.
package func withDeadline(
    seconds: Double = 30, file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw ConformanceFailure(message: "it did not end in \(seconds) s", file: file, line: line)
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
