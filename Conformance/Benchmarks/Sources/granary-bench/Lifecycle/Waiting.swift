import Dispatch
import Synchronization

/// Waits for what has an async form alone.
func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let failure = Failure()
    Task {
        do { try await body() } catch { failure.error.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = failure.error.withLock({ $0 }) { throw error }
}

private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
}
