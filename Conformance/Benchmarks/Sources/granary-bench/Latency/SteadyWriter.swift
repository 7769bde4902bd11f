import Foundation
import Synchronization

/// Commits records one after the other while something else is measured.
final class SteadyWriter: Sendable {
    private let isStopped = Atomic<Bool>(false)
    private let outcome = Mutex<Result<Int, any Error>>(.success(0))
    private let done = DispatchSemaphore(value: 0)

    /// On a thread.
    ///
    /// - Parameter commit: Commits the next record.
    func start(_ commit: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            let result = Result {
                var count = 0
                while !isStopped.load(ordering: .relaxed) {
                    try commit()
                    count += 1
                }
                return count
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
    }

    /// In a task.
    func start(_ commit: @escaping @Sendable () async throws -> Void) {
        Task.detached { [self] in
            let result: Result<Int, any Error>
            do {
                var count = 0
                while !isStopped.load(ordering: .relaxed) {
                    try await commit()
                    count += 1
                }
                result = .success(count)
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
    }

    /// Waits for the last commit.
    ///
    /// - Returns: The number of commits.
    func stop() throws -> Int {
        isStopped.store(true, ordering: .relaxed)
        done.wait()
        return try outcome.withLock { try $0.get() }
    }
}
