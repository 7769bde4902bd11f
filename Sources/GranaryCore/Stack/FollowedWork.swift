public import Foundation
import GranaryPlatform

/// Long work with a store that can be followed while it runs: a sequence of its progress, and a `Progress` of
/// Foundation.
///
/// ```swift
/// let copying = FollowedWork { told in try await stack.copy(to: .lmdb(at: url), onProgress: told) }
/// for await progress in copying { print(progress.entity, progress.fraction) }
/// let copy = try await copying.value
/// ```
///
/// The closure gets a function to pass as `onProgress:`, so every verb with that parameter can be followed: opening a
/// stack, `reset`, `copy`, `backUp`, `export`, `compact`, `verify`, `rebuildIndexes`. For an import, convert its
/// report: `importer.progress = { told(StoreProgress($0)) }`.
///
/// - The work begins at once, in a task of its own, whether or not the sequence is read.
/// - A slow reader gets only the newest state: earlier states are not kept. The sequence ends when the work ends, also
///   if the work throws, and serves one loop. Leaving the loop does not end the work.
/// - ``cancel()``, cancelling ``progress``, and cancelling a task that waits for ``value`` all cancel the work. It ends
///   with `cancelled`, as the verb documents. Work that is complete when the cancellation arrives stays complete.
public struct FollowedWork<Value: Sendable>: AsyncSequence, Sendable {
    private let task: Task<Value, any Error>
    private let states: AsyncStream<StoreProgress>
    private let shown: ShownProgress

    /// Begins the work.
    public init(
        _ work: @escaping @Sendable (_ told: @escaping @Sendable (StoreProgress) -> Void) async throws -> Value
    ) {
        let (states, continuation) = AsyncStream.makeStream(
            of: StoreProgress.self, bufferingPolicy: .bufferingNewest(1))
        let shown = ShownProgress()
        let task = Task<Value, any Error> {
            defer { continuation.finish() }
            let value = try await work { state in
                shown.show(state)
                continuation.yield(state)
            }
            shown.end()
            return value
        }
        (self.task, self.states, self.shown) = (task, states, shown)
        shown.progress.cancellationHandler = { task.cancel() }
    }

    /// The value that the work returns, when it has ended.
    ///
    /// - Throws: What the work throws.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The progress of the work as an object for user interfaces. It is indeterminate until the work first reports
    /// progress, and finished when the work has returned. Cancelling it cancels the work.
    ///
    /// It changes on the threads of the work. On Apple's systems it may be read on any thread. Foundation on Linux does
    /// not lock it: read it there after the work has ended, or use the sequence.
    public var progress: Progress { shown.progress }

    /// Cancels the work.
    public func cancel() { task.cancel() }

    public func makeAsyncIterator() -> Iterator { Iterator(states: states.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var states: AsyncStream<StoreProgress>.Iterator

        public typealias Failure = Never

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> StoreProgress? {
            await states.next(isolation: actor)
        }
    }
}

/// The object that shows the progress of the work.
// @unchecked: it is made here and changed while `lock` is held; its cancelling is Foundation's own.
private final class ShownProgress: @unchecked Sendable {
    let progress = Progress.discreteProgress(totalUnitCount: 0)
    private let lock = Lock()

    init() { progress.isCancellable = true }

    func show(_ state: StoreProgress) {
        lock.withLock {
            // A negative total means that the total is unknown.
            let total = state.total == 0 && state.records > 0 ? -1 : Int64(state.total)
            if progress.totalUnitCount != total { progress.totalUnitCount = total }
            progress.completedUnitCount = Int64(state.records)
        }
    }

    func end() {
        lock.withLock {
            let total = max(1, progress.totalUnitCount, progress.completedUnitCount)
            progress.totalUnitCount = total
            progress.completedUnitCount = total
        }
    }
}
