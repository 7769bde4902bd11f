import GranaryPlatform

/// One running observation of a stack.
final class LiveQuery<Value: Sendable>: Sendable {
    private struct Run: Sendable {
        let observer: Observer
        let number: UInt64
        let read: @Sendable (ReadContext) throws -> ObservedQuery<Value>.Answer
    }

    private let stack: Stack
    private let query: ObservedQuery<Value>
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var run: Run?
    nonisolated(unsafe) private var last: RowDigest.Fingerprint?
    nonisolated(unsafe) private var hasFinished = false

    init(_ stack: Stack, _ query: ObservedQuery<Value>) {
        self.stack = stack
        self.query = query
    }

    deinit { finish() }

    /// Waits for the next value: the first one at once, then one that differs from the previous one. Returns nil at the
    /// end.
    func next() async throws -> Value? {
        do {
            guard let run = try begin() else { return nil }
            while await run.observer.wait() {
                run.observer.beginReading()
                let (answer, number) = try await stack.read { (try run.read($0), $0.transactionNumber) }
                if let value = take(answer, number, run.observer) { return value }
            }
        } catch {
            finish()
            if ObservationEnd.isEnd(error) { return nil }
            throw error
        }
        finish()
        return nil
    }

    /// The current value, read on the calling thread, even if it has not changed.
    func current() throws -> Value {
        guard let run = try begin() else {
            throw ObservationEnd.closed
        }
        run.observer.beginReading()
        let (answer, number) = try stack.blocking.read { (try run.read($0), $0.transactionNumber) }
        _ = take(answer, number, run.observer)
        return answer.value
    }

    func finish() {
        let run: Run? = lock.withLock {
            hasFinished = true
            defer { self.run = nil }
            return self.run
        }
        guard let run else { return }
        run.observer.end()
        stack.companion(ObservationHub.self).remove(run.number)
    }

    /// Returns nil if the observation or the stack has ended.
    private func begin() throws -> Run? {
        if let run = lock.withLock({ hasFinished ? nil : run }) { return run }
        if lock.withLock({ hasFinished }) { return nil }
        let prepared = try query.prepare(stack.schema, stack.types)
        let observer = Observer(prepared.readSet, prepared.filter)
        let new = Run(
            observer: observer, number: stack.companion(ObservationHub.self).add(observer), read: prepared.read)
        lock.withLock { run = new }
        if observer.isEnded {
            finish()
            return nil
        }
        return new
    }

    /// The value, or nil if it equals the last one.
    private func take(_ answer: ObservedQuery<Value>.Answer, _ number: UInt64, _ observer: Observer) -> Value? {
        observer.endReading(number, answer.keys)
        return lock.withLock {
            defer { last = answer.fingerprint }
            return last == answer.fingerprint ? nil : answer.value
        }
    }
}

/// How an observation ends.
enum ObservationEnd {
    /// Whether an error means the end and not a failure: the task was cancelled, or the stack was closed. It does not
    /// matter whether there has been a value before.
    static func isEnd(_ error: any Error) -> Bool {
        switch (error as? GranaryError)?.code {
        case .cancelled: Task.isCancelled
        case .closed: true
        default: false
        }
    }

    /// The error for callers that require a value.
    static var closed: GranaryError { .stackClosed }
}
