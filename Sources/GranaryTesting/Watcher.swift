import GranaryPlatform

/// Takes the values of an observation, and waits for a condition with a deadline.
///
/// ```swift
/// let watcher = Watcher(stack.observe(Song.sorted(by: \.title)))
/// try await stack.write { try $0.insert(Song(id: 1, title: "Sinnerman")) }
/// let songs = try await watcher.wait { $0.last?.count == 1 }.last
/// ```
///
/// It takes any asynchronous sequence that may be used on another thread, such as `stack.observe`, `stack.changes` and
/// `stack.monitor`. It begins at once, and stops when it is released.
public final class Watcher<Value: Sendable>: Sendable {
    private let state = State()

    /// Follows a sequence from now on.
    public init<Values: AsyncSequence & Sendable>(_ values: Values) where Values.Element == Value {
        state.follow(
            Task { [weak state] in
                do {
                    for try await value in values { state?.take(value) }
                    state?.end(nil)
                } catch {
                    state?.end(error)
                }
            })
    }

    deinit { state.cancel() }

    /// The values so far.
    public var values: [Value] { state.values }

    /// Waits until a condition holds for the values so far.
    ///
    /// - Parameters:
    ///   - deadline: How long it waits.
    ///   - holds: Called with all values, in their order; first at once, then after each value.
    /// - Returns: The values for which it holds.
    /// - Throws: ``ExpectationFailure``, with the last values, if the condition does not hold by the deadline or when the
    ///   sequence has ended; what the sequence has thrown; `CancellationError`.
    @discardableResult public func wait(
        within deadline: Duration = .seconds(10), until holds: @escaping @Sendable ([Value]) -> Bool
    ) async throws -> [Value] {
        let number = state.newNumber()
        let timer = Task { [state] in
            guard (try? await Task.sleep(for: deadline)) != nil else { return }
            state.give(up: number, ExpectationFailure(["The values were not as expected within \(deadline)."]))
        }
        defer {
            timer.cancel()
            state.forget(number)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { state.wait(number, holds, $0) }
        } onCancel: {
            state.give(up: number, CancellationError())
        }
    }

    /// What the following task and the waiting tasks share.
    private final class State: Sendable {
        private struct Waiter {
            let holds: @Sendable ([Value]) -> Bool
            let continuation: CheckedContinuation<[Value], any Error>
        }

        private let lock = Lock()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var taken: [Value] = []
        nonisolated(unsafe) private var task: Task<Void, Never>?
        nonisolated(unsafe) private var outcome: Result<Void, any Error>?
        nonisolated(unsafe) private var waiters: [Int: Waiter] = [:]
        nonisolated(unsafe) private var lastNumber = 0
        /// Waits that were given up before they began.
        nonisolated(unsafe) private var givenUp: [Int: any Error] = [:]

        var values: [Value] { lock.withLock { taken } }

        func follow(_ task: Task<Void, Never>) { lock.withLock { self.task = task } }
        func cancel() { lock.withLock { task }?.cancel() }

        func newNumber() -> Int {
            lock.withLock {
                lastNumber += 1
                return lastNumber
            }
        }

        func take(_ value: Value) {
            let (values, waiting) = lock.withLock {
                taken.append(value)
                return (taken, waiters)
            }
            // A condition is the caller's code: it runs without the lock.
            for (number, waiter) in waiting where waiter.holds(values) {
                remove(number)?.continuation.resume(returning: values)
            }
        }

        func end(_ error: (any Error)?) {
            let (values, waiting) = lock.withLock {
                outcome = error.map(Result.failure) ?? .success(())
                defer { waiters = [:] }
                return (taken, Array(waiters.values))
            }
            for waiter in waiting { waiter.continuation.resume(throwing: error ?? State.ended(values)) }
        }

        func wait(
            _ number: Int, _ holds: @escaping @Sendable ([Value]) -> Bool,
            _ continuation: CheckedContinuation<[Value], any Error>
        ) {
            var seen = values
            while true {
                if holds(seen) { return continuation.resume(returning: seen) }
                // A value may have come since `seen` was read.
                let (next, failure): ([Value]?, (any Error)?) = lock.withLock {
                    if let error = givenUp.removeValue(forKey: number) { return (nil, error) }
                    if taken.count > seen.count { return (taken, nil) }
                    switch outcome {
                    case .failure(let error)?: return (nil, error)
                    case .success?: return (nil, State.ended(seen))
                    case nil:
                        waiters[number] = Waiter(holds: holds, continuation: continuation)
                        return (nil, nil)
                    }
                }
                if let failure { return continuation.resume(throwing: failure) }
                guard let next else { return }
                seen = next
            }
        }

        func give(up number: Int, _ error: any Error) {
            let (waiter, values) = lock.withLock {
                let waiter = waiters.removeValue(forKey: number)
                if waiter == nil { givenUp[number] = error }
                return (waiter, taken)
            }
            let differences = (error as? ExpectationFailure).map { $0.differences + State.shown(values) }
            waiter?.continuation.resume(throwing: differences.map(ExpectationFailure.init) ?? error)
        }

        func forget(_ number: Int) { lock.withLock { _ = givenUp.removeValue(forKey: number) } }

        private func remove(_ number: Int) -> Waiter? { lock.withLock { waiters.removeValue(forKey: number) } }

        private static func ended(_ values: [Value]) -> ExpectationFailure {
            ExpectationFailure(["The sequence has ended, and its values were not as expected."] + shown(values))
        }

        private static func shown(_ values: [Value]) -> [String] {
            ["\(values.count) values have come; the last ones: \(values.suffix(3))"]
        }
    }
}
