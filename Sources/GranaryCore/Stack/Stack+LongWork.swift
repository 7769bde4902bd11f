import GranaryPlatform

extension Stack {
    /// Does long work on one of the stack's threads. Cancelling the task ends the work with `cancelled`, if the work
    /// checks for it.
    ///
    /// - Parameter isRead: Whether a reset that cancels reads also cancels this work.
    func longWork<T: Sendable>(
        on threads: BlockingThreads, isRead: Bool = false, _ onProgress: (@Sendable (StoreProgress) -> Void)? = nil,
        _ body: @escaping @Sendable (LongWork) throws -> T
    ) async throws -> T {
        let entered = try activity.enter()
        let work = LongWork(
            onProgress: onProgress,
            cancellation: isRead ? CancellationFlag(also: entered.cancellation) : CancellationFlag())
        return try await withTaskCancellationHandler {
            try await threads.value { [self] in
                defer { entered.leave() }
                return try activity.onThisThread {
                    try work.run {
                        try work.cancellation.check()
                        return try body(work)
                    }
                }
            }
        } onCancel: {
            work.cancellation.set()
        }
    }
}
